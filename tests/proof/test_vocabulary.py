"""The people of the machine can say something in every field there is, and what they promise of merging holds."""

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import DERIVED, FIELDS, same, value
from tallystick_contract.models import validated
from tests.proof.vocabulary import change, new, tokens

WAYS = range(6)
PLACES = [(kind, name) for kind, table in FIELDS.items() for name in table if name not in DERIVED[kind]]


@pytest.mark.parametrize(("kind", "name"), PLACES)
def test_every_field_can_be_edited_to_something_the_contract_takes_and_that_is_followed(kind: str, name: str) -> None:
    key = Key(kind, "X-1")
    doc = validated(kind, key.id, new(key, "w1"))
    said = set()
    for number, act in enumerate((*WAYS, *WAYS), start=2):
        before = value(kind, doc, name)
        fresh = {**doc, name: change(kind, name, before, act, f"w{number}")}
        try:
            doc = validated(kind, key.id, fresh)
        except Invalid as error:
            pytest.fail(f"{kind}.{name} cannot be {fresh[name]!r}: {error}")
        if not same(FIELDS[kind][name], before, value(kind, doc, name)):
            said |= {token for token in tokens(kind, doc) if token[0] == name} or {(name, "nothing")}
    assert len(said) > 1, f"{kind}.{name} is never edited"

"""The table of fields: defaults, sameness, and one contract with the models."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.canonical import normalise
from tallystick_contract.errors import Broken, Invalid, Refused, TallystickError
from tallystick_contract.fields import FIELDS, Merge, instant, same, sparse, value
from tallystick_contract.models import MODELS, Actor, validated
from tallystick_contract.versions import RECORDS

LABELS, AT = FIELDS["task"]["labels"], FIELDS["event"]["atIso"]


@pytest.mark.parametrize("kind", FIELDS)
def test_the_table_and_the_models_name_the_same_fields(kind: str) -> None:
    wire = {info.alias for info in MODELS[kind].model_fields.values()} - {"id", "contractVersion"}
    assert wire == set(FIELDS[kind])
    old = {info.alias for info in RECORDS["1.0"][kind].model_fields.values()} - {"id", "contractVersion"}
    assert old == {name for name, field in FIELDS[kind].items() if field.since == "1.0"}


@pytest.mark.parametrize(
    ("kind", "doc"),
    [
        ("task", {"title": "t"}),
        ("evidence", {"target": "T-1"}),
        ("event", {"atIso": "2024-02-03T04:05:06Z", "actor": {"type": "agent", "id": "a"}}),
    ],
)
def test_a_sparse_record_at_its_defaults_is_valid(kind: str, doc: dict[str, Any]) -> None:
    assert validated(kind, "R-1", doc) == doc
    assert all(value(kind, doc, name) == FIELDS[kind][name].default for name in FIELDS[kind] if name not in doc)


@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), max_size=4))
def test_sets_are_the_same_without_order(left: list[str], right: list[str]) -> None:
    assert same(LABELS, left, right) is (set(left) == set(right))


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("2024-02-03T04:05:06Z", "2024-02-03T04:05:06.000Z", True),
        ("2024-02-03T04:05:06Z", "2024-02-03T05:05:06+01:00", True),
        ("2024-02-03T04:05:06", "2024-02-03T04:05:06Z", True),
        ("2024-02-03T04:05:06Z", "2024-02-03T04:05:06.001Z", False),
        ("noon", "midday", False),
        ("noon", "noon", True),
        (None, "2024-02-03T04:05:06Z", False),
        (None, None, True),
    ],
)
def test_instants_are_the_same_without_spelling(left: str | None, right: str | None, *, equal: bool) -> None:
    assert same(AT, left, right) is equal
    assert same(AT, right, left) is equal


@pytest.mark.parametrize("text", [None, "", "noon", "2024-13-01T00:00:00Z"])
def test_what_names_no_instant_is_none(text: str | None) -> None:
    assert instant(text) is None


@given(st.text(max_size=3), st.text(max_size=3))
def test_plain_values_are_the_same_only_when_equal(left: str, right: str) -> None:
    for field in FIELDS["task"].values():
        if field.merge in {Merge.VALUE, Merge.PROSE, Merge.DERIVED}:
            assert same(field, left, right) is (left == right)


def test_sparse_leaves_out_defaults_and_keeps_what_it_does_not_know() -> None:
    assert sparse("task", {"status": "planned", "labels": [], "title": None, "archived": True, "colour": 1}) == {
        "archived": True,
        "colour": 1,
    }


def test_a_field_the_kind_does_not_have_is_invalid() -> None:
    with pytest.raises(Invalid, match="R-1: colour: is not a field of a task"):
        validated("task", "R-1", {"title": "t", "colour": "red"})


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6))
def test_a_validated_record_is_normalised(text: str) -> None:
    assert validated("task", "R-1", {"title": text})["title"] == normalise(text)


def test_an_error_says_what_where_and_what_to_do() -> None:
    assert str(Broken("is locked", "a.db", "run again")) == "a.db: is locked (run again)"
    assert str(Broken("is locked")) == "is locked"
    refused = Refused("no", code="gate", allowed=("start",))
    assert isinstance(refused, TallystickError)
    assert (refused.code, refused.allowed) == ("gate", ("start",))
    with pytest.raises(Broken):
        raise Broken("is locked")


@pytest.mark.parametrize("text", ["ana", "robot:r", "agent:", ":ana", ""])
def test_an_actor_is_named_with_its_type(text: str) -> None:
    assert Actor.named("agent:ana:2") == Actor(type="agent", id="ana:2")
    with pytest.raises(Invalid, match="is not an actor") as caught:
        Actor.named(text)
    assert "agent:NAME" in caught.value.todo

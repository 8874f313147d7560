"""The committed schemas are what the models say, and judge a corpus as the models do."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from tallystick_contract import schema
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import instant
from tallystick_contract.models import VERSIONS
from tallystick_contract.versions import RECORDS, parse
from tests.contract.render_schemas import SCHEMAS, rendered

CORPUS = Path(__file__).with_name("corpus")
DOCUMENTS = sorted(CORPUS.glob("*/*.json"))

FORMATS = FormatChecker(formats=())
FORMATS.checks(schema.INSTANT_FORMAT)(lambda text: not isinstance(text, str) or instant(text) is not None)


def _judged_by_schema(version: str, kind: str, document: Any) -> bool:
    text = (SCHEMAS / version / f"{kind}.json").read_text("utf-8")
    return bool(Draft202012Validator(json.loads(text), format_checker=FORMATS).is_valid(document))


def _judged_by_model(kind: str, document: Any) -> bool:
    try:
        parse(kind, document)
    except Invalid:
        return False
    return True


def test_the_committed_files_are_the_rendered_ones() -> None:
    assert {path: path.read_text("utf-8") for path in SCHEMAS.rglob("*.json")} == rendered()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_schema_is_a_schema_with_its_name(version: str) -> None:
    for kind in schema.kinds(version):
        made = schema.render(version, kind)
        Draft202012Validator.check_schema(made)
        assert (made["$schema"], made["$id"]) == (schema.DIALECT, f"urn:tallystick:{version}:{kind}")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_models_and_schemas_judge_alike(path: Path) -> None:
    version, kind, _ = path.stem.split("-", 2)
    document = json.loads(path.read_text("utf-8"))
    expected = path.parent.name == "valid"
    assert _judged_by_model(kind, document) is expected
    assert _judged_by_schema(version, kind, document) is expected


def test_the_corpus_covers_every_kind_both_ways() -> None:
    assert len(DOCUMENTS) >= 40
    seen = {(path.parent.name, *path.stem.split("-", 2)[:2]) for path in DOCUMENTS}
    kinds = {(version, kind) for version in VERSIONS for kind in RECORDS[version]}
    assert seen == {(verdict, *pair) for verdict in ("valid", "invalid") for pair in kinds}


def test_a_document_without_its_version_is_refused_by_both() -> None:
    document = {"id": "T-1", "title": "t"}
    assert not _judged_by_model("task", document)
    assert not _judged_by_schema("1.1", "task", document)


def test_the_exceptions_are_the_documented_ones() -> None:
    """What JSON Schema cannot say: payload sizes, instants without a checker, snake_case names."""
    large: dict[str, Any] = {"contractVersion": "1.1", "type": "a", "version": 1, "mode": "m", "contract": "c"}
    large["payload"] = {"a": "x" * 70_000}
    assert _judged_by_schema("1.1", "intent", large)
    assert not _judged_by_model("intent", large)
    assert schema.__doc__ is not None
    assert "65,536" in schema.__doc__
    event = {
        "contractVersion": "1.1",
        "id": "E",
        "kind": "note",
        "atIso": "noon",
        "actor": {"type": "agent", "id": "a"},
    }
    jsonschema.validate(event, schema.render("1.1", "event"))


@pytest.mark.parametrize(
    ("version", "kind", "good", "bad"),
    [("1.0", "decisionGate", {"noAutoClose": True}, {"noAutoClose": 1}), ("1.1", "deliveryState", None, "done")],
)
def test_gates_and_delivery_states_have_schemas_too(version: str, kind: str, good: Any, bad: Any) -> None:
    assert _judged_by_schema(version, kind, good)
    assert not _judged_by_schema(version, kind, bad)

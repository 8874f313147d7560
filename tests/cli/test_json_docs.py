"""docs/json.md shows what the commands print: same members, same shapes."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tallystick_cli import schemas
from tallystick_cli.main import run
from tests.cli.engine_calls import answers
from tests.cli.plugin import install

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
CALLS = {
    "error": ["check", "--config", "nowhere.toml"],
    "init": ["init", "empty"],
    "check": ["check"],
    "doctor": ["doctor"],
    "adapters": ["adapters"],
    "map": ["map"],
    "schema": ["schema"],
}
FREE = {"counts", "map", "versions", "fidelity"}
"""Members whose own members are names of fields, adapters or figures."""

NAMED = {"spokes", "changes", "gaps", "fields", "values", "differences", "levels"}
"""Members whose own members are named by the project: one stands for all."""

RECORDS = {"task", "tasks", "event", "evidence"}
"""Members that hold whole records, of which the page shows the beginning; the contract's schema says the rest."""


def examples() -> dict[str, Any]:
    """Return the page's examples by heading."""
    found = re.findall(
        r"^## ([\w ]+)\n.*?^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    return {heading: json.loads(text) for heading, text in found}


def shape(value: Any) -> Any:
    """Reduce a document to its member names and types, lists to their first item."""
    if isinstance(value, dict):
        return {name: _shape_of_member(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def _shape_of_member(name: str, value: Any) -> Any:
    if name in FREE or name in RECORDS:
        return type(value).__name__
    if name in NAMED and isinstance(value, dict):
        return [shape(item) for item in list(value.values())[:1]]
    return shape(value)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the engine's commands print on the example."""
    return answers(tmp_path_factory.mktemp("documented") / "harbour")


def test_the_page_has_one_example_per_call(answered: dict[str, Any]) -> None:
    elsewhere = ["conformance"]  # it runs the whole kit: tests/conformance looks at it once
    assert list(examples()) == [*CALLS, *elsewhere, *answered]


def test_the_examples_of_the_engine_have_the_members_the_commands_print(answered: dict[str, Any]) -> None:
    shown = examples()
    for name, document in answered.items():
        assert shape(document) == shape(shown[name]), name


@pytest.mark.parametrize(("command", "member", "kind"), [
    ("task list", "tasks", "task"), ("task show", "task", "task"), ("task show", "evidence", "evidence"),
    ("event add", "event", "event"), ("evidence list", "evidence", "evidence"),
])  # fmt: skip
def test_printed_records_are_what_the_contract_s_schema_says(
    answered: dict[str, Any], command: str, member: str, kind: str
) -> None:
    found = answered[command][member]
    for record in found if isinstance(found, list) else [found]:
        jsonschema.validate(record, schemas.of_kind(None, kind))


@pytest.mark.parametrize("heading", list(CALLS))
def test_the_example_has_the_members_the_command_prints(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "site", monkeypatch, module="documented_adapter")
    monkeypatch.setattr("tallystick_adapters.registry.names", lambda: ["hello"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty" / ".project").mkdir(parents=True)
    Path("tallystick.toml").write_text('[project]\nid = "a"\n[spokes.hi]\ntype = "hello"\nmood = "untidy"\n')
    run([*CALLS[heading], "--json"])
    assert shape(json.loads(capsys.readouterr().out)) == shape(examples()[heading])

"""docs/json.md shows what the commands print: same members, same shapes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tallystick_cli.main import run
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
FREE = {"counts", "map", "versions"}
"""Members whose own members are names of fields, adapters or figures."""


def examples() -> dict[str, Any]:
    """Return the page's examples by heading."""
    found = re.findall(r"^## (\w+)\n.*?^```json\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return {heading: json.loads(text) for heading, text in found}


def shape(value: Any) -> Any:
    """Reduce a document to its member names and types, lists to their first item."""
    if isinstance(value, dict):
        return {name: "free" if name in FREE else shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def test_the_page_has_one_example_per_call() -> None:
    assert list(examples()) == list(CALLS)


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

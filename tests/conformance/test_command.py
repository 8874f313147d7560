"""`tally conformance`: one command from a module's name to a report card."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_json_docs import examples, shape
from tests.e2e.project import COMMAND, ROOT

DEAF = """
from tallystick_conformance.reference import Reference, Store

def deaf(name, settings, root):
    assert settings["ears"] == "none"
    return Reference(Store())
"""


def tally(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [*COMMAND, "conformance", *arguments]
    everything = {**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=everything, text=True, capture_output=True, check=False)


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Examine the example adapter once; returns the folder with the files it wrote, and what it said."""
    folder = tmp_path_factory.mktemp("hello")
    files = ["--junit", str(folder / "junit.xml"), "--markdown", str(folder / "card.md")]
    example = str(ROOT / "examples" / "hello_adapter")
    return folder, tally(folder, "test_hello:TestHello", "--json", *files, PYTHONPATH=example)


def test_a_conformant_adapter_ends_with_0_and_the_document_of_the_page(hello: Any) -> None:
    _, said = hello
    assert said.returncode == 0, said.stderr
    card = json.loads(said.stdout)
    assert (card["subject"], card["conformant"]) == ("test_hello:TestHello", True)
    assert shape(card) == shape(examples()["conformance"])


def test_progress_and_the_card_are_printed_as_the_kit_s_page_shows_them(hello: Any) -> None:
    _, said = hello
    page = (ROOT / "conformance_tests" / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert [line for line in block.splitlines() if line not in said.stderr.splitlines()] == []
    assert "[100%]" in said.stderr


def test_junit_and_markdown_are_written_where_they_were_asked_for(hello: Any) -> None:
    folder, _ = hello
    assert '<property name="level" value="text fidelity"' in folder.joinpath("junit.xml").read_text()
    assert "**conformant: " in folder.joinpath("card.md").read_text()


def test_a_bare_factory_is_examined_through_itself_and_told_so(tmp_path: Path) -> None:
    tmp_path.joinpath("deaf.py").write_text(DEAF)
    said = tally(tmp_path, "deaf:deaf", "--set", "ears=none", "--json")
    card = json.loads(said.stdout)
    assert (said.returncode, card["conformant"]) == (5, False)
    assert "through the adapter itself" in card["note"]
    failed = {line["check"] for line in card["checks"] if line["result"] == "failed"}
    assert "test_a_created_record_stands_there" in failed


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere:Hello"], "No module named 'nowhere'"),
        (["json:Hello"], "json has no 'Hello'"),
        (["json:__doc__"], "neither an AdapterSuite nor the factory of an adapter"),
        (["deaf:deaf", "--set", "ears=two"], "no adapter could be built with {'path': 'example', 'ears': 'two'}"),
        (["hello"], "names no adapter"),
        (["deaf:deaf", "--set", "ears"], "--set ears is no setting"),
        (["deaf:deaf", "--set", "=none"], "--set =none is no setting"),
    ],
)
def test_what_cannot_be_examined_ends_with_2_and_a_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    tmp_path.joinpath("deaf.py").write_text(DEAF)
    said = tally(tmp_path, *arguments, "--json")
    assert said.returncode == 2
    assert told in json.loads(said.stdout)["error"]["what"]

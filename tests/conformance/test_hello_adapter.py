"""The example adapter, installed beside as a stranger's is: found by entry point, conformant, in step with a board."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.e2e.project import COMMAND, ROOT

EXAMPLE = ROOT / "examples" / "hello_adapter"
CONFIG = """
[project]
id = "greetings"

[spokes.board]
type = "project-json"
path = ".project"

[spokes.lines]
type = "hello"
path = "tasks.jsonl"
write = true
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder with the example and what an installation writes beside it: its metadata and entry points."""
    folder = tmp_path / "site"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / f"hello_adapter-{project['version']}.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = (f"{name} = {value}" for name, value in project["entry-points"]["tallystick.adapters"].items())
    info.joinpath("entry_points.txt").write_text("\n".join(["[tallystick.adapters]", *lines, ""]))
    return folder


def run(command: list[str], folder: Path, installed: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the example installed."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "160"}
    return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)


def tally(folder: Path, installed: Path, *arguments: str) -> str:
    """Run one `tally` command that must succeed, and return what it printed."""
    said = run([*COMMAND, *arguments], folder, installed)
    assert said.returncode == 0, said
    return said.stdout


def test_it_is_conformant(installed: Path) -> None:
    said = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], installed, installed)
    assert said.returncode == 0, said.stdout
    (verdict,) = [line for line in said.stdout.splitlines() if line.startswith("test_hello.py::TestHello: ")]
    assert " conformant: " in verdict


def test_the_command_finds_it(tmp_path: Path, installed: Path) -> None:
    said = tally(tmp_path, installed, "adapters", "--json")
    assert "hello-adapter 0.1.0" in json.dumps(json.loads(said))


def test_a_file_of_lines_and_a_board_come_in_step(tmp_path: Path, installed: Path) -> None:
    folder = tmp_path / "greetings"
    folder.joinpath(".project").mkdir(parents=True)
    board, lines = folder / ".project" / "tasks.json", folder / "tasks.jsonl"
    task = {"id": "T-1", "title": "Say hello", "status": "planned", "milestone": "First words"}
    board.write_text(json.dumps({"tasks": [task]}))
    lines.write_text('{"id": "T-2", "title": "Wave", "mood": "bright"}\n')
    folder.joinpath("tallystick.toml").write_text(CONFIG)

    assert "milestone" in tally(folder, installed, "plan")
    tally(folder, installed, "sync")
    titles = {row["id"]: row["title"] for row in map(json.loads, lines.read_text().splitlines())}
    assert titles == {"T-1": "Say hello", "T-2": "Wave"}
    there = {row["id"]: row for row in json.loads(board.read_text())["tasks"]}
    assert (there["T-2"]["title"], there["T-2"]["mood"]) == ("Wave", "bright")

    lines.write_text(lines.read_text().replace("Say hello", "Say good evening"))
    tally(folder, installed, "sync")
    assert '"Say good evening"' in board.read_text()
    assert '"First words"' in board.read_text()
    assert '"mood": "bright"' in lines.read_text()
    assert tally(folder, installed, "sync") == "in step, 0 writes\n"

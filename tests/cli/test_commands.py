"""Every command: its exit code, its JSON, and what a person reads."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tallystick_cli.config import load
from tallystick_cli.main import app, run
from tallystick_cli.proposal import look, save
from tallystick_contract.errors import (
    Broken,
    Invalid,
    Refused,
    Stale,
    Stopped,
    TallystickError,
    Throttled,
    Unknown,
    Unsupported,
)
from tests.cli.plugin import install


def _project(folder: Path, *moods: str) -> Path:
    spokes = [f'[spokes.s{place}]\ntype = "hello"\nmood = "{mood}"\n' for place, mood in enumerate(moods)]
    file = folder / "tallystick.toml"
    file.write_text('[project]\nid = "demo"\n' + "".join(spokes))
    return file


@pytest.fixture
def hello(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(tmp_path / "site", monkeypatch, module="command_adapter")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (Invalid("x"), 2),
        (Stopped("x", code="lock-held"), 3),
        (Broken("x"), 4),
        (Throttled("x"), 4),
        (Unknown("x"), 4),
        (Stale("x"), 4),
        (Unsupported("x"), 4),
        (Refused("x", code="gate"), 6),
    ],
)
def test_an_error_is_told_once_with_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problem: TallystickError, code: int
) -> None:
    def fail() -> None:
        problem.where, problem.todo = "tasks.json:3", "look\x1b[2J there"
        raise problem

    monkeypatch.setattr("tallystick_adapters.registry.names", fail)
    assert run(["adapters"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "error: x\n  where: tasks.json:3\n  to do: look\\x1b[2J there\n"
    assert run(["adapters", "--json"]) == code
    error = _json(capsys)["error"]
    assert (error["what"], error["where"]) == ("x", "tasks.json:3")
    assert error["code"] == getattr(problem, "code", type(problem).__name__.lower())


def test_an_interruption_and_a_bug_have_codes_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    def stumble() -> None:
        raise ZeroDivisionError

    def leave_unanswered() -> None:
        raise EOFError

    for stop in (interrupt, leave_unanswered):
        monkeypatch.setattr("tallystick_adapters.registry.names", stop)
        assert run(["adapters"]) == 130
    monkeypatch.setattr("tallystick_adapters.registry.names", stumble)
    assert run(["adapters"]) == 1
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert said.endswith("please report the lines above\n")


@pytest.mark.parametrize("arguments", [["chekc"], ["check", "--bogus"], ["schema", "1.1", "extra"]])
def test_wrong_usage_is_exit_2_in_both_forms(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert run([*arguments, "--json"]) == 2
    assert _json(capsys)["error"]["code"] == "invalid"


def test_alone_it_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert capsys.readouterr().out.startswith("Usage: tally")


def test_check_says_which_spokes_can_be_used(hello: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _project(hello, "kind", "shy")
    assert run(["check", "--json"]) == 0
    assert _json(capsys) == {
        "project": "demo",
        "config": str(file),
        "spokes": [
            {"name": "s0", "ready": True, "writable": False, "messages": ["says hello"]},
            {"name": "s1", "ready": True, "writable": False, "messages": ["says hello"]},
        ],
    }
    _project(hello, "kind", "absent")
    assert run(["check"]) == 4
    assert "s1     not ready" in capsys.readouterr().out


def test_check_without_a_configuration_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["check"]) == 2
    assert "write one with `tally init`" in capsys.readouterr().err


def test_doctor_counts_groups_findings_and_names_what_cannot_be_read(
    hello: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _project(hello, "untidy")
    assert run(["doctor", "--json"]) == 0
    assert _json(capsys)["spokes"] == [
        {
            "name": "s0",
            "error": None,
            "total": 2,
            "counts": {"live": 2},
            "findings": [
                {"code": "D-02", "items": [{"what": "odd status", "where": f"a:{line}"} for line in (1, 2)]},
            ],
            "quarantined": [{"native": "a:3", "reason": "bad\x1b[31m"}],
        },
    ]
    assert run(["doctor", "--strict"]) == 5
    said = capsys.readouterr().out
    assert "  D-02: odd status (a:1), and 1 more\n" in said
    assert "cannot be read: a:3: bad\\x1b[31m" in said


def test_doctor_goes_on_past_a_spoke_that_cannot_be_read(hello: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _project(hello, "absent", "kind")
    assert run(["doctor"]) == 4
    said = capsys.readouterr().out
    assert "s0: cannot be read: nobody is there" in said
    assert "s1: 1 record\n       1 live\n" in said
    _project(hello, "kind")
    assert run(["doctor", "--strict"]) == 0
    _project(hello, "damaged")
    assert run(["doctor", "--strict"]) == 5


def test_adapters_lists_a_broken_one_beside_the_others(
    hello: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(hello / "more", monkeypatch, type_name="sad", module="sad_adapter", source="1 / 0")
    assert run(["adapters", "--json"]) == 0
    found = {item["type"]: item for item in _json(capsys)["adapters"]}
    assert found["hello"] == {"type": "hello", "provider": "command_adapter 1.0", "problem": None}
    assert "ZeroDivisionError" in found["sad"]["problem"]
    assert run(["adapters"]) == 0
    assert all(line == line.rstrip() for line in capsys.readouterr().out.splitlines())


def test_the_map_shows_every_field_and_says_unsupported_where_nothing_is_declared(
    hello: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tallystick_adapters.registry.names", lambda: ["hello"])
    assert run(["map", "--json"]) == 0
    tables = _json(capsys)["map"]
    assert tables["task"]["title"]["hello"] == {"fidelity": "native", "place": "the | label", "note": ""}
    assert tables["evidence"]["method"]["hello"]["fidelity"] == "unsupported"
    assert run(["map"]) == 0
    said = capsys.readouterr().out
    assert "| `title` | native, the \\| label |\n" in said
    assert "| `notes` | unsupported |\n" in said


def test_schemas_are_printed_as_they_are_committed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "--json"]) == 0
    versions = _json(capsys)["versions"]
    assert list(versions) == ["1.0", "1.1"]
    assert {"task", "event", "evidence", "intent"} <= set(versions["1.0"])
    assert run(["schema", "1.0", "--kind", "task"]) == 0
    assert _json(capsys)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert run(["schema", "1.1"]) == 0
    assert sorted(_json(capsys)) == versions["1.1"]
    assert run(["schema", "2.0"]) == 2
    assert "known: 1.0, 1.1" in capsys.readouterr().err
    assert run(["schema", "--kind", "tsak"]) == 2
    assert "did you mean 'task'?" in capsys.readouterr().err


def test_init_proposes_what_is_there_and_writes_only_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "My Böard 7"
    for place in (".project", "notes/.obsidian", ".git"):
        (folder / place).mkdir(parents=True)
    (folder / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://me:s3cr3t@git.example.org/team/board.git\n'
    )
    file = folder / "tallystick.toml"
    assert run(["init", str(folder)]) == 0
    said = capsys.readouterr().out
    assert not file.exists()
    assert 'id = "my-board-7"' in said
    assert "remote is git.example.org/team/board;" in said
    assert "s3cr3t" not in said
    assert run(["init", str(folder), "--write", "--json"]) == 0
    told = _json(capsys)
    assert told["found"] == [".project", "vault notes", "remote git.example.org/team/board"]
    assert told["written"] is True
    assert file.read_text() == told["text"]
    assert [spoke.name for spoke in load(file).spokes] == ["board", "vault"]
    assert run(["init", str(folder), "--write"]) == run(["init", str(folder)]) == 2
    assert file.read_text() == told["text"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("git@example.org:team/board.git", "example.org/team/board"),
        ("ssh://git@example.org:2222/team/board", "example.org/team/board"),
        ("../elsewhere", None),
    ],
)
def test_a_remote_is_named_by_host_and_path(tmp_path: Path, address: str, shown: str | None) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f'[remote "origin"]\nurl = {address}\n')
    assert [item for item in look(tmp_path).found if item.startswith("remote")] == (
        [f"remote {shown}"] if shown else []
    )


def test_an_empty_folder_and_one_with_notes_get_two_spokes(tmp_path: Path) -> None:
    assert 'type = "project-json"' in look(tmp_path).text
    assert 'type = "sqlite"' in look(tmp_path).text
    notes = tmp_path / 'odd "name"'
    notes.mkdir()
    (notes / "a.md").write_text("---\nid: a\n---\n")
    assert 'path = "odd \\u0022name\\u0022"' in look(tmp_path).text


def test_init_overwrites_nothing_that_appeared_meanwhile(tmp_path: Path) -> None:
    proposal = look(tmp_path)
    proposal.file.write_text("mine")
    with pytest.raises(Invalid, match="cannot be written"):
        save(proposal)
    assert proposal.file.read_text() == "mine"


def _command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from tallystick_cli.main import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment})


def test_in_a_pipe_there_is_no_colour_and_the_real_exit_code_is_seen() -> None:
    done = _command("adapters", NO_COLOR="1")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert b"project-json" in done.stdout
    assert _command("nonsense").returncode == 2


def test_help_imports_the_command_line_and_nothing_else() -> None:
    code = "import sys; from tallystick_cli.main import run; run(['--help']); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())
    assert {"tallystick_cli.main", "typer"} <= loaded
    assert not loaded & {"pydantic", "sqlite3", "ruamel.yaml", "rich.console", "tallystick_adapters.registry"}


def test_every_command_has_an_example_in_its_help() -> None:
    groups = [app, *(group.typer_instance for group in app.registered_groups if group.typer_instance)]
    for command in [command for group in groups for command in group.registered_commands]:
        assert str(command.epilog).startswith("Example: tally "), command.callback
        assert command.callback is not None
        assert command.callback.__doc__

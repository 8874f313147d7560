"""A board after a merge, on a disk that resists, and with more in it than we know (BC-036, BC-038, BC-042)."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tallystick_adapters.support import files
from tallystick_contract.adapter import Key
from tests.cases.team import Team

GRAFT = "<<<<<<< HEAD\n%s=======\n%s>>>>>>> other\n"


def _graft_twice(team: Team) -> list[int]:
    """Leave the markers of a merge in two places; returns their lines."""
    for number in (2, 9):
        line = f'      "title": "Task {number}"\n'
        team.edit(team.board, line, GRAFT % (line, line.replace("Task", "Work")))
    text = team.board.read_text()
    return [at for at, line in enumerate(text.splitlines(), start=1) if re.match("<<<<<<<|=======|>>>>>>>", line)]


def test_bc_036_merge_markers_are_named_with_their_lines_and_the_board_is_left_alone(team: Team) -> None:
    good = team.texts()
    lines = _graft_twice(team)
    spoilt = team.board.read_bytes()
    assert "Task 2" in team.ok("task", "list")
    team.ok("task", "set", "T-3", "priority=p1")
    (problem,) = team.sync(code=4)["problems"]
    assert f"lines {', '.join(map(str, lines))}" in problem["what"]
    assert team.board.read_bytes() == spoilt
    assert team.shown("T-3", "priority", "db", "vault") == ["p1"] * 2
    team.check_rest(code=4)
    team.board.write_bytes(good["board/tasks.json"])
    team.sync()
    assert team.shown("T-3", "priority") == ["p1"] * 3
    team.check_rest()


@pytest.mark.parametrize("second", [{"title": "Another title"}, {"updated_at": "2026-05-02T00:00:00Z"}])
def test_bc_036_an_id_that_is_there_twice_is_named_and_neither_is_dropped_or_pushed(team: Team, second: Any) -> None:
    board = json.loads(team.board.read_text())
    twin = next(item for item in board["tasks"] if item["id"] == "T-5")
    board["tasks"].append({**twin, **second})
    team.board.write_text(json.dumps(board, indent=2))
    team.ok("task", "set", "T-3", "priority=p1")
    report = team.sync(code=4)
    assert {item["id"] for item in report["quarantined"]} == {"T-5"}
    assert "this id is there twice (lines " in report["quarantined"][0]["reason"]
    assert [item["id"] for item in json.loads(team.board.read_text())["tasks"]].count("T-5") == 2
    assert team.shown("T-5", "title", "db", "vault") == ["Task 5", "Task 5"]
    assert team.shown("T-3", "priority") == ["p1"] * 3, "the healthy task waits for nothing"
    team.check_rest(code=4)


def test_bc_036_a_member_that_is_there_twice_is_refused_with_its_lines(team: Team) -> None:
    team.edit(team.board, '"title": "Task 5"', '"status": "completed",\n      "title": "Task 5"')
    lines = team.board.read_text().splitlines()
    at = lines.index('      "status": "completed",') + 1
    (problem,) = team.sync(code=4)["problems"]
    assert f"'status' is there twice in one record (lines {at - 1}, {at})" in problem["what"]
    assert team.shown("T-5", "status", "db", "vault") == [None, None]
    team.check_rest(code=4)


def test_bc_036_a_gate_that_is_there_twice_stays_as_it_was(team: Team) -> None:
    team.edit_task("board", "T-5", decisionGate={"requiresOperatorApproval": True})
    team.sync()
    line = "requiresOperatorApproval: true\n"
    team.edit(team.note("T-5"), line, line + line.replace("true", "false"))
    (unreadable,) = team.sync(code=4)["quarantined"]
    assert re.search(r"requiresOperatorApproval.*lines \d+ and \d+", unreadable["reason"])
    assert team.shown("T-5", "decisionGate", "board", "db") == [{"requiresOperatorApproval": True}] * 2
    team.check_rest(code=4)


def test_bc_036_lines_doubled_by_a_union_merge_are_there_once(team: Team) -> None:
    note = {"taskId": "T-1", "kind": "note", "atIso": "2026-05-01T10:00:00Z", "actor": {"type": "agent", "id": "bo"}}
    team.places["vault"].plant(Key("event", "N-1"), {**note, "payload": {"text": "once"}})
    team.edit_task("board", "T-12", archived=True)
    team.sync()
    for path, found in ((team.note("T-1"), '"N-1"'), (next(team.board.parent.glob("archive/*.jsonl")), '"T-12"')):
        (line,) = [line for line in path.read_text().splitlines() if found in line]
        path.write_text(path.read_text().replace(line, f"{line}\n{line}"))
    assert team.sync()["writes"] == 0
    assert [key.id for key, _ in team.places["db"].peek()].count("N-1") == 1
    team.check_rest()


@pytest.fixture
def linked(team: Team) -> Team:
    """Return the project with its board's file elsewhere, behind a link, and a leftover of last week beside it."""
    shared = team.folder.parent / "shared.json"
    team.board.replace(shared)
    shared.chmod(0o640)
    team.board.symlink_to(shared)
    (shared.parent / f"{files.TEMPORARY_PREFIX}last-week").write_text('{"tasks": [')
    (team.board.parent / f"{files.TEMPORARY_PREFIX}last-week").write_text('{"tasks": [')
    assert team.sync()["writes"] == 0
    return team


class Resisting:
    """A disk on which a file cannot be replaced while somebody else holds it open, so many times."""

    def __init__(self, times: int) -> None:
        self.left = times
        self._replace = os.replace

    def replace(self, name: str, target: Path) -> None:
        """Refuse, or do it."""
        if Path(target).name == "shared.json" and self.left:
            self.left -= 1
            raise PermissionError(13, "Permission denied", name)
        self._replace(name, target)


@pytest.mark.parametrize(("times", "done"), [(3, True), (1000, False)])
def test_bc_038_a_file_that_is_held_open_is_tried_again_and_then_named(
    linked: Team, monkeypatch: pytest.MonkeyPatch, times: int, *, done: bool
) -> None:
    before = linked.board.read_bytes()
    linked.edit_task("vault", "T-1", owner="ana")
    disk = Resisting(times)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", disk.replace)
        report = linked.sync(code=0 if done else 4)
    if not done:
        assert times - disk.left < 10, "it gives up in the end"
        assert "tasks.json" in report["problems"][0]["where"]
        assert "Permission denied" in report["problems"][0]["what"]
        assert linked.board.read_bytes() == before
        linked.sync()
    assert linked.shown("T-1", "owner") == ["ana"] * 3
    assert linked.board.is_symlink()
    assert linked.board.stat().st_mode & 0o777 == 0o640
    leftovers = [path.name for path in linked.folder.parent.rglob(f"{files.TEMPORARY_PREFIX}*")]
    assert leftovers == [f"{files.TEMPORARY_PREFIX}last-week"] * 2
    linked.check_rest()


FOREIGN = """\
{
  "zone": {"b": 1.0, "a": [1e3, {"deep": true}]},
%s  "tasks": [
    {"zeal": 1e3, "id": "T-1", "status": "planned", "nested": {"y": 1.0, "x": null}, "title": "Known", "aim": [1.0]},
    {"id": "T-2", "title": "Another", "status": "planned"}
  ],
  "after": {"kept": "\\u00e9"}
}
"""


@pytest.fixture
def foreign(request: pytest.FixtureRequest, tmp_path: Path) -> Team:
    """Return a project whose board says more than we know; the parameter is the line with its version."""
    (tmp_path / "harbour" / "board").mkdir(parents=True)
    (tmp_path / "harbour" / "board" / "tasks.json").write_text(FOREIGN % request.param)
    return Team.found(tmp_path / "harbour", {})


WRITABLE = ['  "schema_version": 1,\n', "", '  "schema_version": "1",\n']
NEWER = ['  "schema_version": 9,\n', '  "schema_version": "3",\n']


def _look(team: Team) -> None:
    """Give every command that changes nothing; nothing may change."""
    before = team.everything()
    for command in (["plan"], ["status"], ["task", "list"], ["task", "show", "T-1"], ["check"], ["doctor"], ["log"]):
        team.ok(*command)
    assert team.everything() == before


@pytest.mark.parametrize("foreign", WRITABLE, indirect=True)
def test_bc_042_an_update_changes_the_status_and_no_other_byte(foreign: Team) -> None:
    _look(foreign)
    text = foreign.board.read_text()
    foreign.edit_task("vault", "T-1", status="in-progress")
    foreign.sync()
    assert foreign.board.read_text() == text.replace('"planned", "nested"', '"in-progress", "nested"')
    foreign.check_rest()


@pytest.mark.parametrize("foreign", NEWER, indirect=True)
def test_bc_042_a_newer_board_is_read_and_not_written_and_says_so(foreign: Team) -> None:
    _look(foreign)
    text = foreign.board.read_text()
    assert foreign.shown("T-1", "title") == ["Known"] * 3
    foreign.edit_task("vault", "T-1", status="in-progress")
    (problem,) = foreign.sync(code=4)["problems"]
    assert "schema_version" in problem["what"]
    assert re.search("9|3", problem["what"])
    assert foreign.board.read_text() == text
    assert foreign.shown("T-1", "status") == [None, "in-progress", "in-progress"]
    foreign.check_rest(code=4)


def test_bc_042_what_a_note_says_beyond_us_stays_where_and_as_it_is(team: Team) -> None:
    note = team.note("T-1")
    team.edit(note, "status: planned\n", "approval: {origin: {app: x}, state: awaiting}\nstatus: planned\n")
    note.write_text(note.read_text() + "\n**Owner:** x\n")
    team.sync()
    _look(team)
    text = note.read_text()
    team.edit_task("board", "T-1", status="in-progress")
    team.sync()
    before, journal, _ = note.read_text().partition("\n<!-- tally:begin journal -->\n")
    assert before == text.replace("status: planned", "status: in-progress")
    assert journal, "the move left its event"
    team.check_rest()

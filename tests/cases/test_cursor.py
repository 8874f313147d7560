"""How far a run got, and what time it was (BC-012, BC-014)."""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cases.team import Team, tasks


@pytest.fixture
def fifty(tmp_path: Path) -> Team:
    """Return a project of fifty tasks, whose board has since given each but the last an owner."""
    team = Team.found(tmp_path / "harbour", tasks(50))
    board = json.loads(team.board.read_text())
    for item in board["tasks"][:-1]:
        item["owner"] = "ana"
    team.board.write_text(json.dumps(board, indent=2))
    return team


def _owners(team: Team, spoke: str) -> int:
    return sum(doc.get("owner") == "ana" for _, doc in team.places[spoke].peek())


def test_bc_012_a_note_that_cannot_be_read_is_named_each_run_and_caught_up_with_later(fifty: Team) -> None:
    note = fifty.note("T-31")
    good = note.read_bytes()
    note.write_text("---\nid: T-31\nstatus: [\n---\n")
    for _ in range(2):
        (unreadable,) = fifty.sync(code=4)["quarantined"]
        assert (unreadable["id"], unreadable["spoke"]) == ("T-31", "vault")
    assert _owners(fifty, "db") == 49
    fifty.edit_task("board", "T-50", owner="ana")
    fifty.sync(code=4)
    assert _owners(fifty, "db") == 50
    fifty.check_rest(code=4)
    note.write_bytes(good)
    fifty.sync()
    assert [_owners(fifty, spoke) for spoke in fifty.places] == [50, 50, 50]
    fifty.check_rest()


def test_bc_012_a_spoke_that_failed_as_a_whole_is_caught_up_with_later(fifty: Team) -> None:
    fifty.edit(fifty.config, 'path = "db/team.db"\n', 'path = "db/team.db"\ntimeout = 0.05\n')
    with sqlite3.connect(fifty.database, autocommit=True) as holder:
        holder.execute("BEGIN IMMEDIATE")
        (problem,) = fifty.sync(code=4)["problems"]
        holder.execute("ROLLBACK")
    holder.close()
    assert "is locked by another program" in problem["what"]
    assert [_owners(fifty, spoke) for spoke in fifty.places] == [49, 0, 49]
    fifty.sync()
    assert [_owners(fifty, spoke) for spoke in fifty.places] == [49, 49, 49]
    fifty.check_rest()


def test_bc_014_the_later_edit_by_some_clock_does_not_win(team: Team) -> None:
    team.edit_task("vault", "T-1", title="Really later, on a slow clock")
    os.utime(team.note("T-1"), (0, 0))
    team.edit_task("board", "T-1", title="Earlier", extensions={"updated_at": "2031-01-01T00:00:00Z"})
    (question,) = team.sync()["conflicts"]
    assert question["field"] == "title"
    assert team.shown("T-1", "title") == ["Earlier", "Task 1", "Really later, on a slow clock"]
    team.check_rest()


def test_bc_014_a_date_in_the_future_holds_no_edit_up(team: Team) -> None:
    team.edit_task("board", "T-1", extensions={"updated_at": "2031-01-01T00:00:00Z"})
    team.sync()
    team.edit_task("vault", "T-1", title="An ordinary edit")
    team.sync()
    assert team.shown("T-1", "title") == ["An ordinary edit"] * 3
    team.check_rest()


def test_bc_014_new_times_of_the_same_content_write_nothing(team: Team) -> None:
    team.check_out(team.texts())
    for path in (team.folder / "vault").iterdir():
        os.utime(path, ns=(4_000_000_000_000_000_000, 4_000_000_000_000_000_000))
    assert team.sync()["writes"] == 0
    team.check_rest()


def test_bc_014_a_real_edit_after_a_checkout_is_taken(team: Team) -> None:
    team.edit_task("board", "T-2", title="From here")
    team.sync()
    shutil.copyfile(team.note("T-1"), team.folder / "copied")
    (team.folder / "copied").replace(team.note("T-1"))
    edited = team.note("T-2").read_text().replace("From here", "From there")
    team.check_out({**team.texts(), "vault/T-2.md": edited.encode()})
    team.sync()
    assert team.shown("T-2", "title") == ["From there"] * 3
    team.check_rest()

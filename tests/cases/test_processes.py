"""Several processes on one project, at once (BC-034)."""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tallystick_adapters.support import files
from tests.cases.team import Team
from tests.e2e.project import Said

ROUNDS = 10
PATIENCE = 60
"""Seconds after which a child that never came makes the test fail instead of hang."""
SPAWN = multiprocessing.get_context("spawn")


def _insist(team: Team, *arguments: str) -> Said:
    """Give a command until it gets its turn; each time it does not, it says so and has done nothing."""
    while (said := team.tally(*arguments)).code == 3:
        assert "another run is at work on this project" in said.err
    return said


def _edit_by_command(team: Team) -> None:
    for number in range(ROUNDS):
        said = _insist(team, "event", "add", "T-1", "--kind", "note", "--text", f"event {number}")
        assert said.code == 0, said
        assert _insist(team, "task", "add", f"by command {number}").code == 0


def _edit_the_file(team: Team) -> None:
    """Add lines to T-1's notes as another tool does that takes the folder's lock."""
    for number in range(ROUNDS):
        with files.locked(team.board.parent):
            before = team.board.read_bytes()
            board = json.loads(before)
            board["tasks"][0].setdefault("notes", []).append(f"line {number}")
            files.replace(team.board, json.dumps(board, indent=2).encode(), before)


def _sync(team: Team) -> None:
    for _ in range(ROUNDS):
        said = _insist(team, "sync")
        assert said.code == 0 or "kept changing while it was written" in said.out, said


def _read(team: Team) -> None:
    for _ in range(ROUNDS * 5):
        assert len(json.loads(team.board.read_bytes())["tasks"]) >= 12
        assert team.tally("task", "list").code == 0


def _work(role: Callable[[Team], None], folder: Path, start: Barrier) -> None:
    start.wait(PATIENCE)
    role(Team(folder))


def test_bc_034_what_was_reported_as_done_is_there_and_readers_see_whole_files(team: Team, tmp_path: Path) -> None:
    beside = Team(tmp_path / "beside")
    (beside.folder / "db").mkdir(parents=True)
    beside.config.write_text(team.config.read_text().replace('"board"', f'"{team.board.parent}"'))
    roles = [
        (_edit_by_command, team), (_edit_the_file, team), (_sync, team), (_read, team), (_sync, beside),
    ]  # fmt: skip
    start = SPAWN.Barrier(len(roles))
    workers = [SPAWN.Process(target=_work, args=(role, where.folder, start), daemon=True) for role, where in roles]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * len(roles)
    for one in (team, beside, team):
        assert one.sync()["conflicts"] == []
    board = json.loads(team.board.read_text())["tasks"]
    assert board[0]["notes"] == [f"line {number}" for number in range(ROUNDS)]
    titles = [item["title"] for item in board[12:]]
    assert sorted(titles) == sorted(f"by command {number}" for number in range(ROUNDS))
    events = [doc["payload"]["text"] for key, doc in team.places["db"].peek() if key.kind == "event"]
    assert sorted(events) == sorted(f"event {number}" for number in range(ROUNDS))
    team.check_rest()
    beside.check_rest()


def _hold(folder: Path, held: Barrier) -> None:
    """Hold the project's lock until the process is killed."""
    from tallystick_sync.ledger import Ledger  # noqa: PLC0415 -- only the child needs it

    team = Team(folder)
    with Ledger.open(team.ledger).locked():
        held.wait(PATIENCE)
        signal.pause()


@pytest.mark.parametrize("pid", ["dead", "another program's"])
def test_bc_034_a_lock_ends_with_its_process_and_a_live_one_is_respected(team: Team, pid: str) -> None:
    team.edit_task("vault", "T-1", owner="ana")
    held = SPAWN.Barrier(2)
    holder = SPAWN.Process(target=_hold, args=(team.folder, held), daemon=True)
    holder.start()
    held.wait(PATIENCE)
    said = team.tally("sync")
    assert said.code == 3
    assert "another run is at work on this project" in said.err
    holder.kill()
    holder.join()
    lock = team.ledger.with_name("ledger.db.lock")
    assert lock.exists(), "what a killed process leaves"
    lock.write_text(f"{holder.pid if pid == 'dead' else os.getppid()}\n")
    team.sync()
    assert team.shown("T-1", "owner") == ["ana"] * 3
    team.check_rest()

"""Databases on disks they must not be on, copied without their log, cut off, and locked (BC-039, BC-040)."""

import shutil
import sqlite3

import pytest

from tallystick_adapters.sqlite import mounts
from tallystick_adapters.sqlite.adapter import Sqlite
from tests.cases.team import Team


@pytest.mark.parametrize("disk", ["nfs", "cifs", "9p", "fuse.sshfs"])
def test_bc_040_a_network_disk_is_refused_with_advice_and_the_other_spokes_go_on(
    team: Team, monkeypatch: pytest.MonkeyPatch, disk: str
) -> None:
    before = team.database.read_bytes()
    team.edit_task("vault", "T-1", owner="ana")
    with monkeypatch.context() as patch:
        patch.setattr(Sqlite.__init__, "__defaults__", (lambda _path: disk,))
        checked = {item["name"]: item for item in team.data("check", code=4)["spokes"]}
        assert not checked["db"]["ready"]
        assert "network file system" in " ".join(checked["db"]["messages"])
        (problem,) = team.sync(code=4)["problems"]
        assert "network file system" in problem["what"]
        assert "local disk" in problem["todo"]
    assert team.database.read_bytes() == before
    assert team.shown("T-1", "owner") == ["ana", None, "ana"]
    team.sync()
    team.check_rest()


def test_bc_040_an_unknown_disk_is_used_with_a_warning(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sqlite.__init__, "__defaults__", (lambda _path: mounts.UNKNOWN,))
    checked = {item["name"]: item for item in team.data("check")["spokes"]}
    assert "local disk" in " ".join(checked["db"]["messages"])
    team.check_rest()


@pytest.mark.parametrize("part", [0.5, 0.9])
@pytest.mark.parametrize("which", ["database", "ledger"])
def test_bc_040_a_file_cut_off_is_damage_and_nothing_is_concluded_from_it(team: Team, which: str, part: float) -> None:
    path = {"database": team.database, "ledger": team.ledger}[which]
    good = path.read_bytes()
    path.write_bytes(good[: int(len(good) * part)])
    cut, others = path.read_bytes(), team.texts()
    said = team.tally("sync")
    assert said.code == 4
    assert path.name in said.out + said.err
    assert team.texts() == others
    assert path.read_bytes() == cut
    path.write_bytes(good)
    assert team.sync()["writes"] == 0
    team.check_rest()


def test_bc_040_a_ledger_copied_without_its_log_stops_before_any_write(team: Team) -> None:
    with sqlite3.connect(team.ledger, autocommit=True) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchone()
        shutil.copy(team.ledger, team.folder.parent / "copy.db")
        team.edit_task("vault", "T-1", owner="ana")
        team.sync()
    reader.close()
    for path in team.ledger.parent.glob("ledger.db-*"):
        path.unlink()
    shutil.move(team.folder.parent / "copy.db", team.ledger)
    before = team.files()
    assert team.data("sync", code=3)["guard"]["code"] == "rolled-back"
    assert team.files() == before
    team.ok("adopt")
    assert team.shown("T-1", "owner") == ["ana"] * 3
    team.check_rest()


def test_bc_039_a_ledger_that_is_locked_is_waited_for_and_then_named(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tallystick_sync.ledger.store.BUSY_SECONDS", 0.05)
    team.edit_task("vault", "T-1", owner="ana")
    before = team.texts()
    with sqlite3.connect(team.ledger, autocommit=True) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        for command in (["sync"], ["task", "set", "T-2", "owner=bo"]):
            said = team.tally(*command)
            assert said.code in {3, 4}, said
            assert "locked" in said.err
            assert "move it away" not in said.err, "a ledger in use is not a damaged one"
        holder.execute("ROLLBACK")
    holder.close()
    assert team.texts() == before
    team.sync()
    assert team.shown("T-1", "owner") == ["ana"] * 3
    team.check_rest()

"""The ledger's file: what the disk and other programs do to it is named, and never taken for damage."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from tallystick_contract.errors import Broken
from tallystick_sync.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with closing(Ledger.open(tmp_path / "ledger.db")) as opened:
        yield opened


def test_of_two_first_runs_at_once_one_was_told_to_move_the_ledger_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole, rivals = tmp_path / "ledger.db", Ledger.transaction, []

    def overtaken(ledger: Ledger) -> AbstractContextManager[sqlite3.Connection]:
        monkeypatch.setattr(Ledger, "transaction", whole)
        rivals.append(Ledger.open(path))
        return whole(ledger)

    monkeypatch.setattr(Ledger, "transaction", overtaken)
    with closing(Ledger.open(path)) as late, closing(rivals[0]) as rival:
        assert late.meta("ledger") == rival.meta("ledger") != ""


def test_a_full_disk_came_out_as_a_rollback_that_could_not_be(ledger: Ledger) -> None:
    ledger.db.execute("PRAGMA max_page_count = 1")  # never fewer than there are
    with pytest.raises(Broken, match="database or disk is full"), ledger.transaction() as db:
        db.execute("INSERT INTO meta VALUES ('x', ?)", ("x" * 100_000,))
    assert ledger.meta("x") == ""
    with ledger.transaction() as db:
        db.execute("DELETE FROM meta WHERE name = 'x'")


def test_a_ledger_that_cannot_be_opened_or_is_locked_was_a_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(Broken, match="unable to open"):
        Ledger.open(tmp_path / "folder.db")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Broken, match="Not a directory"):
        Ledger.open(tmp_path / "file" / "below" / "ledger.db")
    monkeypatch.setattr("tallystick_sync.ledger.store.BUSY_SECONDS", 0)
    with (
        closing(Ledger.open(tmp_path / "ledger.db")) as one, closing(Ledger.open(tmp_path / "ledger.db")) as other,
        one.transaction(), pytest.raises(Broken, match="locked"), other.transaction(),
    ):  # fmt: skip
        pass


def test_a_wrong_query_is_no_trouble_of_the_disk(ledger: Ledger) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), ledger.transaction() as db:
        db.execute("SELECT * FROM no_such_table")


def test_a_newer_ledger_is_left_as_it_is(ledger: Ledger) -> None:
    ledger.db.execute("PRAGMA user_version = 99")
    with pytest.raises(Broken, match="schema is 99"):
        Ledger.open(ledger.path)


def test_git_is_told_in_a_folder_of_the_ledgers_own_and_nowhere_else(tmp_path: Path) -> None:
    Ledger.open(tmp_path / "ledger.db").close()
    assert not (tmp_path / ".gitignore").exists()
    path = tmp_path / ".tallystick" / "ledger.db"
    Ledger.open(path).close()
    ignore = path.with_name(".gitignore")
    assert ignore.read_text() == "ledger.db*\n"
    ignore.write_text("mine\n")
    Ledger.open(path).close()
    assert ignore.read_text() == "mine\n"

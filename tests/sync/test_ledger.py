"""The ledger's file in a world of other programs and full disks: what is said, and that nothing is half done."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tallystick_contract.errors import Broken
from tallystick_sync.ledger import Ledger, store


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    return Ledger.open(tmp_path / "ledger.db")


def test_a_ledger_that_another_program_held_was_called_a_bug(ledger: Ledger) -> None:
    with closing(ledger), closing(sqlite3.connect(ledger.path, autocommit=True)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(Broken, match="cannot be written: database is locked") as caught:
            ledger.start_run("sync", "2026-05-01T10:00:00Z")
        assert "wait" in caught.value.todo
        with pytest.raises(Broken, match="cannot be written: database is locked"), ledger.transaction():
            pytest.fail("there is no transaction")
        holder.execute("ROLLBACK")
        assert ledger.start_run("sync", "2026-05-01T10:00:00Z") == 1


def test_a_full_disk_was_called_a_bug_and_nothing_is_half_written(ledger: Ledger) -> None:
    with closing(ledger):
        pages = ledger.db.execute("PRAGMA page_count").fetchone()[0]
        ledger.db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(Broken, match="cannot be written: database or disk is full") as caught:
            _fill(ledger)
        assert "disk" in caught.value.todo
        assert ledger.db.execute("SELECT count(*) FROM meta WHERE name LIKE 'big%'").fetchone() == (0,)
        ledger.db.execute("PRAGMA max_page_count = 100000")
        _fill(ledger)


def _fill(ledger: Ledger) -> None:
    with ledger.transaction() as db:
        db.executemany("INSERT INTO meta VALUES (?, ?)", [(f"big {number}", "x" * 5000) for number in range(20)])


def test_a_mistake_of_ours_stays_a_bug(ledger: Ledger) -> None:
    with closing(ledger), pytest.raises(sqlite3.OperationalError, match="no such table"), ledger.transaction() as db:
        db.execute("SELECT * FROM nowhere")


def test_many_makers_of_one_ledger_called_it_damaged(tmp_path: Path) -> None:
    start = threading.Barrier(8)

    def make(path: Path) -> str:
        start.wait()
        with closing(Ledger.open(path)) as made:
            return made.meta("ledger")

    with ThreadPoolExecutor(8) as makers:
        for attempt in range(5):
            assert len(set(makers.map(make, [tmp_path / f"{attempt}.db"] * 8))) == 1

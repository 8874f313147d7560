"""The file: locks, disks, damage, strangers and migrations (BC-039, BC-040)."""

import multiprocessing
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tallystick_adapters.sqlite import mounts
from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_adapters.sqlite.store import Migration, Store, packaged_migrations
from tallystick_contract.errors import Broken
from tests.adapters.sqlite.spoke import create, opened, sql, update, written


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with a database of 200 tasks."""
    spoke = opened(tmp_path)
    spoke.push([create(f"T-{number}", {"title": "t", "description": "d" * 300}) for number in range(200)])
    spoke.close()
    yield tmp_path
    assert not list(tmp_path.glob(".tally-*")), "a draft was left behind"


def _upsert(folder: str, worker: int) -> None:
    spoke = opened(Path(folder), timeout=60)
    for number in range(50):
        shown = written(spoke.push([create(f"T-{worker}-{number}", {"title": "t"})])[0])
        written(spoke.push([update(shown, title="u")])[0])


def test_bc_039_eight_writers_and_a_long_reader_do_not_disturb_each_other(tmp_path: Path) -> None:
    """BC-039: 800 writes of eight processes, a ninth holding a read open from first to last."""
    opened(tmp_path).push([create("first", {"title": "t"})])
    reader = sqlite3.connect(tmp_path / "tasks.db", autocommit=True)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_upsert, args=(str(tmp_path), worker)) for worker in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 8
    assert reader.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
    reader.close()
    assert sql(tmp_path, "SELECT count(*), sum(title = 'u') FROM tasks") == [(401, 400)]
    assert sql(tmp_path, "SELECT count(*) FROM journal") == [(801,)]
    assert opened(tmp_path).replay() == []


def test_many_makers_of_one_database_make_one(tmp_path: Path) -> None:
    spokes = [opened(tmp_path, timeout=30) for _ in range(8)]
    threads = [
        threading.Thread(target=spoke.push, args=([create(f"T-{number}", {"title": "t"})],))
        for number, spoke in enumerate(spokes)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert spokes[0].pull({}).total == 8
    for spoke in spokes:
        spoke.close()
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.db"]


def test_bc_039_a_held_lock_is_waited_for_and_then_named(filled: Path) -> None:
    holder = sqlite3.connect(filled / "tasks.db", autocommit=True)
    holder.execute("BEGIN IMMEDIATE")
    spoke = opened(filled, timeout=0.05)
    assert spoke.pull({}).total == 200
    with pytest.raises(Broken, match=r"is locked by another program \(waited 0.05 s\)"):
        spoke.push([create("T-x", {"title": "t"}), create("T-y", {"title": "t"})])
    holder.execute("ROLLBACK")
    assert spoke.pull({}).total == 200
    assert len(spoke.push([create("T-x", {"title": "t"})])) == 1
    holder.close()


def test_bc_039_a_read_before_a_rivals_write_does_not_lock_the_next_write_out(filled: Path) -> None:
    spoke, rival = opened(filled), opened(filled)
    spoke.pull({})
    rival.push([create("T-x", {"title": "t"})])
    written(spoke.push([create("T-y", {"title": "t"})])[0])


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse", "fuse.sshfs"])
def test_bc_040_a_network_file_system_is_refused(filled: Path, kind: str) -> None:
    spoke = opened(filled, disk=kind)
    with pytest.raises(Broken, match="network file system") as caught:
        spoke.pull({})
    assert "local disk" in caught.value.todo
    with pytest.raises(Broken, match="network file system"):
        spoke.push([create("T-x", {"title": "t"})])
    assert not spoke.check().ready


def test_bc_040_an_unknown_file_system_is_allowed_with_a_warning(filled: Path) -> None:
    spoke = opened(filled, disk=mounts.UNKNOWN)
    health = spoke.check()
    assert health.ready
    assert "local disk" in " ".join(health.messages)
    assert spoke.pull({}).total == 200


def test_the_probe_takes_the_longest_mount_point(tmp_path: Path) -> None:
    listed = tmp_path / "mounts"
    lines = ["c /net/my\\040disk xfs", "d /net/my\\040disk 9p", "b /net nfs", "a / ext4"]
    listed.write_text("".join(f"{line} rw 0 0\n" for line in lines))
    assert mounts.filesystem(Path("/network"), listed) == "ext4"
    assert mounts.filesystem(Path("/net"), listed) == "nfs"
    assert mounts.filesystem(Path("/net/x"), listed) == "nfs"
    assert mounts.filesystem(Path("/net/my disk/x"), listed) == "9p"
    assert mounts.filesystem(Path("/"), tmp_path / "none") == mounts.UNKNOWN
    assert not mounts.across_network("fuseblk")


def test_bc_040_a_database_that_keeps_no_log_is_used_and_named(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql(filled, "PRAGMA journal_mode = DELETE")
    spoke = opened(filled)
    assert "mode delete" in " ".join(spoke.check().messages)
    monkeypatch.setattr(Store, "journal_mode", lambda _, db: db.execute("PRAGMA journal_mode").fetchone()[0])
    written(spoke.push([create("T-x", {"title": "t"})])[0])
    assert spoke.pull({}).total == 201
    assert sql(filled, "PRAGMA journal_mode") == [("delete",)]


def test_a_new_database_keeps_a_log(filled: Path) -> None:
    assert sql(filled, "PRAGMA journal_mode") == [("wal",)]
    assert list(opened(filled).check().messages) == []


@pytest.mark.parametrize("part", [0.5, 0.9, 0.01])
def test_bc_040_a_cut_file_is_damaged_not_empty(filled: Path, part: float) -> None:
    path = filled / "tasks.db"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])
    before = path.read_bytes()
    with pytest.raises(Broken, match="damaged"):
        opened(filled).pull({})
    with pytest.raises(Broken, match="damaged"):
        opened(filled).push([create("T-x", {"title": "t"})])
    assert not opened(filled).check().ready
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database, just text of some length\n" * 100])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tasks.db").write_bytes(content)
    with pytest.raises(Broken):
        opened(tmp_path).push([create("T-1", {"title": "t"})])
    assert (tmp_path / "tasks.db").read_bytes() == content


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE tasks (id)", "CREATE TABLE meta (a)", "CREATE TABLE meta (key, value)"]
)
def test_a_strangers_database_is_left_alone(tmp_path: Path, statement: str) -> None:
    sql(tmp_path, statement)
    before = (tmp_path / "tasks.db").read_bytes()
    with pytest.raises(Broken, match="not a Tallystick database"):
        opened(tmp_path).pull({})
    with pytest.raises(Broken, match="not a Tallystick database"):
        opened(tmp_path).push([create("T-1", {"title": "t"})])
    assert (tmp_path / "tasks.db").read_bytes() == before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    spoke = Sqlite("db", {"path": "no/tasks.db"}, str(tmp_path), probe=lambda _: "ext4")
    with pytest.raises(Broken, match="folder does not exist"):
        spoke.push([create("T-1", {"title": "t"})])
    assert not spoke.check().ready


def test_a_newer_schema_is_left_alone(filled: Path) -> None:
    sql(filled, "UPDATE meta SET value = '9' WHERE key = 'schema_version'")
    before = (filled / "tasks.db").read_bytes()
    with pytest.raises(Broken, match="has schema 9, this version knows up to 1"):
        opened(filled).pull({})
    assert not opened(filled).check().ready
    assert (filled / "tasks.db").read_bytes() == before


def test_a_trigger_taken_away_is_noticed(filled: Path) -> None:
    sql(filled, "DROP TRIGGER tally_tasks_changed")
    with pytest.raises(Broken, match="triggers were taken away"):
        opened(filled).pull({})
    assert not opened(filled).check().ready


def test_columns_and_tables_of_others_are_left_alone(filled: Path) -> None:
    sql(filled, "ALTER TABLE tasks ADD COLUMN mood TEXT DEFAULT 'good'", "CREATE TABLE theirs (x)")
    spoke = opened(filled)
    shown = {item.key.id: item for item in spoke.pull({}).observed}["T-1"]
    written(spoke.push([update(shown, title="new")])[0])
    assert sql(filled, "SELECT title, mood FROM tasks WHERE id = 'T-1'") == [("new", "good")]


SECOND = Migration(2, "ALTER TABLE tasks ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'; CREATE TABLE more (x);")


def test_bc_040_a_migration_keeps_a_whole_copy_and_every_row(filled: Path) -> None:
    writer = opened(filled)
    writer.push([create("T-log", {"title": "still in the log"})])
    store = Store(filled / "tasks.db", 5, lambda _: "ext4", [*packaged_migrations(), SECOND])
    assert store.look() == ["has schema 1: the next run copies it, then migrates it"]
    with store.reading() as db:
        assert db is not None
        assert db.execute("SELECT count(*), min(mood) FROM tasks").fetchone() == (201, "good")
    assert store.look() == []
    store.close()
    writer.close()
    copy = sqlite3.connect(filled / "tasks.db.schema-1.backup")
    assert copy.execute("SELECT count(*) FROM tasks").fetchone() == (201,)
    copy.close()
    with pytest.raises(Broken, match="has schema 2"):
        opened(filled).pull({})


def test_a_failing_migration_changes_nothing(filled: Path) -> None:
    broken = Migration(2, SECOND.script + "CREATE TABLE tasks (x);")
    store = Store(filled / "tasks.db", 5, lambda _: "ext4", [*packaged_migrations(), broken])
    with pytest.raises(Broken, match="already exists"), store.reading():
        pass
    assert opened(filled).pull({}).total == 200
    assert sql(filled, "SELECT name FROM sqlite_master WHERE name = 'more'") == []


def test_bc_040_a_copy_of_the_main_file_alone_is_an_older_state_not_a_mass_deletion(filled: Path) -> None:
    """BC-040: without its log a copy misses the newest rows; that is noticed by the journal's last entry."""
    spoke = opened(filled)
    spoke.pull({})
    copied = filled / "copied"
    copied.mkdir()
    spoke.push([create("T-new", {"title": "in the log"})])
    shutil.copy(filled / "tasks.db", copied / "tasks.db")
    other = opened(copied)
    pull = other.pull(spoke.state())
    assert [finding.code for finding in pull.findings] == ["history-replaced"]
    assert [key.id for key in pull.gone] == ["T-new"]
    assert len(pull.observed) == 200

"""The ledger's file: opening, migrating, locking, and noticing that it is not the one we left behind."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout
from ulid import ULID

from tallystick_contract.errors import Broken, Stopped

BUSY_SECONDS = 5.0

_HELD = "wait for the program that holds it to end, then run again"
_DISK = "see to its disk and its folder, then run again; nothing is lost"
_DAMAGED = "move it away and run tally sync: it is rebuilt from the spokes"
_ADVICE = {
    sqlite3.SQLITE_BUSY: _HELD, sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_FULL: _DISK, sqlite3.SQLITE_IOERR: _DISK, sqlite3.SQLITE_READONLY: _DISK,
    sqlite3.SQLITE_CANTOPEN: _DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED, sqlite3.SQLITE_NOTADB: _DAMAGED,
}  # fmt: skip
"""What befalls the file from outside, and what to do about it; every other error of SQLite is a bug of ours."""


@dataclass
class Ledger:
    """An open ledger. Reads need nothing; a run holds `locked` and writes inside `transaction`."""

    path: Path
    db: sqlite3.Connection

    @classmethod
    def open(cls, path: Path, *, durable: bool = False) -> Self:
        """Open the ledger, create or migrate it. Raises `Broken` for damage and newer schemas, changing nothing.

        `durable` makes every transaction survive a power cut, not only the death of the process.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        ignore = path.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text(f"{path.name}*\n", encoding="utf-8")
        with contextlib.ExitStack() as stack:
            stack.enter_context(_explained(path, "read"))
            db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, autocommit=True)
            stack.callback(db.close)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            _migrate(db, path)
            stack.pop_all()
        return cls(path, db)

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the project's lock, an operating-system file lock. Raises `Stopped` at once if somebody else has it."""
        lock = FileLock(f"{self.path}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise Stopped(
                "another run is at work on this project", where=str(self.path),
                todo="wait for it to end; the lock ends with its process", code="locked",
            ) from error  # fmt: skip
        try:
            yield
        finally:
            lock.release()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do all of the block or nothing of it. Raises `Broken` where the file cannot be written."""
        with _explained(self.path, "written"):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    def meta(self, name: str, default: str = "") -> str:
        """Return a setting of the ledger itself."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else default

    def start_run(self, command: str, now: str) -> int:
        """Open a run and return its number; numbers only grow."""
        with _explained(self.path, "written"):
            cursor = self.db.execute("INSERT INTO runs (command, started) VALUES (?, ?)", (command, now))
        return int(cursor.lastrowid or 0)

    def finish_run(self, run: int, now: str, report: dict[str, Any], *, moved: bool = True) -> None:
        """Close a run; one that moved anything puts its number into the head, outside the database."""
        with _explained(self.path, "written"):
            self.db.execute("UPDATE runs SET finished = ?, report = ? WHERE n = ?", (now, json.dumps(report), run))
        if moved:
            self._write_head(run)

    @property
    def head(self) -> Path:
        """Return the file beside the database that says how far the ledger had come."""
        return self.path.with_name(self.path.name + ".head")

    def _write_head(self, run: int) -> None:
        new = self.head.with_name(self.head.name + ".new")
        new.write_text(json.dumps({"ledger": self.meta("ledger"), "run": run}) + "\n", encoding="utf-8")
        new.replace(self.head)

    def last_run(self) -> int:
        """Return the number of the newest finished run, 0 before the first."""
        row = self.db.execute("SELECT max(n) FROM runs WHERE finished IS NOT NULL").fetchone()
        return int(row[0] or 0)

    def refuse_rolled_back(self) -> None:
        """Stop when the database is older than its own head, or another one. Raises `Stopped`."""
        try:
            head = json.loads(self.head.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except ValueError:
            head = {}
        last = self.last_run()
        if last == 0 and not self.db.execute("SELECT 1 FROM records LIMIT 1").fetchone():
            return  # a new ledger: the old one was lost, and adoption rebuilds it
        if head.get("ledger") == self.meta("ledger") and int(head.get("run", 0)) <= last:
            return
        raise Stopped(
            f"this ledger ends with run {last}, but its head says run {head.get('run', '?')} was the last",
            where=str(self.path), code="rolled-back",
            todo="it was restored from an older copy; tally adopt takes the spokes as they are now",
        )  # fmt: skip


@contextlib.contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        advice = _ADVICE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if advice is None:
            raise
        raise Broken(f"the ledger cannot be {what}: {error}", where=str(path), todo=advice) from error


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date, one numbered file after the other, with a copy of the old database beside it."""
    scripts = sorted(
        (
            entry
            for entry in resources.files(__package__).joinpath("migrations").iterdir()
            if entry.name.endswith(".sql")
        ),
        key=lambda entry: entry.name,
    )
    have = int(db.execute("PRAGMA user_version").fetchone()[0])
    if have > len(scripts):
        raise Broken(
            f"the ledger's schema is {have}, this version knows {len(scripts)}", where=str(path),
            todo="update tallystick; nothing was changed",
        )  # fmt: skip
    if 0 < have < len(scripts):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy2(path, path.with_name(f"{path.name}.schema-{have}.bak"))
    for number, script in enumerate(scripts[have:], start=have + 1):
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] < number:  # else another process was here first
            db.executescript(f"{script.read_text(encoding='utf-8')} PRAGMA user_version = {number};")
            db.execute("INSERT OR IGNORE INTO meta VALUES ('ledger', ?)", (str(ULID()),))
        db.execute("COMMIT")

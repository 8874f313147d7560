"""The ledger's file: opening, migrating, locking, and noticing that it is not the one we left behind."""

import contextlib
import functools
import json
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

OWN_FOLDER = ".tallystick"
"""A folder that holds nothing but the ledger and what goes with it: git is told there to leave the database alone."""


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
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            ignore = path.parent / ".gitignore"
            if path.parent.name == OWN_FOLDER and not ignore.exists():
                ignore.write_text(f"{path.name}*\n", encoding="utf-8")
            db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, autocommit=True)
            try:
                ledger = cls(path, db)
                db.execute("PRAGMA journal_mode = WAL")
                db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                ledger._migrate()
            except BaseException:
                db.close()
                raise
        return ledger

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
        """Do all of the block or nothing of it. Raises `Broken` when the disk or another program does not let us."""
        with _explained(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:  # a full disk ends the transaction by itself
                    self.db.execute("ROLLBACK")
                raise

    def meta(self, name: str, default: str = "") -> str:
        """Return a setting of the ledger itself."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return row[0] if row else default

    def start_run(self, command: str, now: str) -> int:
        """Open a run and return its number; numbers only grow."""
        with _explained(self.path):
            cursor = self.db.execute("INSERT INTO runs (command, started) VALUES (?, ?)", (command, now))
        return int(cursor.lastrowid or 0)

    def finish_run(self, run: int, now: str, report: dict[str, Any], *, moved: bool = True) -> None:
        """Close a run; one that moved anything puts its number into the head, outside the database."""
        with _explained(self.path):
            self.db.execute("UPDATE runs SET finished = ?, report = ? WHERE n = ?", (now, json.dumps(report), run))
            if moved:
                self._write_head(run)

    def _migrate(self) -> None:
        """Bring the schema up to date, one numbered file after the other, with a copy of the old database beside it."""
        scripts = _scripts()
        have = self._schema(len(scripts))
        if have == len(scripts):
            return
        if have > 0:
            with contextlib.closing(sqlite3.connect(f"{self.path}.schema-{have}.bak")) as copy:
                self.db.backup(copy)
        with self.transaction() as db:
            have = self._schema(len(scripts))  # a rival may have been first
            for number, script in enumerate(scripts[have:], start=have + 1):
                db.executescript(f"{script} PRAGMA user_version = {number};")
            if have == 0:
                db.execute("INSERT INTO meta VALUES ('ledger', ?)", (str(ULID()),))

    def _schema(self, known: int) -> int:
        have = int(self.db.execute("PRAGMA user_version").fetchone()[0])
        if have > known:
            raise Broken(
                f"the ledger's schema is {have}, this version knows {known}", where=str(self.path),
                todo="update tallystick; nothing was changed",
            )  # fmt: skip
        return have

    @property
    def head(self) -> Path:
        """Return the file beside the database that says how far the ledger had come."""
        return self.path.with_name(self.path.name + ".head")

    def _write_head(self, run: int) -> None:
        new = self.head.with_name(self.head.name + ".new")
        new.write_text(json.dumps({"ledger": self.meta("ledger"), "run": run}) + "\n", encoding="utf-8")
        new.replace(self.head)

    def _read_head(self) -> tuple[str, int]:
        """Return the ledger and the run the head names; no ledger's name and 0 where nobody can read it."""
        try:
            head = json.loads(self.head.read_text(encoding="utf-8"))
            return str(head["ledger"]), int(head["run"])
        except (ValueError, TypeError, KeyError):
            return "", 0

    def last_run(self) -> int:
        """Return the number of the newest finished run, 0 before the first."""
        row = self.db.execute("SELECT max(n) FROM runs WHERE finished IS NOT NULL").fetchone()
        return int(row[0] or 0)

    def refuse_rolled_back(self) -> None:
        """Stop when the database is older than its own head, or another one. Raises `Stopped`."""
        if not self.head.exists():
            return
        ledger, run = self._read_head()
        last = self.last_run()
        if last == 0 and not self.db.execute("SELECT 1 FROM records LIMIT 1").fetchone():
            return  # a new ledger: the old one was lost, and adoption rebuilds it
        if ledger == self.meta("ledger") and run <= last:
            return
        raise Stopped(
            f"this ledger ends with run {last}, but its head says run {run} was the last",
            where=str(self.path), code="rolled-back",
            todo="it was restored from an older copy; tally adopt takes the spokes as they are now",
        )  # fmt: skip


@functools.cache
def _scripts() -> list[str]:
    """Return the texts of the numbered migrations, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = (entry for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [entry.read_text(encoding="utf-8") for entry in sorted(files, key=lambda entry: entry.name)]


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say of the ledger's file what the disk, another program or damage does to it; a wrong query stays a bug."""
    try:
        yield
    except OSError as error:
        raise Broken(f"the ledger cannot be used: {error.strerror}", where=str(path)) from error
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise
        todo = "nothing of this step was kept; put that right and run again"
        raise Broken(f"the ledger cannot be used: {error}", where=str(path), todo=todo) from error
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        raise Broken(
            f"the ledger cannot be read: {error}", where=str(path),
            todo="move it away and run tally sync: it is rebuilt from the spokes",
        ) from error  # fmt: skip

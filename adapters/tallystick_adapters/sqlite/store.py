"""A Tallystick database file: made whole or not at all, recognised, migrated with a copy, and never taken for empty."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tallystick_adapters.sqlite.mounts import UNKNOWN, across_network, filesystem
from tallystick_adapters.support.files import TEMPORARY_PREFIX
from tallystick_contract.canonical import digest
from tallystick_contract.errors import Broken


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    script: str


def packaged_migrations() -> list[Migration]:
    """Return the numbered SQL files of this package, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return [Migration(int(name[:4]), folder.joinpath(name).read_text("utf-8")) for name in names]


@dataclass(slots=True)
class Store:
    """One database file and at most one connection to it.

    `timeout` is how many seconds a lock of another program is waited for; `probe` tells the type of a file system.
    """

    path: Path
    timeout: float
    probe: Callable[[Path], str] = filesystem
    migrations: Sequence[Migration] | None = None
    _db: sqlite3.Connection | None = None
    _identity: tuple[int, int] = (0, 0)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """Hold one snapshot of the database, or None where there is no file. Raises `Broken`."""
        with self._explained():
            db = self._opened()
            if db is None:
                yield None
                return
            with _transaction(db, "BEGIN"):
                yield db

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock; what was written is kept whole at the end, or nothing of it. Raises `Broken`."""
        with self._explained():
            db = self._opened() or self._created()
            self.journal_mode(db)
            with _transaction(db, "BEGIN IMMEDIATE"):
                yield db

    def journal_mode(self, db: sqlite3.Connection) -> str:
        """Ask for the write-ahead log and return what the database answers; readers and writers are safe either way."""
        return str(db.execute("PRAGMA journal_mode = WAL").fetchone()[0])

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _steps(self) -> Sequence[Migration]:
        if self.migrations is None:
            self.migrations = packaged_migrations()
        return self.migrations

    def _local(self) -> str:
        kind = self.probe(self.path.parent)
        if across_network(kind):
            raise Broken(
                f"lies on a network file system ({kind}), where SQLite databases get damaged", where=str(self.path),
                todo="move it to a local disk, and let each machine sync its own copy",
            )  # fmt: skip
        return kind

    def _opened(self) -> sqlite3.Connection | None:
        self._local()
        try:
            found = self.path.stat()
        except FileNotFoundError:
            if self._db is not None:
                raise self._moved() from None
            return None
        if self._db is not None:
            if (found.st_dev, found.st_ino) != self._identity:
                raise self._moved()
            return self._db
        self._db = self._connect(self.path)
        self._identity = (found.st_dev, found.st_ino)
        try:
            self._admit(self._db)
        except BaseException:
            self.close()
            raise
        return self._db

    def _moved(self) -> Broken:
        return Broken("was replaced or taken away during the run", where=str(self.path), todo="run again")

    def _connect(self, path: Path) -> sqlite3.Connection:
        # A spoke may be used from another thread than the one that built it, never from two at the same time.
        return sqlite3.connect(path, timeout=self.timeout, autocommit=True, check_same_thread=False)

    def look(self) -> list[str]:
        """Return what a person should know before the database is used; nothing is written. Raises `Broken`."""
        kind = self._local()
        notes = [] if kind != UNKNOWN else ["its file system is unknown: keep the database on a local disk"]
        if not self.path.parent.is_dir():
            raise self._homeless()
        if not self.path.exists():
            return [*notes, "is not there yet: the first sync makes it"]
        with self._explained(), contextlib.closing(self._connect(self.path)) as db:
            version = self._recognised(db)
            if version < self._steps()[-1].number:
                notes.append(f"has schema {version}: the next run copies it, then migrates it")
            else:
                self._guarded(db)
            mode = db.execute("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal":
                notes.append(f"keeps a journal of mode {mode}: readers and writers wait for each other")
        return notes

    def _recognised(self, db: sqlite3.Connection) -> int:
        """Return the schema version of a sound database of ours, no newer than we know. Raises `Broken`."""
        pages, page = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        if self.path.stat().st_size < pages * page:  # normal while a log is open; else the file was cut
            report = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise self._damaged(str(report))
        version, known = self._version(db), self._steps()[-1].number
        if version > known:
            raise Broken(
                f"has schema {version}, this version knows up to {known}", where=str(self.path),
                todo="install a newer Tallystick; nothing was touched",
            )  # fmt: skip
        return version

    def _admit(self, db: sqlite3.Connection) -> None:
        """Let only a sound database of ours through, brought to the schema we know."""
        version = self._recognised(db)
        if version < self._steps()[-1].number:
            self._copy(db, version)
            with _transaction(db, "BEGIN IMMEDIATE"):
                self._migrate(db, self._recognised(db))  # a rival may have been first
        self._guarded(db)

    def _guarded(self, db: sqlite3.Connection) -> None:
        if _meta(db, "triggers") != _triggers(db):
            raise Broken(
                "its journal triggers were taken away or changed, so edits may go unnoticed", where=str(self.path),
                todo="restore the file from a copy, or move it away and let it be made again",
            )  # fmt: skip

    def _version(self, db: sqlite3.Connection) -> int:
        if (
            db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").fetchone() is None
            or [column[1] for column in db.execute("PRAGMA table_info(meta)")] != ["key", "value"]
            or _meta(db, "format") != "tallystick"
        ):
            raise Broken(
                "is not a Tallystick database", where=str(self.path),
                todo="name another path, or move this file away and let a database be made; nothing was touched",
            )  # fmt: skip
        return int(_meta(db, "schema_version"))

    def _migrate(self, db: sqlite3.Connection, version: int) -> None:
        for step in self._steps():
            if step.number > version:
                db.executescript(step.script)
        values = [("schema_version", str(self._steps()[-1].number)), ("triggers", _triggers(db))]
        db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values)

    def _copy(self, db: sqlite3.Connection, version: int) -> None:
        """Keep a whole copy, every committed row in it, beside the database before its schema changes."""
        with self._workshop() as draft:
            with contextlib.closing(sqlite3.connect(draft)) as target:
                db.backup(target)
            draft.replace(self.path.with_name(f"{self.path.name}.schema-{version}.backup"))

    def _created(self) -> sqlite3.Connection:
        """Make the database under another name and link it in: a crash leaves no half-made one, a rival is kept."""
        if not self.path.parent.is_dir():
            raise self._homeless()
        with self._workshop() as draft:
            with contextlib.closing(self._connect(draft)) as db:
                self.journal_mode(db)
                with _transaction(db, "BEGIN IMMEDIATE"):
                    self._migrate(db, 0)
            with contextlib.suppress(FileExistsError):  # another process made it first: theirs is used
                os.link(draft, self.path)
        made = self._opened()
        if made is None:
            raise self._moved()
        return made

    @contextlib.contextmanager
    def _workshop(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix=TEMPORARY_PREFIX, dir=self.path.parent) as folder:
            yield Path(folder, self.path.name)

    def _homeless(self) -> Broken:
        return Broken("its folder does not exist", where=str(self.path), todo="make the folder, or name another path")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise Broken(
                    f"is locked by another program (waited {self.timeout:g} s)", where=str(self.path),
                    todo="let the other program finish and run again; nothing was written",
                ) from error  # fmt: skip
            if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise self._damaged(str(error)) from error
            raise Broken(f"SQLite says: {error}", where=str(self.path), todo="nothing was written") from error
        except OSError as error:
            raise Broken(f"cannot be used: {error.strerror}", where=str(self.path)) from error

    def _damaged(self, report: str) -> Broken:
        return Broken(
            f"is damaged or no SQLite database ({report})", where=str(self.path),
            todo="restore it from a copy, or move it away; it is not taken for empty and nothing was touched",
        )  # fmt: skip


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection, begin: str) -> Iterator[None]:
    db.execute(begin)
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _meta(db: sqlite3.Connection, key: str) -> str:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def _triggers(db: sqlite3.Connection) -> str:
    """Return a digest of our triggers as the database holds them."""
    rows = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'tally_*' ORDER BY name"
    )
    return digest(repr(rows.fetchall()))

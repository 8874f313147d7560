"""Every boundary a process passes on its way, found where it touches the world, and what can go wrong there.

The hooks go into a process made for the purpose and die with it: nothing takes them out again.
"""

import errno
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from tallystick_adapters.sqlite import store as spoke_store
from tallystick_contract.adapter import Adapter, Change, Outcome
from tallystick_contract.errors import Broken, Unknown
from tallystick_sync.ledger import Ledger
from tests.proof.matrix.project import Project

type Deed = Callable[[], object]


class Boundary(NamedTuple):
    """One place in one course of events: its kind (a column of the table), where exactly, and what happens there."""

    kind: str
    where: str
    deed: str = "killed"

    def __str__(self) -> str:
        """Name it in one line."""
        return f"{self.kind}, {self.where}: {self.deed}"


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Watch:
    """Counts boundaries; at number `target` (0: never) what that boundary is about happens."""

    def __init__(self, target: int = 0) -> None:
        self.passed: list[Boundary] = []
        self.late: list[Deed] = []
        self._target = target

    @property
    def reached(self) -> Boundary | None:
        """Return the boundary at which something happened."""
        return self.passed[self._target - 1] if 0 < self._target <= len(self.passed) else None

    def at(self, kind: str, where: str, deeds: Mapping[str, Deed] | None = None, *, kill: Deed | None = _die) -> None:
        """Pass a boundary: the process may die here, or one of the `deeds` be done, each counted by itself."""
        for deed, do in [*([("killed", kill)] if kill else []), *(deeds or {}).items()]:
            self.passed.append(Boundary(deed if deed in DISK_ERRORS else kind, where, deed))
            if len(self.passed) == self._target:
                do()


DISK_ERRORS: Final = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}
_SQLITE: Final = {
    "ENOSPC": (sqlite3.SQLITE_FULL, "database or disk is full"),
    "EIO": (sqlite3.SQLITE_IOERR, "disk I/O error"),
}


def _failing(path: str) -> dict[str, Deed]:
    """Return what the file layer says of a full and of a failing disk."""

    def fail(number: int) -> Deed:
        def act() -> None:
            raise OSError(number, os.strerror(number), path)

        return act

    return {name: fail(number) for name, number in DISK_ERRORS.items()}


def _failing_database() -> dict[str, Deed]:
    def fail(code: int, text: str) -> Deed:
        def act() -> None:
            error = sqlite3.OperationalError(text)
            error.sqlite_errorcode = code
            raise error

        return act

    return {name: fail(*how) for name, how in _SQLITE.items()}


def install(watch: Watch, project: Project) -> None:
    """Let `watch` see everything this process does to the project's ledger and spokes from now on."""
    _watch_ledger(watch)
    _watch_databases(watch)
    _watch_files(watch, project)
    if project.kind == "reference":
        project.watch = lambda name, adapter: _watch_replies(watch, project, name, adapter)


def _watch_ledger(watch: Watch) -> None:
    """Every transaction, before, within and after; and the two lines a run writes outside of any."""
    whole, start, finish = Ledger.transaction, Ledger.start_run, Ledger.finish_run

    @contextmanager
    def transaction(self: Ledger, what: str) -> Iterator[sqlite3.Connection]:
        watch.at(what, "before")
        halfway = partial(watch.at, what, "halfway", {"EIO": _failing_database()["EIO"]}, kill=None)
        with whole(self) as db:
            self.db = cast("sqlite3.Connection", _Halfway(db, halfway))
            try:
                yield self.db
            finally:
                self.db = db
            watch.at(what, "within", {"ENOSPC": _failing_database()["ENOSPC"]})
        watch.at(what, "after")

    def named(self: Ledger) -> Any:
        caller = sys._getframe(1).f_code.co_name
        return transaction(self, _TRANSACTIONS.get(caller, caller))

    def start_run(self: Ledger, command: str, now: str) -> int:
        number = start(self, command, now)
        watch.at("run", "opened")
        return number

    def finish_run(self: Ledger, run: int, now: str, report: dict[str, Any], *, moved: bool = True) -> None:
        watch.at("run", "to be closed")
        finish(self, run, now, report, moved=moved)
        watch.at("run", "closed")

    Ledger.transaction = named  # type: ignore[method-assign]
    Ledger.start_run = start_run  # type: ignore[method-assign]
    Ledger.finish_run = finish_run  # type: ignore[method-assign]


_TRANSACTIONS: Final = {
    "_store": "decide", "_push": "intend", "_settle": "settle", "_clean": "clean", "_remember": "remember",
    "__enter__": "edit", "forget": "forget",
}  # fmt: skip
"""What a transaction is for, by the function that opens it."""


class _Halfway:
    """A connection in a transaction, at which something happens when the first statement that writes is done."""

    def __init__(self, db: sqlite3.Connection, act: Deed) -> None:
        self._db, self._act, self._begun = db, act, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        return self._then(self._db.execute(*statement))

    def executemany(self, *statement: Any) -> sqlite3.Cursor:
        return self._then(self._db.executemany(*statement))

    def _then(self, cursor: sqlite3.Cursor) -> sqlite3.Cursor:
        if cursor.rowcount > 0 and not self._begun:
            self._begun = True
            self._act()
        return cursor


def _watch_databases(watch: Watch) -> None:
    """Every transaction that writes to a SQLite spoke."""
    whole = spoke_store._transaction

    @contextmanager
    def transaction(db: sqlite3.Connection, begin: str) -> Iterator[None]:
        if begin == "BEGIN":  # reads only
            with whole(db, begin):
                yield
            return
        watch.at("commit", "before")
        with whole(db, begin):
            yield
            watch.at("commit", "within", _failing_database())
        watch.at("commit", "after")

    spoke_store._transaction = transaction


def _watch_files(watch: Watch, project: Project) -> None:
    """Every file that is opened for writing, written, linked, renamed or removed in the project."""
    root, writing = f"{project.folder}/", os.O_WRONLY | os.O_RDWR

    def see(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _FILES or (event == "open" and not arguments[2] & writing):
            return
        path = str(arguments[1] if event in ("os.rename", "os.link") else arguments[0])
        if not path.startswith(root) or path.endswith((".lock", "meddled", ".gitignore")) or project.meddling:
            return
        name = path.removeprefix(root)
        if name.endswith((".store", ".store.new")):  # a server: its clients see one step, and no error of its disk
            if event == "os.rename":
                watch.at("apply", name.removesuffix(".store"))
            return
        kind = "head" if ".head" in name else "file"
        watch.at(kind, f"{_FILES[event]} {_plain(name)}", _failing(path))

    sys.addaudithook(see)
    write = os.write

    def torn(descriptor: int, data: bytes) -> int:
        """Write a half of it, and then perhaps no more."""
        path = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if not path.startswith(root) or len(data) < 2:
            return write(descriptor, data)
        half = len(data) // 2
        written = write(descriptor, data[:half])
        watch.at("file", f"half of {_plain(path.removeprefix(root))}", _failing(path))
        return written

    os.write = torn  # type: ignore[assignment]


_FILES: Final = {
    "open": "open", "os.rename": "rename", "os.link": "link", "os.remove": "remove", "os.mkdir": "make",
}  # fmt: skip


def _plain(name: str) -> str:
    """Return a file's name, the same in every process."""
    folder, _, last = name.rpartition("/")
    return f"{folder}/(temporary)" if last.startswith(".tally-") else name


def _watch_replies(watch: Watch, project: Project, name: str, adapter: Adapter) -> None:
    """Every answer of a spoke: it gets lost, says nothing clear, or the write lands when nobody waits any more.

    Such a write goes in beside the adapter, which therefore remembers nothing of it.
    """
    push = adapter.push

    def beside(changes: Sequence[Change]) -> None:
        project.places[name].adapter().push(changes)

    def watched(changes: Sequence[Change]) -> Sequence[Outcome]:
        unclear: list[Outcome] = []

        def lose(count: int | None) -> Deed:
            def act() -> None:
                beside(changes[:count])
                raise Unknown("no answer")

            return act

        def blur() -> None:
            beside(changes)
            unclear.extend(Outcome(change.key, error=Unknown("no clear answer")) for change in changes)

        def delay() -> None:
            watch.late.append(lambda: beside(changes))
            raise Broken("gone for now")

        deeds: dict[str, Deed] = {"lost": lose(None), "unclear": blur, "late": delay}
        if len(changes) > 1:
            deeds["lost in part"] = lose(1)
        watch.at("reply", name, deeds, kill=None)
        return unclear or push(changes)

    adapter.push = watched  # type: ignore[method-assign]

"""Files as spokes need them: cheap change detection, compare-and-swap, atomic replacement that keeps mode and links."""

import contextlib
import errno
import fcntl
import itertools
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tenacity

from tallystick_contract.errors import Broken, Stale

TEMPORARY_PREFIX = ".tally-"
"""Names starting so are leftovers of an interrupted write: never read as data."""

_SECRET = secrets.token_hex(8)
_NUMBERS = itertools.count()

LOCK_SECONDS: float = 30
"""How long a folder's lock is waited for: longer than any write of ours takes, shorter than a person's patience."""

_RACY_NS = 50_000_000
COARSE_RACY_NS = 2_000_000_000
"""No file modified longer before a look than this can have changed unseen after it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Size, modification time (ns) and inode of a file: equal ones mean an unchanged file, unless racy."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Signature":
        """Take the signature out of a stat result."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)

    def racy(self, saved_ns: int) -> bool:
        """Tell whether the file may have changed after it was looked at without its time showing it.

        Git's racy-clean rule: a file modified no earlier than the note about it was saved (less one tick of the file
        system's clock) must be read again. Times without a fraction come from file systems with ticks of up to 2 s.
        """
        tick = COARSE_RACY_NS if self.mtime_ns % 1_000_000_000 == 0 else _RACY_NS
        return self.mtime_ns >= saved_ns - tick


def read(path: Path) -> tuple[bytes, Signature]:
    """Return a file's bytes and the signature they were read under. Raises `FileNotFoundError`, `Broken`."""
    try:
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            data = file.read()
            after = os.fstat(file.fileno())
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Broken(f"cannot be read: {error.strerror}", where=str(path)) from error
    if Signature.of(before) != Signature.of(after):
        raise Broken("was being written while it was read", where=str(path), todo="run again")
    return data, Signature.of(after)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's advisory lock: one writer of ours at a time, released by the kernel when the process dies.

    The lock is on the folder itself, so no lock file appears among the user's files, and two checkouts that share
    the folder share the lock. Raises `Broken`, too when somebody else does not let go of it for `LOCK_SECONDS`.
    """
    with _explained(folder, "cannot be locked"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with _explained(folder, "cannot be locked"):
            _lock(folder, descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(folder: Path, descriptor: int) -> None:
    busy = tenacity.retry_if_exception_type(BlockingIOError)
    stop, wait = tenacity.stop_after_delay(LOCK_SECONDS), tenacity.wait_fixed(0.02)
    try:
        tenacity.Retrying(retry=busy, stop=stop, wait=wait, reraise=True)(
            fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB
        )
    except BlockingIOError as error:
        raise Broken(
            "another program has been writing here for too long", where=str(folder),
            todo="let it end, or end it; then run again",
        ) from error  # fmt: skip


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, where they are missing. Raises `Broken`."""
    with _explained(path, "cannot be created"):
        path.mkdir(parents=True, exist_ok=True)


def create(path: Path | str, data: bytes, *, durable: bool = False) -> Signature:
    """Write a new file whole or not at all. Raises `Stale` when something is already there, `Broken`."""
    folder = os.path.dirname(path)  # noqa: PTH120 -- with ten thousand notes, Path costs more than the writes
    with _explained(path):
        name, signature = _write_temporary(folder, data, None, durable=durable)
        try:
            _link(name, path)
        except FileExistsError as error:
            raise Stale("a file of this name appeared meanwhile", where=str(path)) from error
        finally:
            os.unlink(name)  # noqa: PTH108 -- as above
        _settle(folder, durable=durable)
    return signature


def replace(path: Path, data: bytes, expect: bytes, *, durable: bool = True) -> Signature:
    """Replace a file's bytes in one step, if they are still `expect`. Raises `Stale`, `Broken`.

    A symbolic link stays a link, its target is replaced; the mode is kept. The caller holds `locked`.
    """
    target = path.resolve()
    with _explained(path), _there(path):
        mode = stat.S_IMODE(target.stat().st_mode)
        if not os.access(target, os.W_OK):
            raise Broken("is read-only", where=str(path), todo="make it writable, or leave this spoke out")
        name, signature = _write_temporary(str(target.parent), data, mode, durable=durable)
        try:
            if read(target)[0] != expect:
                raise Stale("changed while it was being written", where=str(path))
            _rename(name, target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
        _settle(str(target.parent), durable=durable)
    return signature


def remove(path: Path, expect: bytes) -> None:
    """Delete a file if its bytes are still `expect`. Raises `Stale`, `Broken`. The caller holds `locked`."""
    with _explained(path), _there(path):
        if read(path)[0] != expect:
            raise Stale("changed before it could be deleted", where=str(path))
        path.unlink()


@contextlib.contextmanager
def _explained(path: Path | str, what: str = "cannot be written") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Broken(f"{what}: {error.strerror}", where=str(path), todo="nothing was changed") from error


@contextlib.contextmanager
def _there(path: Path) -> Iterator[None]:
    """A file that somebody took away after it was read is one that changed, and nothing is wrong with its folder."""
    try:
        yield
    except FileNotFoundError as error:
        raise Stale("was taken away meanwhile", where=str(path)) from error


def _write_temporary(folder: str, data: bytes, mode: int | None, *, durable: bool) -> tuple[str, Signature]:
    """Put `data` into a file of an unpredictable name beside the target; what was begun is gone if it fails."""
    name = f"{folder}/{TEMPORARY_PREFIX}{_SECRET}-{os.getpid()}-{next(_NUMBERS)}"
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
        if mode is not None:
            os.fchmod(descriptor, mode)
        if durable:
            os.fsync(descriptor)
        return name, Signature.of(os.fstat(descriptor))
    except BaseException:
        os.unlink(name)  # noqa: PTH108 -- as in `create`
        raise
    finally:
        os.close(descriptor)


def _link(name: str, path: Path | str) -> None:
    """Give the file its name without ever taking another's; some file systems know no links and copy instead."""
    try:
        os.link(name, path)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK):
            raise
        with Path(path).open("xb") as file:
            file.write(Path(name).read_bytes())


@tenacity.retry(
    retry=tenacity.retry_if_exception_type(PermissionError),
    stop=tenacity.stop_after_attempt(4),
    wait=tenacity.wait_exponential(multiplier=0.05),
    reraise=True,
)
def _rename(name: str, target: Path) -> None:
    """Rename over the target; a scanner or an indexer may hold it for a moment on some systems (BC-038)."""
    os.replace(name, target)  # noqa: PTH105 -- `name` is no Path, as in `create`


def _settle(folder: str, *, durable: bool) -> None:
    """Make the folder's entry itself survive a power cut."""
    if durable:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

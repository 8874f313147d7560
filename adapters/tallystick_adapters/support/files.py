"""Files as spokes need them: cheap change detection, compare-and-swap, atomic replacement that keeps mode and links."""

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tenacity

from tallystick_contract.canonical import digest
from tallystick_contract.errors import Broken, Stale

TEMPORARY_PREFIX = ".tally-"
"""Names starting so are leftovers of an interrupted write: never read as data."""

_RACY_NS = 50_000_000
_COARSE_RACY_NS = 2_000_000_000


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
        tick = _COARSE_RACY_NS if self.mtime_ns % 1_000_000_000 == 0 else _RACY_NS
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
    the folder share the lock.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def create(path: Path, data: bytes, *, durable: bool = False) -> Signature:
    """Write a new file whole or not at all. Raises `Stale` when something is already there, `Broken`."""
    with _temporary(path.parent, data, 0o666 & ~_umask(), durable=durable) as (name, signature):
        try:
            os.link(name, path)
        except FileExistsError as error:
            raise Stale("a file of this name appeared meanwhile", where=str(path)) from error
        _settle(path.parent, durable=durable)
    return signature


def replace(path: Path, data: bytes, expect: str, *, durable: bool = True) -> Signature:
    """Replace a file's bytes in one step, if its `digest` is still `expect`. Raises `Stale`, `Broken`.

    A symbolic link stays a link, its target is replaced; the mode is kept. The caller holds `locked`.
    """
    target = path.resolve()
    with _explained(path):
        mode = stat.S_IMODE(target.stat().st_mode)
        if not os.access(target, os.W_OK):
            raise Broken("is read-only", where=str(path), todo="make it writable, or leave this spoke out")
    with _temporary(target.parent, data, mode, durable=durable) as (name, signature):
        if digest(read(target)[0]) != expect:
            raise Stale("changed while it was being written", where=str(path))
        _rename(name, target)
        _settle(target.parent, durable=durable)
    return signature


def remove(path: Path, expect: str) -> None:
    """Delete a file if its `digest` is still `expect`. Raises `Stale`, `Broken`. The caller holds `locked`."""
    if digest(read(path)[0]) != expect:
        raise Stale("changed before it could be deleted", where=str(path))
    with _explained(path):
        path.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Broken(f"cannot be written: {error.strerror}", where=str(path), todo="nothing was changed") from error


@contextlib.contextmanager
def _temporary(folder: Path, data: bytes, mode: int, *, durable: bool) -> Iterator[tuple[str, Signature]]:
    """Hold `data` in a file of an unpredictable name beside the target; it is gone afterwards, whatever happens."""
    with _explained(folder):
        descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=folder)
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                written = file.write(data)
                while written < len(data):
                    written += file.write(data[written:])
                os.fchmod(file.fileno(), mode)
                if durable:
                    os.fsync(file.fileno())
                signature = Signature.of(os.fstat(file.fileno()))
            yield name, signature
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()


@tenacity.retry(
    retry=tenacity.retry_if_exception_type(PermissionError),
    stop=tenacity.stop_after_attempt(4),
    wait=tenacity.wait_exponential(multiplier=0.05),
    reraise=True,
)
def _rename(name: str, target: Path) -> None:
    """Rename over the target; a scanner or an indexer may hold it for a moment on some systems (BC-038)."""
    os.replace(name, target)  # noqa: PTH105 -- `name` is what mkstemp gave


def _settle(folder: Path, *, durable: bool) -> None:
    """Make the folder's entry itself survive a power cut."""
    if durable:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

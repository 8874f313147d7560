"""The board's files on disk: which there are, their texts, and their replacement."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tallystick_adapters.project_json.notes import Note
from tallystick_adapters.project_json.scanner import scan
from tallystick_adapters.project_json.sheet import ARCHIVE, HANDOFF, TASKS, VERIFICATION, Sheet
from tallystick_adapters.project_json.source import start
from tallystick_adapters.project_json.splice import FRESH
from tallystick_adapters.support import files
from tallystick_adapters.support.files import Signature
from tallystick_contract.canonical import digest
from tallystick_contract.errors import Broken


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read: its records, its signature and digest (None: it is not there yet), and when, in ns."""

    sheet: Sheet
    signature: Signature | None
    digest: str | None
    saved: int

    def note(self) -> Note:
        """Return what to remember of it."""
        return Note.of(self.sheet, self.signature, self.saved)


class Folder:
    """A board's folder. Reading never creates anything."""

    def __init__(self, path: Path, *, durable: bool) -> None:
        self.path = path
        self._durable = durable

    def signatures(self) -> dict[str, Signature]:
        """Return the signatures of the board's files that are there, by name."""
        found = {}
        for name in (TASKS, VERIFICATION, HANDOFF, *self._archives()):
            try:
                found[name] = Signature.of(os.stat(f"{self.path}/{name}"))  # noqa: PTH116 -- a Path costs more than the call
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Broken(f"cannot be looked at: {error.strerror}", where=f"{self.path}/{name}") from error
        return found

    def _archives(self) -> list[str]:
        try:
            with os.scandir(self.path / ARCHIVE) as entries:
                names = [entry.name for entry in entries]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise Broken(f"cannot be listed: {error.strerror}", where=f"{self.path}/{ARCHIVE}") from error
        wanted = (name for name in names if name.endswith(".jsonl") and not name.startswith(files.TEMPORARY_PREFIX))
        return [ARCHIVE + name for name in sorted(wanted)]

    def open(self, name: str, note: Note, *, anew: bool = False) -> Opened:
        """Read one file; what `note` knows of it is not parsed again, unless `anew`. Raises `Broken`.

        A file that is not there, or is empty, is a board that is yet to be written, unless `note` knows better.
        """
        saved = time.time_ns()
        data: bytes | None
        try:
            data, signature = files.read(self.path / name)
        except FileNotFoundError:
            data, signature = None, None
        content = data or b""
        if start(content) == len(content):
            if note.rows and name in FRESH:
                raise Broken(
                    f"is {'empty' if data is not None else 'gone'}, and held {len(note.rows)} records before",
                    where=str(self.path / name), todo="bring it back from its history, then run again",
                )  # fmt: skip
            content = FRESH.get(name, b"")
        known = () if anew else note.rows
        return Opened(scan(name, content, known), signature, None if data is None else digest(data), saved)

    def write(self, opened: Opened, data: bytes) -> Opened:
        """Replace the file that was opened by `data`; return it as it now is.

        Raises `Stale` when somebody else wrote it meanwhile, `Broken` when it cannot be written.
        """
        saved = time.time_ns()
        path = self.path / opened.sheet.name
        if opened.digest is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            signature = files.create(path, data, durable=self._durable)
        else:
            signature = files.replace(path, data, opened.digest, durable=self._durable)
        known = [entry.row for entry in opened.sheet.entries]
        return Opened(scan(opened.sheet.name, data, known), signature, digest(data), saved)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the board for writing; a board that is not there yet is created."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Broken(f"cannot be created: {error.strerror}", where=str(self.path)) from error
        with files.locked(self.path):
            yield

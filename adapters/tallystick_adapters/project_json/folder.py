"""The board's files on disk: which there are, their texts, and their replacement."""

import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tallystick_adapters.project_json.memory import Memory
from tallystick_adapters.project_json.notes import Note
from tallystick_adapters.project_json.scanner import scan
from tallystick_adapters.project_json.sheet import ARCHIVE, HANDOFF, TASKS, VERIFICATION, Sheet
from tallystick_adapters.project_json.source import start
from tallystick_adapters.project_json.splice import FRESH
from tallystick_adapters.support import files
from tallystick_adapters.support.files import Signature
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Broken


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read: its records, its signature, its bytes (None: it is not there yet), and when, in ns.

    `known` is the note it was read with.
    """

    sheet: Sheet
    signature: Signature | None
    data: bytes | None
    saved: int
    known: Note

    def note(self) -> Note:
        """Return what to remember of it."""
        if not self.sheet.whole:
            return self.known.amended(self.sheet, self.signature, self.saved)
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

    def open(self, name: str, note: Note, *, anew: bool = False, only: Collection[Key] = ()) -> Opened:
        """Read one file; what `note` knows of it is not parsed again, unless `anew`. Raises `Broken`.

        With `only`, the sheet need not hold more than these records.

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
        if only and signature and note.unchanged(signature) and (sheet := note.sheet(name, content, only)):
            return Opened(sheet, signature, data, saved, note)
        known = Memory() if anew else Memory(note.rows, note.blocks)
        return Opened(scan(name, content, known), signature, data, saved, note)

    def write(self, opened: Opened, sheet: Sheet) -> Opened:
        """Replace the file that was opened by the bytes of `sheet`; return it as it now is.

        Raises `Stale` when somebody else wrote it meanwhile, `Broken` when it cannot be written.
        """
        saved = time.time_ns()
        path, data = self.path / sheet.name, sheet.data
        if opened.data is None:
            files.make_folder(path.parent)
            signature = files.create(path, data, durable=self._durable)
        else:
            signature = files.replace(path, data, opened.data, durable=self._durable)
        return Opened(sheet, signature, data, saved, opened.known)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the board for writing; a board that is not there yet is created."""
        files.make_folder(self.path)
        with files.locked(self.path):
            yield

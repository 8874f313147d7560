"""The vault's files: which notes there are, and reading and writing one of them."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tallystick_adapters.support import files
from tallystick_adapters.support.files import Signature
from tallystick_contract.errors import Broken, Invalid

PROJECT_NOTE: Final = "_tallystick.md"
"""The note, in the vault's root, of evidence and events whose target has no note."""


class Vault:
    """A folder of notes. Paths are relative to it, with `/`; `folder` limits which of them are listed."""

    def __init__(self, root: Path, folder: str, *, durable: bool) -> None:
        self.root = root
        self.folder = folder
        self._durable = durable
        self._made: set[str] = set()

    def listing(self) -> dict[str, tuple[int, int, int]]:
        """Return every note with its size, time and inode; hidden folders and our own leftovers are none.

        Raises `Broken` when a folder cannot be listed.
        """
        notes: dict[str, tuple[int, int, int]] = {}
        if self.folder:
            self._add_project_note(notes)
        for path, entry in self._entries():
            try:
                status = entry.stat()
            except FileNotFoundError:
                continue  # taken away while we looked: this one, and no other
            except OSError as error:
                raise Broken(f"cannot be looked at: {error.strerror}", where=str(self.root / path)) from error
            notes[path] = (status.st_size, status.st_mtime_ns, status.st_ino)
        return notes

    def paths(self) -> set[str]:
        """Return the paths of all notes in the listed folder. Raises `Broken`."""
        return {path for path, _ in self._entries()}

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        pending = [self.folder]
        while pending:
            relative = pending.pop()
            prefix = f"{relative}/" if relative else ""
            try:
                with os.scandir(self.root / relative) as entries:
                    for entry in entries:
                        name = entry.name
                        if name.startswith("."):
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(prefix + name)
                        elif name.endswith((".md", ".MD")) and entry.is_file():
                            yield prefix + name, entry
            except FileNotFoundError:
                continue  # taken away while we looked: its notes are gone with it
            except OSError as error:
                raise Broken(f"cannot be listed: {error.strerror}", where=str(self.root / relative)) from error

    def _add_project_note(self, notes: dict[str, tuple[int, int, int]]) -> None:
        path = self.root / PROJECT_NOTE
        if path.is_file():
            signature = Signature.of(path.stat())
            notes[PROJECT_NOTE] = (signature.size, signature.mtime_ns, signature.inode)

    def read(self, path: str) -> tuple[bytes, tuple[int, int, int]]:
        """Return a note's bytes and its signature, zeros if the note is so new that it may still change unseen.

        Raises `FileNotFoundError`, `Broken`.
        """
        looked = time.time_ns()
        data, signature = files.read(self.root / path)
        if signature.racy(looked):
            return data, (0, 0, 0)
        return data, (signature.size, signature.mtime_ns, signature.inode)

    def create(self, path: str, text: str) -> tuple[int, int, int]:
        """Write a new note. Raises `Stale` when one is there, `Broken`."""
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            files.make_folder(self.root / folder)
            self._made.add(folder)
        signature = files.create(f"{self.root}/{path}", text.encode(), durable=self._durable)
        return (signature.size, signature.mtime_ns, signature.inode)

    def replace(self, path: str, text: str, before: bytes) -> tuple[int, int, int]:
        """Replace a note that still has the bytes `before`. Raises `Stale`, `Broken`. The caller holds the lock."""
        signature = files.replace(self.root / path, text.encode(), before, durable=self._durable)
        return (signature.size, signature.mtime_ns, signature.inode)

    def remove(self, path: str, before: bytes) -> None:
        """Delete a note that still has the bytes `before`. Raises `Stale`, `Broken`. The caller holds the lock."""
        files.remove(self.root / path, before)


def decoded(data: bytes) -> str:
    """Return a note's text. Raises `Invalid` with the line of the first byte that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Invalid("is not UTF-8", where=f"line {line}", todo="save it as UTF-8") from error

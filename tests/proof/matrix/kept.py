"""A prepared copy of a project's folder, put back in no time."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_IN_PLACE: Final = ".db"
"""Databases are written in place, everything else is only ever replaced whole."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The files of a folder as they once were, under `copy`.

    They are linked, not copied, where nobody writes in place: time and inode stay as adapters remember them.
    """

    folder: Path
    copy: Path

    @classmethod
    def keep(cls, folder: Path, copy: Path) -> "Kept":
        """Keep what is in the folder now."""
        _link(folder, copy)
        return cls(folder, copy)

    def restore(self) -> None:
        """Put the folder back as it was when it was kept."""
        shutil.rmtree(self.folder)
        _link(self.copy, self.folder)

    def forget(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.copy)


def _link(source: Path, target: Path) -> None:
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir():
                _link(Path(entry.path), target / entry.name)
            elif entry.name.endswith(_IN_PLACE):
                shutil.copy2(entry.path, target / entry.name)
            else:
                os.link(entry.path, target / entry.name)

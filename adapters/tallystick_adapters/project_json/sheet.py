"""One file of the board: its bytes, and where its records stand in them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from tallystick_adapters.project_json import codec
from tallystick_adapters.project_json.source import BOM
from tallystick_contract.adapter import Key, Observed
from tallystick_contract.canonical import Doc, digest

ARCHIVE: Final = "archive/"
TASKS, VERIFICATION, HANDOFF = "tasks.json", "verification.json", "handoff.json"


VERSIONS: Final = {"schema_version": (1, 99), "contract_version": (1, 1)}
"""The members of a file that say which version it is, with the newest that is known here."""


_ESCAPE: Final = re.compile(rb"\\u(?!00[01])")


class Row(NamedTuple):
    """What is remembered of one record: its key, the length of its text in bytes, and the text's digest."""

    kind: str
    id: str
    length: int
    digest: str

    def revision(self, name: str) -> str:
        """Return what changes when the record in file `name` does: its text's digest, and whether it is archived."""
        return f"archived-{self.digest}" if name.startswith(ARCHIVE) else self.digest


class Block(NamedTuple):
    """So many records in a row from byte `start` on, `gap` bytes between any two; the length of it all, its digest."""

    start: int
    size: int
    gap: int
    length: int
    digest: str


class Entry(NamedTuple):
    """One record of a file: its row, where its text starts, and, where it was read anew, the record and its image."""

    row: Row
    start: int
    record: Mapping[str, Any] | None = None
    image: Doc | None = None

    @property
    def key(self) -> Key:
        """Return the record's key."""
        return Key(self.row.kind, self.row.id)

    @property
    def end(self) -> int:
        """Return the offset behind the record's text."""
        return self.start + self.row.length


@dataclass(frozen=True, slots=True)
class Bad:
    """One record that cannot be read, why, and its id where it has one."""

    start: int
    end: int
    reason: str
    key: Key | None = None


@dataclass
class Sheet:
    """A file's bytes and its records, one by one and in blocks.

    `opened` and `closed` are where the list of records starts and ends. A sheet that is not `whole` holds only the
    records that somebody asked for, and no blocks.
    """

    name: str
    data: bytes
    entries: list[Entry] = field(default_factory=list)
    blocks: tuple[Block, ...] = ()
    bad: list[Bad] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    head: dict[str, Any] = field(default_factory=dict)
    whole: bool = True

    @cached_property
    def index(self) -> dict[tuple[str, str], Entry]:
        """Return the records by key."""
        return {entry.row[:2]: entry for entry in self.entries}

    @cached_property
    def escaped(self) -> bool:
        r"""Tell whether the file writes letters beyond ASCII as `\u` escapes."""
        return _ESCAPE.search(self.data) is not None and self.data.removeprefix(BOM).isascii()

    @property
    def archived(self) -> bool:
        """Tell whether the file holds records that left the live board."""
        return self.name.startswith(ARCHIVE)

    def line(self, at: int) -> int:
        """Return the number of the line that holds an offset, from 1."""
        return self.data.count(b"\n", 0, at) + 1

    def where(self, at: int) -> str:
        """Return file and line of an offset, for people."""
        return f"{self.name}:{self.line(at)}"

    def raw(self, entry: Entry) -> str:
        """Return a record's own text."""
        return self.data[entry.start : entry.end].decode()

    def revision(self, entry: Entry) -> str:
        """Return what changes when the record does: its text's digest, and whether it is archived."""
        return entry.row.revision(self.name)

    def observe(self, entry: Entry) -> Observed:
        """Return a record as the board shows it."""
        return Observed(entry.key, f"{self.name}#{entry.row.id}", self.revision(entry), self.read(entry)[1])

    def read(self, entry: Entry) -> tuple[Mapping[str, Any], Doc]:
        """Return a record as it stands in the file and its image, read now if it was not."""
        if entry.record is not None and entry.image is not None:
            return entry.record, entry.image
        record = json.loads(self.raw(entry))
        return record, codec.decode(entry.row.kind, record, archived=self.archived)

    def amended(self, data: bytes, texts: Mapping[Key, str]) -> "Sheet":
        """Return the sheet after records of it got other texts in `data`, all else being as it was."""
        entries = []
        longer = 0
        for entry in self.entries:
            text = texts.get(entry.key)
            if text is None:
                entries.append(entry._replace(start=entry.start + longer))
                continue
            record, raw = json.loads(text), text.encode()
            image = codec.decode(entry.row.kind, record, archived=self.archived)
            row = entry.row._replace(length=len(raw), digest=digest(raw))
            entries.append(Entry(row, entry.start + longer, record, image))
            longer += row.length - entry.row.length
        return replace(self, data=data, entries=entries)

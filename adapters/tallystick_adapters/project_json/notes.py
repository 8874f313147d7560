"""What the spoke remembers between runs: per file its signature and what the engine was told of its records."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tallystick_adapters.project_json.memory import blocks_after, recalled
from tallystick_adapters.project_json.sheet import ARCHIVE, VERSIONS, Block, Row, Sheet
from tallystick_adapters.support.files import Signature
from tallystick_contract.adapter import Key, Quarantined


@dataclass(frozen=True, slots=True)
class Note:
    """One file as the engine knows it. Without a signature it is read again, whatever its time says."""

    signature: Signature | None = None
    saved: int = 0
    rows: tuple[Row, ...] = ()
    blocks: tuple[Block, ...] = ()
    bad: tuple[Quarantined, ...] = ()
    versions: Mapping[str, Any] = field(default_factory=dict)

    def unchanged(self, now: Signature) -> bool:
        """Tell whether a file with this signature need not be read."""
        return self.signature == now and not now.racy(self.saved)

    def to_json(self) -> dict[str, Any]:
        """Return the note as JSON data."""
        size = self.signature
        return {
            "signature": [size.size, size.mtime_ns, size.inode] if size else None,
            "saved": self.saved,
            "rows": _columns(self.rows),
            "blocks": self.blocks,
            "versions": self.versions,
            "bad": [[bad.native, bad.reason, *(bad.key or (None, None))] for bad in self.bad],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, rows: bool = True) -> "Note":
        """Return the note that `to_json` gave; without `rows`, which take long, only what it says of the file."""
        bad = tuple(Quarantined(item[0], item[1], Key(*item[2:]) if item[2] else None) for item in data["bad"])
        signature = Signature(*data["signature"]) if data["signature"] else None
        if not rows:
            return cls(signature, data["saved"], bad=bad)
        blocks = tuple(map(Block._make, data["blocks"]))
        return cls(signature, data["saved"], tuple(_rows(data["rows"])), blocks, bad, data["versions"])

    @classmethod
    def of(cls, sheet: Sheet, signature: Signature | None, saved: int) -> "Note":
        """Return the note of a file that was just read or written; `saved` is a time before that, in ns."""
        bad = tuple(Quarantined(f"{sheet.name}#{sheet.line(item.start)}", item.reason, item.key) for item in sheet.bad)
        versions = {name: sheet.head[name] for name in VERSIONS if name in sheet.head}
        return cls(signature, saved, tuple([entry.row for entry in sheet.entries]), sheet.blocks, bad, versions)

    def sheet(self, name: str, data: bytes, keys: Collection[Key]) -> Sheet | None:
        """Return a sheet of some records of a file that is as it was; None if not all of it could be read."""
        if self.bad or not self.blocks:
            return None
        entries = recalled(self.rows, self.blocks, keys)
        return Sheet(name, data, entries, head=dict(self.versions), whole=False)

    def amended(self, sheet: Sheet, signature: Signature | None, saved: int) -> "Note":
        """Return the note of the file after records of it were edited where they stand."""
        places = {row[:2]: place for place, row in enumerate(self.rows)}
        rows = list(self.rows)
        for entry in sheet.entries:
            rows[places[entry.row[:2]]] = entry.row
        blocks = tuple(blocks_after(self.rows, self.blocks, tuple(rows), sheet.data))
        return Note(signature, saved, tuple(rows), blocks, versions=self.versions)

    def after_write(self, now: "Note", written: Iterable[Key]) -> "Note":
        """Return what the engine knows after a write that left the file as `now`.

        Of the records that were not written it knows what it knew: somebody else's edits are yet to be told, and
        then the file must be read again.
        """
        keys = dict.fromkeys(written)
        if len(self.rows) == len(now.rows) and self.bad == now.bad:  # quicker than below, and mostly it is so
            moved = ((old, new) for old, new in zip(self.rows, now.rows, strict=True) if old != new)
            if all(old[:2] == new[:2] and new[:2] in keys for old, new in moved):
                return now
        rows = {row[:2]: row for row in self.rows}
        fresh = {row[:2]: row for row in now.rows}
        for key in keys:
            rows.pop(key, None)
            if key in fresh:
                rows[key] = fresh[key]
        if rows == fresh and self.bad == now.bad:
            return now
        return Note(None, 0, tuple(rows.values()), bad=self.bad)


def _columns(rows: Sequence[Row]) -> list[Any]:
    """Return rows column by column, all digests in one text: ten thousand small lists would take long to store."""
    if not rows:
        return []
    kinds, ids, lengths, digests = zip(*rows, strict=True)
    return [kinds, ids, lengths, "".join(digests)]


def _rows(columns: Sequence[Any]) -> Iterator[Row]:
    if not columns:
        return iter(())
    kinds, ids, lengths, text = columns
    size = len(text) // len(ids)
    digests = [text[at : at + size] for at in range(0, len(text), size)]
    return map(Row._make, zip(kinds, ids, lengths, digests, strict=True))


def _archived(name: str) -> bool:
    return name.startswith(ARCHIVE)


class Place(NamedTuple):
    """The file a record stands in, and its row there."""

    name: str
    row: Row

    @property
    def archived(self) -> bool:
        """Tell whether it has left the live board."""
        return _archived(self.name)


@dataclass(frozen=True, slots=True)
class Listing:
    """All files together: which text is the record of which id.

    `rows` and `names` say, by key, what and where the record is (the keys are plain pairs: they are made by the
    thousand). `bad` are records that cannot be read; `blocked` the ids of those on the live board, whose archive
    copies must not stand in for them. Without `complete` a record may be hidden in a text that tells no id.
    """

    rows: Mapping[tuple[str, str], Row]
    names: Mapping[tuple[str, str], str]
    bad: tuple[Quarantined, ...]
    blocked: frozenset[Key]
    complete: bool

    def place(self, key: Key) -> Place | None:
        """Return where the record of a key stands, None where there is none."""
        return Place(self.names[key], self.rows[key]) if key in self.rows else None

    def changed(self, before: "Listing") -> list[Key]:
        """Return the keys of records that are new since `before`, or differ from it."""
        keys = [key for key, row in self.rows.items() if before.rows.get(key) != row]
        if self.names != before.names:
            old = before.names
            keys += [
                key
                for key, name in self.names.items()
                if key in old and before.rows[key] == self.rows[key] and _archived(old[key]) != _archived(name)
            ]
        return [Key(*key) for key in keys]

    @property
    def present(self) -> frozenset[tuple[str, str]]:
        """Return the keys that are there, readable or not."""
        return frozenset(self.rows) | self.blocked | {item.key for item in self.bad if item.key}

    @property
    def total(self) -> int:
        """Return how many records are present, unreadable ones included."""
        return len(self.rows) + len(self.bad)


def resolve(notes: Mapping[str, Note]) -> Listing:
    """Put the files together: the live board before archives, later archives before earlier ones."""
    rows: dict[tuple[str, str], Row] = {}
    names: dict[tuple[str, str], str] = {}
    bad = [item for note in notes.values() for item in note.bad]
    blocked = frozenset(item.key for item in bad if item.key and not _archived(item.native))
    for name in sorted(notes, key=lambda name: (not _archived(name), name)):
        mine = {row[:2]: row for row in notes[name].rows if not blocked or row[:2] not in blocked}
        rows |= mine
        names |= dict.fromkeys(mine, name)
    reported = tuple(item if item.key not in rows else replace(item, key=None) for item in bad)
    return Listing(rows, names, reported, blocked, complete=all(item.key for item in bad))

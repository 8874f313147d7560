"""One file of the board as text: where its records stand, which of them are new, and the text with records edited."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn

from tallystick_adapters.project_json import codec
from tallystick_adapters.project_json.members import skip
from tallystick_contract.adapter import Key, Observed
from tallystick_contract.canonical import Doc, digest
from tallystick_contract.errors import Broken, Invalid

ARCHIVE: Final = "archive/"
TASKS, VERIFICATION, HANDOFF = "tasks.json", "verification.json", "handoff.json"

_LISTS: Final = {
    TASKS: ("task", ("tasks",)),
    VERIFICATION: ("evidence", ("verifications", "verification")),
    HANDOFF: ("event", ("context_watch_events",)),
}
_MARKERS: Final = re.compile(r"^(?:<<<<<<<|\|\|\|\|\|\|\||>>>>>>>)(?: .*)?\r?$", re.MULTILINE)


class Row(NamedTuple):
    """What is remembered of one record: its key, the length of its text in characters, and the text's digest."""

    kind: str
    id: str
    length: int
    digest: str

    def revision(self, name: str) -> str:
        """Return what changes when the record in file `name` does: its text's digest, and whether it is archived."""
        return f"archived-{self.digest}" if name.startswith(ARCHIVE) else self.digest


@dataclass(frozen=True, slots=True)
class Entry:
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


@dataclass(slots=True)
class Sheet:
    """A file's text and its records. `opened` and `closed` are where the list of records starts and ends."""

    name: str
    text: str
    entries: list[Entry] = field(default_factory=list)
    bad: list[Bad] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    head: dict[str, Any] = field(default_factory=dict)

    def line(self, at: int) -> int:
        """Return the number of the line that holds an offset, from 1."""
        return self.text.count("\n", 0, at) + 1

    def where(self, at: int) -> str:
        """Return file and line of an offset, for people."""
        return f"{self.name}:{self.line(at)}"

    def raw(self, entry: Entry) -> str:
        """Return a record's own text."""
        return self.text[entry.start : entry.end]

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
        return record, codec.decode(entry.row.kind, record, archived=self.name.startswith(ARCHIVE))


class _Doubled(ValueError):
    """An object holds one key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Doubled(next(key for key in keys if keys.count(key) > 1))
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
_LENIENT: Final = json.JSONDecoder()


class _Memory:
    """The rows of a file as they were, compared in their order: a text that did not change is not parsed again.

    An object's text ends where it ends: when the text at a place starts with the whole text of an object that was
    read before, parsing it again could only give that object.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._places = {row[:2]: place for place, row in enumerate(rows)}
        self._next = 0

    def match(self, text: str, start: int) -> Row | None:
        """Return the row of the record that stands at `start`, if it is the expected one, unchanged."""
        if self._next >= len(self._rows):
            return None
        row = self._rows[self._next]
        if digest(text[start : start + row.length]) != row.digest:
            return None
        self._next += 1
        return row

    def passed(self, row: Row) -> None:
        """Take note that `row` was read, and expect what followed it."""
        place = self._places.get(row[:2])
        if place is not None:
            self._next = place + 1


def scan(name: str, text: str, known: Sequence[Row] = ()) -> Sheet:
    """Find the records of a file; those that `known` does not hold are read in depth.

    Raises `Broken` when the file as a whole is not what it must be. A record that is wrong is in `bad`.
    """
    sheet = Sheet(name, text)
    scanner = _Scanner(sheet, _Memory(known))
    if name in _LISTS:
        scanner.document(*_LISTS[name])
    else:
        scanner.lines()
    return sheet


class _Scanner:
    """Walks one file's text from record to record."""

    def __init__(self, sheet: Sheet, memory: _Memory) -> None:
        self._sheet = sheet
        self._text = sheet.text
        self._memory = memory
        self._archived = sheet.name.startswith(ARCHIVE)

    def document(self, kind: str, lists: tuple[str, ...]) -> None:
        """Walk an object with one list of records among its members."""
        try:
            self._document(kind, lists)
        except (ValueError, IndexError, RecursionError) as error:
            raise self._explained(error) from error

    def lines(self) -> None:
        """Walk a file of one record per line."""
        at = 1 if self._text.startswith("\ufeff") else 0
        self._sheet.opened = at
        while at < len(self._text):
            stop = self._text.find("\n", at)
            stop = len(self._text) if stop < 0 else stop
            start = skip(self._text, at)
            if start < stop:
                self._line(start, stop)
            at = stop + 1
        self._sheet.closed = len(self._text)
        self._judge_doubles()

    def _line(self, start: int, stop: int) -> None:
        row = self._memory.match(self._text, start)
        if row is not None:
            self._sheet.entries.append(Entry(row, start))
            return
        line = self._text[start:stop].rstrip()
        if _MARKERS.match(line):
            raise self._markers()
        try:
            record = _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            reason = f"the line cannot be read: {_said(error)}"
            self._sheet.bad.append(Bad(start, start + len(line), f"{self._sheet.where(start)}: {reason}"))
            return
        kind = "evidence" if isinstance(record, dict) and "target" in record else "task"
        self._take(kind, record, start, start + len(line))

    def _document(self, kind: str, lists: tuple[str, ...]) -> None:
        text = self._text
        at = skip(text, 1 if text.startswith("\ufeff") else 0)
        if text[at] != "{":
            raise Broken("is no JSON object", where=self._sheet.where(at), todo=f"want {{{lists[0]!r}: [...]}}")
        at = skip(text, at + 1)
        while text[at] != "}":
            key, at = self._key(at)
            if key in self._sheet.head:
                raise _Doubled(key)
            if key in lists and text[at] == "[":
                at = self._list(kind, at)
                self._sheet.head[key] = None
            else:
                self._sheet.head[key], at = _DECODER.raw_decode(text, at)
            at = self._separator(at, "}")
        if skip(text, at + 1) != len(text):
            raise json.JSONDecodeError("Extra data", text, skip(text, at + 1))
        self._check_shape(lists)
        self._judge_doubles()

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at] != '"':
            raise json.JSONDecodeError("Expecting a key in double quotes", self._text, at)
        key, at = _DECODER.raw_decode(self._text, at)
        at = skip(self._text, at)
        if self._text[at] != ":":
            raise json.JSONDecodeError("Expecting ':'", self._text, at)
        return key, skip(self._text, at + 1)

    def _separator(self, at: int, closing: str) -> int:
        at = skip(self._text, at)
        if self._text[at] == closing:
            return at
        if self._text[at] != ",":
            raise json.JSONDecodeError(f"Expecting ',' or {closing!r}", self._text, at)
        following = skip(self._text, at + 1)
        if self._text[following] == closing:
            raise json.JSONDecodeError("Comma behind the last item", self._text, at)
        return following

    def _list(self, kind: str, at: int) -> int:
        self._sheet.opened = at + 1
        at = skip(self._text, at + 1)
        while self._text[at] != "]":
            row = self._memory.match(self._text, at)
            if row is not None:
                self._sheet.entries.append(Entry(row, at))
                at += row.length
            else:
                record, end = self._record(at)
                self._take(kind, record, at, end)
                at = end
            at = self._separator(at, "]")
        self._sheet.closed = at
        return at + 1

    def _record(self, at: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(self._text, at)
        except _Doubled as error:
            _, end = _LENIENT.raw_decode(self._text, at)
            spelled = re.compile(re.escape(json.dumps(str(error), ensure_ascii=False)) + r"\s*:")
            lines = [str(self._sheet.line(found.start())) for found in spelled.finditer(self._text, at, end)]
            raise Broken(
                f"the key {str(error)!r} is there twice in one record (lines {', '.join(lines)})",
                where=self._sheet.where(at), todo="keep the right one; nothing is guessed",
            ) from error  # fmt: skip

    def _take(self, kind: str, record: Any, start: int, end: int) -> None:
        """File a record that was read: as it was, as new, or as one that cannot be used."""
        raw = self._text[start:end]
        key = None
        try:
            if not isinstance(record, dict):
                raise Invalid("is no object")
            key = Key(kind, codec.identify(kind, record))
            if "\\ud" in raw or "\\uD" in raw:
                json.dumps(record, ensure_ascii=False).encode()
            image = codec.decode(kind, record, archived=self._archived)
        except (Invalid, UnicodeEncodeError) as error:
            reason = error.what if isinstance(error, Invalid) else "holds half of a character (a lone surrogate)"
            name = f"{key.id}: " if key else ""
            self._sheet.bad.append(Bad(start, end, f"{self._sheet.where(start)}: {name}{reason}", key))
            return
        row = Row(kind, key.id, len(raw), digest(raw))
        self._memory.passed(row)
        self._sheet.entries.append(Entry(row, start, record, image))

    def _judge_doubles(self) -> None:
        """Set aside ids that occur twice on the live board; in archives and trails the last one is the record."""
        sheet = self._sheet
        if self._archived or sheet.name == HANDOFF:
            sheet.entries = sorted({entry.key: entry for entry in sheet.entries}.values(), key=lambda e: e.start)
            return
        keys = [entry.key for entry in sheet.entries] + [bad.key for bad in sheet.bad if bad.key]
        if len(set(keys)) == len(keys):
            return
        starts: dict[Key, list[int]] = {}
        for entry in sheet.entries:
            starts.setdefault(entry.key, []).append(entry.start)
        for bad in sheet.bad:
            if bad.key:
                starts.setdefault(bad.key, []).append(bad.start)
        for entry in sheet.entries:
            if len(found := starts[entry.key]) > 1:
                lines = " and ".join(str(sheet.line(at)) for at in sorted(found))
                reason = f"{sheet.where(entry.start)}: {entry.key.id}: this id is there twice (lines {lines})"
                sheet.bad.append(Bad(entry.start, entry.end, reason, entry.key))
        sheet.entries = [entry for entry in sheet.entries if len(starts[entry.key]) == 1]

    def _check_shape(self, lists: tuple[str, ...]) -> None:
        sheet = self._sheet
        present = [name for name in lists if name in sheet.head]
        if sheet.name == HANDOFF:
            return
        if len(present) != 1 or sheet.head[present[0]] is not None:
            raise Broken(
                f"has not one list {' or '.join(lists)} (found: {', '.join(sheet.head) or 'nothing'})",
                where=sheet.where(0), todo="this is another tool's format, or damaged; nothing of it was taken",
            )  # fmt: skip
        if sheet.bad and not sheet.entries and all(bad.key is None for bad in sheet.bad):
            raise Broken(
                "none of its records has an id", where=sheet.where(sheet.bad[0].start),
                todo="this is another tool's format; nothing of it was taken",
            )  # fmt: skip

    def _markers(self) -> Broken:
        lines = [str(self._sheet.line(found.start())) for found in _MARKERS.finditer(self._text)]
        return Broken(
            f"holds the conflict markers of a merge in lines {', '.join(lines)}",
            where=f"{self._sheet.name}:{lines[0]}", todo="finish the merge",
        )  # fmt: skip

    def _explained(self, error: Exception) -> Broken:
        if _MARKERS.search(self._text):
            return self._markers()
        if isinstance(error, _Doubled):
            return Broken(f"the key {str(error)!r} is there twice", where=self._sheet.name, todo="keep the right one")
        at = error.pos if isinstance(error, json.JSONDecodeError) else len(self._text)
        what = "ends in the middle" if at >= len(self._text) else _said(error)
        return Broken(f"is not valid JSON: {what}", where=self._sheet.where(at), todo="repair it; nothing was taken")


def _said(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)

"""Finds the records of a file, parsing only those that are not as they were."""

import json
import re
from typing import Any, Final

from tallystick_adapters.project_json import codec
from tallystick_adapters.project_json.memory import Memory, blocks_of
from tallystick_adapters.project_json.sheet import HANDOFF, TASKS, VERIFICATION, Bad, Entry, Row, Sheet
from tallystick_adapters.project_json.source import LENIENT, STRICT, Doubled, Source, skip, start
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import digest
from tallystick_contract.errors import Broken, Invalid

_OPEN_LIST, _CLOSE_LIST, _CLOSE_OBJECT = b"[]}"

_LISTS: Final = {
    TASKS: ("task", ("tasks",)),
    VERIFICATION: ("evidence", ("verifications", "verification")),
    HANDOFF: ("event", ("context_watch_events",)),
}
_MARKERS: Final = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)


def scan(name: str, data: bytes, known: Memory | None = None) -> Sheet:
    """Find the records of a file; those that `known` does not hold are read in depth.

    Raises `Broken` when the file as a whole is not what it must be. A record that is wrong is in `bad`.
    """
    sheet = Sheet(name, data)
    known = known or Memory()
    scanner = _Scanner(sheet, known)
    if name in _LISTS:
        scanner.document(*_LISTS[name])
    else:
        scanner.lines()
    sheet.blocks = tuple(blocks_of(data, sheet.entries, known.same))
    return sheet


class _Scanner:
    """Walks one file from record to record."""

    def __init__(self, sheet: Sheet, memory: Memory) -> None:
        self._sheet = sheet
        self._data = sheet.data
        self._source = Source(sheet.data)
        self._memory = memory

    def document(self, kind: str, lists: tuple[str, ...]) -> None:
        """Walk an object with one list of records among its members."""
        try:
            self._document(kind, lists)
        except (ValueError, IndexError, RecursionError) as error:
            raise self._explained(error) from error

    def lines(self) -> None:
        """Walk a file of one record per line."""
        at = start(self._data)
        while at < len(self._data):
            found, end = self._memory.run(self._data, at, b"\n")
            self._sheet.entries += found
            if not found:
                end = self._data.find(b"\n", at)
                end = len(self._data) if end < 0 else end
                self._line(at, end)
            at = skip(self._data, end)
        self._judge_doubles()

    def _line(self, at: int, end: int) -> None:
        raw = self._data[at:end].rstrip()
        if _MARKERS.match(raw):
            raise self._markers()
        try:
            record = STRICT.decode(raw.decode())
        except (ValueError, RecursionError) as error:
            self._sheet.bad.append(Bad(at, end, f"{self._sheet.where(at)}: the line cannot be read: {_said(error)}"))
            return
        self._take(codec.archived_kind(record), record, at, at + len(raw))

    def _document(self, kind: str, lists: tuple[str, ...]) -> None:
        at = start(self._data)
        self._expect(at, b"{", "an object")
        at = skip(self._data, at + 1)
        while self._data[at] != _CLOSE_OBJECT:
            self._expect(at, b'"', "a key in double quotes")
            key, end = self._source.value(at)
            if key in self._sheet.head:
                raise Doubled(key)
            at = skip(self._data, end)
            self._expect(at, b":", "a colon")
            at = skip(self._data, at + 1)
            if key in lists and self._data[at] == _OPEN_LIST:
                self._sheet.head[key], end = None, self._list(kind, at)
            else:
                self._sheet.head[key], end = self._source.value(at)
            at = self._separator(end, _CLOSE_OBJECT)
        if skip(self._data, at + 1) != len(self._data):
            raise _Misplaced("something stands behind its end", skip(self._data, at + 1))
        self._check_shape(lists)
        self._judge_doubles()

    def _expect(self, at: int, wanted: bytes, name: str) -> None:
        if self._data[at : at + 1] != wanted:
            raise _Misplaced(f"{name} is wanted", at)

    def _separator(self, at: int, closing: int) -> int:
        at = skip(self._data, at)
        if self._data[at] == closing:
            return at
        self._expect(at, b",", f"a comma or {chr(closing)}")
        following = skip(self._data, at + 1)
        if self._data[following] == closing:
            raise _Misplaced("a comma stands behind the last item", at)
        return following

    def _list(self, kind: str, at: int) -> int:
        self._sheet.opened = at + 1
        at = skip(self._data, at + 1)
        gap = b","
        while self._data[at] != _CLOSE_LIST:
            found, end = self._memory.run(self._data, at, gap)
            self._sheet.entries += found
            if not found:
                record, end = self._record(at)
                self._take(kind, record, at, end)
            at = self._separator(end, _CLOSE_LIST)
            gap = self._data[end:at]
        self._sheet.closed = at
        return at + 1

    def _record(self, at: int) -> tuple[Any, int]:
        try:
            return self._source.value(at)
        except Doubled as error:
            _, end = Source(self._data).value(at, LENIENT)
            spelled = re.compile(re.escape(json.dumps(str(error), ensure_ascii=False).encode()) + rb"\s*:")
            lines = [str(self._sheet.line(found.start())) for found in spelled.finditer(self._data, at, end)]
            raise Broken(
                f"the key {str(error)!r} is there twice in one record (lines {', '.join(lines)})",
                where=self._sheet.where(at), todo="keep the right one; nothing is guessed",
            ) from error  # fmt: skip

    def _take(self, kind: str, record: Any, at: int, end: int) -> None:
        """File a record that was read: as it was, as new, or as one that cannot be used."""
        raw = self._data[at:end]
        key = None
        try:
            if b"\\ud" in raw or b"\\uD" in raw:
                json.dumps(record, ensure_ascii=False).encode()
            key = Key(kind, codec.identify(kind, record))
            image = codec.decode(kind, record, archived=self._sheet.archived)
        except (Invalid, UnicodeEncodeError) as error:
            reason = error.what if isinstance(error, Invalid) else "holds half of a character (a lone surrogate)"
            name = f"{key.id}: " if key else ""
            self._sheet.bad.append(Bad(at, end, f"{self._sheet.where(at)}: {name}{reason}", key))
            return
        row = Row(kind, key.id, len(raw), digest(raw))
        self._memory.passed(row)
        self._sheet.entries.append(Entry(row, at, record, image))

    def _judge_doubles(self) -> None:
        """Set aside ids that occur twice on the live board; in archives and trails the last one is the record."""
        sheet = self._sheet
        if sheet.archived or sheet.name == HANDOFF:
            sheet.entries = sorted(sheet.index.values(), key=lambda entry: entry.start)
            return
        if len(sheet.index.keys() | {bad.key for bad in sheet.bad}) == len(sheet.entries) + len(sheet.bad):
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
        del sheet.index

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
        lines = [str(self._sheet.line(found.start())) for found in _MARKERS.finditer(self._data)]
        return Broken(
            f"holds the conflict markers of a merge in lines {', '.join(lines)}",
            where=f"{self._sheet.name}:{lines[0]}", todo="finish the merge",
        )  # fmt: skip

    def _explained(self, error: Exception) -> Broken:
        """Return what is wrong with the file as a whole, in words and with the line."""
        if _MARKERS.search(self._data):
            return self._markers()
        if isinstance(error, Doubled):
            return Broken(f"the key {str(error)!r} is there twice", where=self._sheet.name, todo="keep the right one")
        at = error.at if isinstance(error, _Misplaced) else self._source.culprit(error)
        if isinstance(error, IndexError):
            at = len(self._data)
        what = "it ends in the middle" if at >= len(self._data) else _said(error)
        return Broken(f"is not valid JSON: {what}", where=self._sheet.where(at), todo="repair it; nothing was taken")


class _Misplaced(ValueError):
    """Something else than what JSON wants stands at byte `at`."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


def _said(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)

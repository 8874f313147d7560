"""What the spoke remembers of every note: its signature and the revisions of the records it showed."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, Final

from tallystick_contract.adapter import Key, SpokeState

from . import names
from .survey import Revisions, Shown

type Signed = tuple[int, int, int]
"""Size, modification time (ns) and inode of a note."""

type Entry = Sequence[Any]
"""One note's memory: size, time, inode, and kind, id and revision of every record."""

UNSETTLED: Final[Signed] = (0, 0, 0)
"""The signature of a note that must be read again, come what may."""

UNKNOWN: Final[Entry] = (*UNSETTLED, ())
"""The memory of a note nobody has seen."""

ARCHIVE: Final = "archive/"


def packed(entries: Mapping[str, Entry]) -> dict[str, Any]:
    """Return the memory of all notes as JSON data, column by column: ten thousand small lists take long to store."""
    if not entries:
        return {}
    *signed, rows = zip(*entries.values(), strict=True)
    kinds, ids, revisions = zip(*chain.from_iterable(rows), strict=True) if any(rows) else ((), (), ())
    shown = [kinds, ids, "".join(revisions)]
    return {"signed": [list(entries), *signed], "shown": shown, "counts": list(map(len, rows))}


def signatures(state: SpokeState) -> dict[str, Signed]:
    """Return the signature of every note that `packed` remembered."""
    if not state.get("signed"):
        return {}
    paths, *signed = state["signed"]
    return dict(zip(paths, zip(*signed, strict=True), strict=True))


def unpacked(state: SpokeState) -> dict[str, Entry]:
    """Return the memory that `packed` took; all of it runs in C, as it is done for ten thousand notes."""
    if not state.get("signed"):
        return {}
    paths, *signed = state["signed"]
    kinds, ids, revisions = state["shown"]
    size = len(revisions) // max(len(ids), 1)
    parts = [revisions[at : at + size] for at in range(0, len(revisions), size or 1)]
    rows = zip(kinds, ids, parts, strict=True)
    shown = map(tuple, map(islice, repeat(rows), state["counts"]))
    return dict(zip(paths, zip(*signed, shown, strict=True), strict=True))


def revisions(entry: Entry | None) -> Revisions:
    """Return the records of a note with their revisions."""
    return {} if entry is None else {Key(kind, record_id): revision for kind, record_id, revision in entry[3]}


class Index:
    """The notes by path, and the records by key; the latter is made when it is first asked for."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self._homes: dict[Key, str] | None = None
        self._taken: set[str] = set()

    def remember(self, path: str, signature: Signed, records: Revisions) -> None:
        """Take over what a note shows."""
        self.entries[path] = (*signature, [(key.kind, key.id, revision) for key, revision in records.items()])
        if self._homes is not None:
            self._taken.add(names.folded(path))
            self._homes.update(dict.fromkeys(records, path))

    def forget(self, keys: Iterable[Key]) -> None:
        """Drop records that no note shows any more."""
        for key in keys:  # mostly none, and then the paths of all records need not be known
            self.homes().pop(key, None)

    def shows(self, path: str, key: Key) -> bool:
        """Tell whether the note at `path` is known to show a record."""
        return any(row[1] == key.id and row[0] == key.kind for row in self.entries.get(path, UNKNOWN)[3])

    def shown(self) -> Shown:
        """Return what all notes show."""
        return {(row[0], row[1]): (path, row[2]) for path, entry in self.entries.items() for row in entry[3]}

    def homes(self) -> dict[Key, str]:
        """Return the path of every record."""
        if self._homes is None:
            self._homes = {Key(row[0], row[1]): path for path, entry in self.entries.items() for row in entry[3]}
            self._taken = {names.folded(path) for path in self.entries}
        return self._homes

    def meet(self, key: Key, path: str) -> None:
        """Take note of where a record stands that nobody has observed yet."""
        self.homes().setdefault(key, path)

    def new_path(self, record_id: str, folder: str, *, archived: bool) -> str:
        """Return a path for a new task's note that clashes with no other, and keep it for that task."""
        homes = self.homes()
        prefix = f"{folder}/" if folder else ""
        prefix += ARCHIVE if archived else ""
        path = f"{prefix}{names.free_stem(record_id, self._taken, prefix)}.md"
        self._taken.add(names.folded(path))
        homes[Key("task", record_id)] = path
        return path

    def counts(self) -> Mapping[str, int]:
        """Return figures for `tally doctor`: notes with records of ours, other notes, records by kind."""
        figures = {"notes": 0, "other notes": 0, "task": 0, "evidence": 0, "event": 0}
        for entry in self.entries.values():
            figures["notes" if entry[3] else "other notes"] += 1
            for row in entry[3]:
                figures[row[0]] += 1
        return figures

"""Turns changes into edits of files and writes each file once, under the board's lock."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tallystick_adapters.project_json import codec, records
from tallystick_adapters.project_json.folder import Folder, Opened
from tallystick_adapters.project_json.members import edit
from tallystick_adapters.project_json.memory import Memory
from tallystick_adapters.project_json.notes import Listing, Note, Place
from tallystick_adapters.project_json.scanner import scan
from tallystick_adapters.project_json.sheet import ARCHIVE, TASKS, VERIFICATION, VERSIONS, Entry, Sheet
from tallystick_adapters.project_json.splice import rewrite
from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.canonical import digest
from tallystick_contract.errors import Refused, Stale, TallystickError, Unsupported

_ATTEMPTS: Final = 5
"""How often a file is edited anew when somebody who does not take our lock wrote it in between (BC-034)."""

_FIRST_ARCHIVE: Final = ARCHIVE + "completed-tasks-0001.jsonl"
_VERSION: Final = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Step:
    """One edit of one file: a record put at its end, set where it stands, or dropped."""

    verb: Literal["put", "set", "drop"]
    change: Change
    record: Mapping[str, Any] = field(default_factory=dict)


class Writer:
    """Writes one batch. `notes` is what the engine knows of each file; it is kept up to date."""

    def __init__(self, folder: Folder, notes: dict[str, Note], listing: Listing) -> None:
        self._folder = folder
        self._notes = notes
        self._listing = listing
        self._outcomes: dict[Key, Outcome] = {}
        self._sources: dict[str, Sheet] = {}

    def push(self, changes: Sequence[Change]) -> list[Outcome]:
        """Write the changes; return their outcomes in their order. Raises `Broken`."""
        first: dict[str, list[Step]] = {}
        then: dict[str, list[Step]] = {}
        for change in changes:
            try:
                self._plan(change, first, then)
            except TallystickError as error:
                self._outcomes[change.key] = Outcome(change.key, error=error)
        for name, steps in first.items():
            self._rewrite(name, steps)
        for name, steps in then.items():
            self._rewrite(name, [step for step in steps if self._outcomes[step.change.key].error is None])
        return [self._outcomes[change.key] for change in changes]

    def _plan(self, change: Change, first: dict[str, list[Step]], then: dict[str, list[Step]]) -> None:
        """Decide which files a change falls on. Raises what stops it."""
        key = change.key
        if key.kind not in codec.ORDER:
            raise Unsupported(f"records of kind {key.kind} are not written here", where=key.id)
        if any(bad.key == key for bad in self._listing.bad):
            raise Stale("a record of this id is there and cannot be read", where=key.id, todo="repair it on the board")
        place = self._listing.place(key)
        if change.op == "create":
            name = place.name if place else self._home(change)
            record = _readable(key, records.encode(key.kind, key.id, change.image))
            first.setdefault(name, []).append(Step("put", change, record))
        elif place is None:
            raise Stale("is not there any more", where=key.id)
        elif change.op == "delete":
            first.setdefault(place.name, []).append(Step("drop", change))
        elif self._moves(change, place):
            first.setdefault(self._home(change), []).append(Step("put", change, self._moved(change, place)))
            then.setdefault(place.name, []).append(Step("drop", change))
        else:
            first.setdefault(place.name, []).append(Step("set", change))

    @staticmethod
    def _moves(change: Change, place: Place) -> bool:
        return change.key.kind == "task" and change.fields.get("archived", place.archived) != place.archived

    def _moved(self, change: Change, place: Place) -> Mapping[str, Any]:
        """Return the record that is to stand in the other file."""
        if place.name not in self._sources:
            self._sources[place.name] = self._open(place.name).sheet
        sheet = self._sources[place.name]
        record = records.revise(change.key.kind, sheet.read(_expected(sheet, change))[0], change.fields)
        record.setdefault("status", "planned")  # in an archive the status tells a task from evidence
        return _readable(change.key, record)

    def _home(self, change: Change) -> str:
        """Return the file a new record goes to: the live board, or the last archive of tasks."""
        if change.key.kind == "evidence":
            return VERIFICATION
        if not change.image.get("archived"):
            return TASKS
        archives = (name for name in self._folder.signatures() if name.startswith(ARCHIVE + "completed-tasks"))
        return max(archives, default=_FIRST_ARCHIVE)

    def _open(self, name: str, only: Collection[Key] = ()) -> Opened:
        return self._folder.open(name, self._notes.get(name, Note()), only=only)

    def _rewrite(self, name: str, steps: Sequence[Step]) -> None:
        """Edit one file and write it once; edit it anew when somebody else got in between."""
        keys = {step.change.key for step in steps} if all(step.verb == "set" for step in steps) else ()
        for _ in range(_ATTEMPTS):
            opened = self._open(name, keys)
            batch = _Batch(opened.sheet, steps)
            try:
                written = self._folder.write(opened, batch.sheet) if batch.sheet is not opened.sheet else opened
            except Stale as error:
                stopped: TallystickError = error
                continue
            self._settle(written, batch)
            return
        for step in steps:
            self._outcomes[step.change.key] = Outcome(step.change.key, error=stopped)

    def _settle(self, written: Opened, batch: "_Batch") -> None:
        """Report what the file now shows, and remember what was reported."""
        for step in batch.done:
            key = step.change.key
            if step.verb != "drop":
                self._outcomes[key] = Outcome(key, shown=written.sheet.observe(written.sheet.index[key]))
            elif step.change.op == "delete":
                self._outcomes[key] = Outcome(key)
        for key, error in batch.errors.items():
            self._outcomes[key] = Outcome(key, error=error)
        name = written.sheet.name
        keys = [step.change.key for step in batch.done]
        self._notes[name] = self._notes.get(name, Note()).after_write(written.note(), keys)


class _Batch:
    """The steps of one file, applied to its bytes as far as each may be: `sheet`, `done` and `errors`."""

    def __init__(self, sheet: Sheet, steps: Sequence[Step]) -> None:
        self._sheet = sheet
        self.done: list[Step] = []
        self.errors: dict[Key, TallystickError] = {}
        texts: dict[Key, str | None] = {}
        added: list[Mapping[str, Any]] = []
        refusal = _refusal(sheet)
        for step in steps:
            try:
                if refusal is not None:
                    raise refusal
                self._apply(step, texts, added)
            except TallystickError as error:
                self.errors[step.change.key] = error
            else:
                self.done.append(step)
        self.sheet = _rewritten(sheet, texts, added) if texts or added else sheet

    def _apply(self, step: Step, texts: dict[Key, str | None], added: list[Mapping[str, Any]]) -> None:
        key = step.change.key
        if key in texts or any(done.change.key == key for done in self.done):
            raise Stale("was changed before in the same batch", where=key.id)
        if step.verb == "put":
            entry = self._sheet.index.get(key)
            if entry is None:
                added.append(step.record)
            elif self._sheet.read(entry)[1] != step.change.image:
                if step.change.op == "create" or not self._sheet.archived:
                    raise Stale("a record of this id is there already", where=key.id)
                added.append(step.record)  # an older copy in the archive is history: the last one is the record
            return
        entry = _expected(self._sheet, step.change)
        if step.verb == "drop":
            texts[key] = None
            return
        old = self._sheet.read(entry)[0]
        new = _readable(key, records.revise(key.kind, old, step.change.fields))
        plain = json.dumps(new, ensure_ascii=False).isascii()  # and then the spelling of other letters does not matter
        escaped = not plain and self._sheet.escaped
        text = edit(self._sheet.raw(entry), old, new, codec.ORDER[key.kind], escaped=escaped)
        if text != self._sheet.raw(entry):
            texts[key] = text


def _rewritten(sheet: Sheet, texts: Mapping[Key, str | None], added: Sequence[Mapping[str, Any]]) -> Sheet:
    data = rewrite(sheet, texts, added)
    if not sheet.whole:
        return sheet.amended(data, {key: text for key, text in texts.items() if text is not None})
    return scan(sheet.name, data, Memory([entry.row for entry in sheet.entries], sheet.blocks))


def _expected(sheet: Sheet, change: Change) -> Entry:
    """Return the record a change is about. Raises `Stale` when it is not there as the change expects it."""
    entry = sheet.index.get(change.key)
    if entry is None:
        raise Stale("is not there any more", where=change.key.id)
    if sheet.revision(entry) != change.expect or digest(sheet.data[entry.start : entry.end]) != entry.row.digest:
        raise Stale("changed since it was read", where=change.key.id)
    return entry


def _readable(key: Key, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record if it would be read back under its id. Raises `Invalid`, `Unsupported`."""
    codec.decode(key.kind, record)
    if codec.identify(key.kind, record) != key.id:
        raise Unsupported("the id is not in NFC with LF, and would be read as another one", where=key.id)
    return record


def _refusal(sheet: Sheet) -> Refused | None:
    """Return why a file must not be written: it says it is newer than what is known here (BC-042).

    A version that is missing or null is the known one; text counts as the number it spells, and what spells
    none is newer.
    """
    for name, known in VERSIONS.items():
        given = sheet.head.get(name)
        if given is None:
            continue
        found = _VERSION.match(str(given))
        if found is None or (int(found[1]), int(found[2] or 0)) > known:
            return Refused(
                f"{name} is {given!r}, known is {known[0]}: it is read, and not written", where=sheet.name,
                todo="update this program", code="newer-version",
            )  # fmt: skip
    return None

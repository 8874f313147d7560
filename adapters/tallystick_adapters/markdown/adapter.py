"""The Markdown spoke: a vault of notes, one for each task."""

import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from tallystick_adapters.support import files
from tallystick_adapters.support.settings import Durability, read
from tallystick_contract.adapter import Change, Health, Key, Observed, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Capabilities
from tallystick_contract.errors import Broken, Invalid

from . import codec
from .codec import Note
from .index import UNSETTLED, Entry, Index, Signed, packed, revisions, signatures, unpacked
from .names import stem_of
from .places import CAPABILITIES
from .survey import survey
from .vault import PROJECT_NOTE, Vault, decoded
from .writer import Writer

_STATE_VERSION: Final = 2


class Settings(BaseModel):
    """What the configuration says about a vault."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    folder: str = ""
    durability: Durability = "file"


class Markdown:
    """A Markdown or Obsidian vault, mirror-first: the notes of one folder of it show the hub's tasks.

    Settings: `path`, the vault's folder; `folder`, the part of it that holds the tasks (default: all of it);
    `durability`, `file` or `power` (every write survives a power cut). Raises `Invalid`.
    """

    def __init__(self, name: str, settings: Mapping[str, Any], root: str) -> None:
        self._settings = read(Settings, settings, name)
        folder = PurePosixPath(self._settings.folder)
        if folder.is_absolute() or ".." in folder.parts:
            raise Invalid("folder: must lie inside the vault", where=f"spoke {name}", todo="write a relative folder")
        self._name = name
        self._folder = "" if str(folder) == "." else str(folder)
        durable = self._settings.durability == "power"
        self._vault = Vault(Path(root) / self._settings.path, self._folder, durable=durable)
        self._index: Index | None = None
        self._unmarked: dict[str, Key] = {}
        self._unmoved: SpokeState | None = None

    def capabilities(self) -> Capabilities:
        """Return what a note can hold: everything."""
        return CAPABILITIES

    def scope(self) -> str:
        """Return the vault and the part of it that is listed."""
        return f"markdown:{self._settings.path}:{self._folder}"

    def check(self) -> Health:
        """Look whether the vault is there."""
        if self._vault.root.is_dir():
            return Health(ready=True)
        if self._vault.root.exists():
            return Health(ready=False, messages=(f"{self._vault.root} is not a folder",))
        return Health(ready=True, messages=(f"{self._vault.root} is not there yet; the first push creates it",))

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List what changed since `state`; only notes whose size, time or inode changed are read."""
        state = state if state.get("version") == _STATE_VERSION else {}
        remembered = signatures(state)
        if not self._vault.root.is_dir() and remembered:
            raise Broken("is gone", where=str(self._vault.root), todo="put the vault back, or correct its path")
        listing = self._vault.listing() if self._vault.root.is_dir() else {}
        changed = list(listing) if full else _changed(listing, remembered, int(state.get("saved", 0)))
        self._index, self._unmarked, self._unmoved = None, {}, state
        if not changed and len(remembered) == len(listing) and not full:
            return Pull(total=sum(state.get("counts", ())))
        return self._survey(unpacked(state), listing.keys() - set(changed), changed, everything=full)

    def _survey(
        self, remembered: Mapping[str, Entry], same: AbstractSet[str], changed: Sequence[str], *, everything: bool
    ) -> Pull:
        """Read the changed notes, and find out what they and the missing ones mean."""
        index = Index({path: entry for path, entry in remembered.items() if path in same})
        self._index, self._unmoved = index, None
        known = {path: revisions(entry) for path, entry in remembered.items() if path not in same}
        unread = index.shown()
        read: dict[str, Note | Invalid | None] = {}
        signatures: dict[str, Signed] = {}
        for path in changed:
            try:
                data, signatures[path] = self._vault.read(path)
                read[path] = _understood(path, data)
            except FileNotFoundError:
                continue  # deleted since it was listed
            except Broken as error:
                read[path] = Invalid(error.what, todo=error.todo)
        result = survey(self._name, known, unread, read, everything=everything)
        for path, records in result.records.items():
            index.remember(path, UNSETTLED if path in result.again else signatures[path], records)
        self._unmarked = result.unmarked
        there = {key for records in result.records.values() for key in records}
        there |= {one.key for one in result.quarantined if one.key is not None}
        before = {key for records in known.values() for key in records}
        return Pull(
            observed=result.observed, gone=sorted(before - there - unread.keys()), quarantined=result.quarantined,
            total=len(unread) + len(there - unread.keys()) + sum(1 for one in result.quarantined if one.key is None),
            findings=result.findings, counts=index.counts() if everything else {},
        )  # fmt: skip

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the hub's document as a note would show it."""
        return codec.image(key.kind, doc)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write the changes note by note, each note in one step; a refused change stops no other."""
        if not changes:
            return []
        self._index = index = self._index or self._remembered()
        self._unmoved = None
        files.make_folder(self._vault.root)
        writer = Writer(self._vault, index)
        outcomes: dict[int, Outcome] = {}
        with files.locked(self._vault.root):
            if any(change.op == "create" and change.key.kind == "task" for change in changes):
                self._meet_newcomers(index)
            for path, places in self._by_note(index, changes).items():
                written = writer.write(path, [changes[place] for place in places])
                outcomes.update(zip(places, written, strict=True))
        return [outcomes[place] for place in range(len(changes))]

    def _meet_newcomers(self, index: Index) -> None:
        """Learn which tasks stand in notes that appeared since the pull, so that none of them is created once more."""
        for path in self._vault.paths() - index.entries.keys():
            try:
                note = _understood(path, self._vault.read(path)[0])
            except (FileNotFoundError, Broken):
                continue  # gone again, or not to be read: the next pull says so
            if isinstance(note, Note) and note.id:
                index.meet(Key("task", note.id), path)

    def settle_identities(self) -> Sequence[Observed]:
        """Write the id line into every note the last pull found without one; returns what those notes show now."""
        settled: list[Observed | None] = []
        if self._unmarked and self._index is not None:
            self._unmoved = None
            writer = Writer(self._vault, self._index)
            with files.locked(self._vault.root):
                settled = [writer.identify(path, key) for path, key in self._unmarked.items()]
        self._unmarked = {}
        return [one for one in settled if one is not None]

    def _remembered(self) -> Index:
        """Return the notes as the last pull found them; without one, look now."""
        if self._unmoved is not None:
            return Index(unpacked(self._unmoved))
        self.pull({})
        return self._index or Index({})

    def state(self) -> SpokeState:
        """Return every note's signature and the revisions of its records; what `pull` was given if nothing moved."""
        if self._unmoved is not None:
            return self._unmoved
        notes = packed(self._index.entries if self._index else {})
        return {"version": _STATE_VERSION, "saved": time.time_ns(), **notes}

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _by_note(self, index: Index, changes: Sequence[Change]) -> dict[str, list[int]]:
        """Return the places of the changes by the note they belong in; a new task gets a path of its own."""
        groups: dict[str, list[int]] = {}
        for place, change in enumerate(changes):
            known = change.op != "create" and index.shows(change.native, change.key)  # mostly: no look-up needed
            groups.setdefault(change.native if known else "", []).append(place)
        if not (rest := groups.pop("", [])):
            return groups
        homes = index.homes()
        for change in (changes[place] for place in rest):
            if change.key.kind == "task" and change.op == "create" and change.key not in homes:
                archived = bool(change.image.get("archived"))
                index.new_path(change.key.id, self._folder, archived=archived)
        for place in rest:
            change = changes[place]
            path = homes.get(change.key) or homes.get(_target(change)) or PROJECT_NOTE
            groups.setdefault(path, []).append(place)
        return groups


def _changed(listing: Mapping[str, Signed], remembered: Mapping[str, Signed], saved: int) -> list[str]:
    """Return the notes that are new, differ, or were written so late that a change might not show."""
    horizon = saved - files.COARSE_RACY_NS
    if listing == remembered and all(signature[1] < horizon for signature in listing.values()):
        return []
    return [
        path
        for path, signature in listing.items()
        if signature != remembered.get(path) or (signature[1] >= horizon and files.Signature(*signature).racy(saved))
    ]


def _target(change: Change) -> Key:
    """Return the task a record is about; a key no task has if it is about something else."""
    if change.key.kind == "evidence":
        about = change.image.get("target") if change.image.get("targetType", "task") == "task" else None
    else:
        about = change.image.get("taskId") if change.key.kind == "event" else None
    return Key("task", about or "")


def _understood(path: str, data: bytes) -> Note | Invalid | None:
    """Return a note as read; the error if it is one of ours that cannot be read, None if it is not ours."""
    try:
        return codec.parse(decoded(data), stem_of(path))
    except Invalid as error:
        return error if codec.tells(data.decode(errors="replace")) is not None else None

"""The `project-json` spoke: a folder holding tasks.json, verification.json, handoff.json and archives of both."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from tallystick_adapters.project_json import codec, records
from tallystick_adapters.project_json.findings import Analysis, analyse
from tallystick_adapters.project_json.folder import Folder
from tallystick_adapters.project_json.look import Look
from tallystick_adapters.project_json.notes import Note, resolve
from tallystick_adapters.project_json.places import CAPABILITIES
from tallystick_adapters.project_json.writer import Writer
from tallystick_adapters.support.settings import Durability, read
from tallystick_contract.adapter import Change, Health, Key, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc, normalise
from tallystick_contract.capabilities import Capabilities
from tallystick_contract.errors import Broken

_STATE_VERSION: Final = 2


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(min_length=1)
    durability: Durability = "file"


class ProjectJson:
    """A .project board. `path` is its folder; `durability = "power"` makes writes survive a power cut."""

    def __init__(self, name: str, settings: Mapping[str, Any], root: str) -> None:
        """Build the spoke. Raises `Invalid` naming the settings there are."""
        given = read(_Settings, settings, name)
        self._path = given.path
        self._folder = Folder(Path(root) / given.path, durable=given.durability == "power")
        self._given: SpokeState = {}
        self._notes: dict[str, Note] | None = None
        self._total: int | None = None

    def capabilities(self) -> Capabilities:
        """Return what the board can hold."""
        return CAPABILITIES

    def scope(self) -> str:
        """Return the folder as it is configured: a project that is moved is still the same one."""
        return f"project-json:{self._path}"

    def check(self) -> Health:
        """Read the whole board without writing."""
        try:
            listing = Look(self._folder, {}).listing
        except Broken as error:
            return Health(ready=False, messages=(str(error),))
        return Health(ready=True, messages=tuple(bad.reason for bad in listing.bad))

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List what changed since `state`. Files that did not change are not read. Raises `Broken`."""
        if not full and (unchanged := self._unchanged(state)):
            return unchanged
        told = _notes(state)
        look = Look(self._folder, told, full=full)
        before, now = resolve(told), look.listing
        keys = [Key(*key) for key in now.rows] if full else now.changed(before)
        observed = [look.observe(key) for key in keys]
        listed = before.rows.keys() | {bad.key for bad in before.bad if bad.key}
        gone = [Key(*key) for key in sorted(listed - now.present) if key[0] != "event"]
        self._notes, self._total = look.notes, now.total
        analysis = analyse(look.sheets) if full else Analysis()
        every = [*look.findings, *analysis.findings]
        return Pull(observed, gone, now.total, now.complete, now.bad, every, analysis.counts)

    def _unchanged(self, state: SpokeState) -> Pull | None:
        """Return the pull of a board of which no file changed and all could be read; None for any other."""
        files = state["files"] if state.get("version") == _STATE_VERSION else {}
        signatures = self._folder.signatures()
        if not files or files.keys() != signatures.keys():
            return None
        notes = {name: Note.from_json(note, rows=False) for name, note in files.items()}
        if any(note.bad or not note.unchanged(signatures[name]) for name, note in notes.items()):
            return None
        self._given, self._notes, self._total = state, None, state["total"]
        return Pull(total=state["total"])

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the document as the board would show it: written down and read back; events only come from it."""
        if key.kind not in codec.ORDER:
            shown = CAPABILITIES.shown(key.kind)
            return {name: normalise(item) for name, item in doc.items() if name in shown}
        return codec.decode(key.kind, records.encode(key.kind, key.id, doc), archived=bool(doc.get("archived")))

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write the changes, one write per file. Raises `Broken` when a file cannot be used."""
        notes = _notes(self._given) if self._notes is None else dict(self._notes)
        with self._folder.locked():
            outcomes = Writer(self._folder, notes, Look(self._folder, notes).listing).push(changes)
        self._notes = notes  # only now: what was written before something broke, nobody has been told
        if any(change.op != "update" for change in changes):
            self._total = None
        return outcomes

    def state(self) -> SpokeState:
        """Return what the engine was told, per file; what `pull` was given if no file moved."""
        if self._notes is None:
            return self._given
        files = {name: note.to_json() for name, note in self._notes.items()}
        total = resolve(self._notes).total if self._total is None else self._total
        return {"version": _STATE_VERSION, "total": total, "files": files}

    def close(self) -> None:
        """Hold nothing: files are open only while they are read or written."""


def _notes(state: SpokeState) -> dict[str, Note]:
    if state.get("version") != _STATE_VERSION:
        return {}
    return {name: Note.from_json(note) for name, note in state["files"].items()}

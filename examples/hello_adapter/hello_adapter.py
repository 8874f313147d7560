"""A spoke of one's own, whole: tasks as lines of JSON in a text file that people edit too.

    {"id": "T-1", "title": "Say hello", "labels": ["first"], "mood": "bright"}

Members the contract does not know, `mood` here, are the task's extensions.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tallystick_adapters.support import files
from tallystick_contract.adapter import Change, Health, Key, Observed, Outcome, Pull, Quarantined, SpokeState
from tallystick_contract.canonical import Doc, canonical_json, digest, normalise
from tallystick_contract.capabilities import Capabilities, Fidelity, Mapped
from tallystick_contract.errors import Broken, Invalid, Refused, Stale, Unsupported
from tallystick_contract.fields import FIELDS, Merge, sparse
from tallystick_contract.models import Task

TASK: Final = FIELDS["task"]
GAPS: Final = {"acceptanceCriteria", "milestone", "files", "parent", "archived", "deliveryState"}
PLACES: Final = {name: Mapped(Fidelity.UNSUPPORTED if name in GAPS else Fidelity.NATIVE, name) for name in TASK}

type Lines = dict[str | int, tuple[str, Observed | Quarantined]]
"""The lines of a file and what was found on them, by the id of the task, or by number where there is none."""


def image(doc: Doc) -> Doc:
    """Return as much of a document as a line holds."""
    return {name: normalise(item) for name, item in doc.items() if name not in GAPS}


def read_line(row: str, where: str) -> Observed | Quarantined:
    """Read one line, or say why it cannot be read. The revision is that of its content, however it is spelled."""
    key = None
    try:
        members = json.loads(row)
        key = Key("task", str(members["id"]))
        task = Task.parse(members, where)
        return Observed(key, f"the line of {key.id}", digest(canonical_json(members)), image(task.sparse()))
    except (ValueError, TypeError, KeyError, RecursionError, Invalid) as error:
        return Quarantined(where, f"{type(error).__name__}: {error}", key)


def read_lines(raw: bytes) -> Lines:
    """Read all lines; of two with one id the first has it."""
    lines: Lines = {}
    for number, row in enumerate(raw.decode("utf-8", "surrogateescape").split("\n"), 1):
        found = read_line(row, f"line {number}")
        if found.key and found.key.id in lines:
            found = Quarantined(f"line {number}", "an earlier line has this id")
        if row.strip():
            lines[found.key.id if found.key else number] = row, found
    return lines


def written(row: str, fields: Doc) -> str:
    """Return a line with some fields replaced: what else stands on it stays, and sets keep their order."""
    members: dict[str, Any] = json.loads(row)
    if "extensions" in fields:  # the unknown members are among them
        members = {name: item for name, item in members.items() if name in TASK or name == "id"}
    for name, item in image(fields).items():
        order = [*members.get(name, ()), *item] if TASK[name].merge is Merge.SET else ()
        members[name] = sorted(item, key=order.index) if order else item
    return json.dumps(sparse("task", members), ensure_ascii=False)


def carry_out(lines: Lines, change: Change) -> Outcome:
    """Carry out one change on the lines, if its precondition holds."""
    key = change.key
    row, seen = lines.get(key.id, (json.dumps({"id": key.id}), None))
    if isinstance(seen, Quarantined):
        return Outcome(key, error=Refused(seen.reason, seen.native, "mend the line"))
    if change.op == "create" and seen and seen.image == change.image:  # it was done, and the answer lost
        return Outcome(key, seen)
    if change.expect != (seen.revision if seen else None):
        return Outcome(key, error=Stale("the line is not what it was", key.id))
    if change.op == "delete":
        del lines[key.id]
        return Outcome(key)
    row = written(row, change.fields)
    shown = read_line(row, key.id)
    if isinstance(shown, Quarantined):
        return Outcome(key, error=Unsupported(shown.reason, key.id))
    lines[key.id] = row, shown
    return Outcome(key, shown)


class Hello:
    """A file of lines as a spoke; its one setting is `path`."""

    def __init__(self, name: str, settings: Mapping[str, Any], root: str) -> None:
        if set(settings) != {"path"} or not isinstance(settings["path"], str):
            raise Invalid("takes one setting, a path", f"spoke {name}", 'path = "tasks.jsonl"')
        self._path, self._scope = Path(root, settings["path"]), f"hello {settings['path']}"
        self._known: dict[str, str] = {}

    def capabilities(self) -> Capabilities:
        """Return the members of a line; the whole file is written in one step."""
        return Capabilities({"task": PLACES}, absence="delete", atomicity="batch", revisions="checked")

    def scope(self) -> str:
        """Return the path as it is configured."""
        return self._scope

    def check(self) -> Health:
        """Tell whether the file can be made or is there; `pull` names what is wrong in it."""
        return Health(ready=not self._path.exists() or self._path.is_file(), messages=[str(self._path)])

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List the lines whose revision is not the one in `state`, or all of them. Raises `Broken`."""
        known = state.get("lines", {})
        if known and not self._path.exists():
            raise Broken("is gone", str(self._path), "put it back; an empty file says that all tasks were deleted")
        found = read_lines(files.read(self._path)[0] if self._path.exists() else b"").values()
        seen = [line for _, line in found if isinstance(line, Observed)]
        bad = [line for _, line in found if isinstance(line, Quarantined)]
        self._known = {line.key.id: line.revision for line in seen} | {line.key.id: "" for line in bad if line.key}
        changed = [line for line in seen if full or known.get(line.key.id) != line.revision]
        return Pull(changed, [Key("task", ident) for ident in known.keys() - self._known], len(found), quarantined=bad)

    def image(self, _key: Key, doc: Doc) -> Doc:
        """Return as much of a document as a line holds."""
        return image(doc)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write all changes at once, under the folder's lock. Raises `Broken`."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with files.locked(self._path.parent):
            self._path.touch()
            raw, _ = files.read(self._path)
            lines = read_lines(raw)
            outcomes = [carry_out(lines, change) for change in changes]
            data = "".join(f"{row}\n" for row, _ in lines.values()).encode("utf-8", "surrogateescape")
            try:
                files.replace(self._path, data, raw)
            except Stale as error:  # somebody wrote the file without asking for the lock
                return [Outcome(change.key, error=error) for change in changes]
        now = {done.key.id: done.shown.revision if done.shown else None for done in outcomes if done.error is None}
        self._known = {ident: revision for ident, revision in {**self._known, **now}.items() if revision is not None}
        return outcomes

    def state(self) -> SpokeState:
        """Return the revision of every line that was read or written."""
        return {"lines": self._known}

    def close(self) -> None:
        """Nothing is held open."""

"""Edits made in the hub itself: what commands change, under the lifecycle and the gates; spokes get them by `sync`."""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise
from tallystick_contract.errors import Invalid, Refused
from tallystick_contract.fields import FIELDS, Merge, value
from tallystick_contract.gates import delivery_state, missing, with_method_class
from tallystick_contract.journal import WHOLE
from tallystick_contract.lifecycle import step
from tallystick_contract.models import Actor, validated
from tallystick_sync.case import Edit
from tallystick_sync.dependencies import faults
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.history import Stamp, append, line
from tallystick_sync.ledger.records import write_hub
from tallystick_sync.plan import status_event
from tallystick_sync.survey import Lookup


class Editor:
    """One command's edits of the hub: a run of its own, done whole or not at all."""

    def __init__(self, ledger: Ledger, actor: Actor, command: str, now: str, gate_default: Sequence[str] = ()) -> None:
        self.ledger, self.actor, self.now = ledger, actor, now
        self.gate_default = gate_default
        self.command = command
        self._stamp = Stamp(0, now, actor.model_dump())

    def __enter__(self) -> Self:
        """Take the lock and open the run."""
        with ExitStack() as stack:
            stack.enter_context(self.ledger.locked())
            self.ledger.refuse_rolled_back()
            stack.push(self._finish)
            stack.enter_context(self.ledger.transaction())
            self._stamp = Stamp(self.ledger.start_run(self.command, self.now), self.now, self.actor.model_dump())
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep everything, or nothing, the run itself included, if something was refused."""
        self._open.__exit__(kind, error, trace)

    def _finish(self, kind: object, *_: object) -> None:
        if kind is None:
            self.ledger.finish_run(self._stamp.run, self.now, {"command": self.command})

    @property
    def run(self) -> int:
        """Return the number of this run."""
        return self._stamp.run

    def doc(self, key: Key) -> Doc:
        """Return a live record of the hub. Raises `Invalid` when there is none."""
        query = "SELECT doc FROM records WHERE kind = ? AND id = ? AND deleted IS NULL"
        row = self.ledger.db.execute(query, tuple(key)).fetchone()
        if row is None:
            raise Invalid(f"there is no {key.kind} {key.id}", todo="tally task list shows the tasks there are")
        return json.loads(row[0])  # type: ignore[no-any-return]

    def create(self, key: Key, doc: Mapping[str, Any]) -> Doc:
        """Add a record. Raises `Invalid` for a taken id or a wrong document."""
        taken = self.ledger.db.execute("SELECT deleted FROM records WHERE kind = ? AND id = ?", tuple(key)).fetchone()
        if taken is not None:
            raise Invalid(f"the id {key.id} is taken", todo="ids are never used twice; choose another")
        made = validated(key.kind, key.id, normalise(doc))
        if key.kind == "evidence":
            made = with_method_class(made)
        if made.get("dependsOn"):
            refuse_faults(self.ledger, key.id, {}, made)
        self.store(key, made, [Edit(WHOLE, None, made, "")])
        return made

    def set_fields(self, key: Key, fields: Mapping[str, Any]) -> list[Edit]:
        """Change fields of a record; returns the edits really made. Status goes through `move`."""
        before = self.doc(key)
        for name in fields:
            if name not in FIELDS[key.kind] or FIELDS[key.kind][name].merge is Merge.DERIVED or name == "status":
                allowed = sorted(n for n, spec in FIELDS[key.kind].items() if spec.merge is not Merge.DERIVED)
                raise Invalid(f"{name} cannot be set", where=key.id, todo="can be set: " + ", ".join(allowed))
        after = validated(key.kind, key.id, normalise({**before, **fields}))
        edits = _edits(key, before, after)
        if any(edit.field == "dependsOn" for edit in edits):
            refuse_faults(self.ledger, key.id, before, after)
        if edits:
            self.store(key, after, edits)
        return edits

    def move(self, task: str, event: str, reason: str | None = None) -> Doc:
        """Move a task through its lifecycle. Raises `Refused` for an illegal move or an unmet gate."""
        key = Key("task", task)
        before = self.doc(key)
        old = value("task", before, "status")
        new = step(old, event, reason=reason)
        lookup = Lookup(self.ledger, {})
        gated = dict(before)
        if not value("task", before, "decisionGate"):
            gated["decisionGate"] = dict.fromkeys(self.gate_default, True)
        wants = missing(gated, task, new, lookup.evidence(task).values())
        if wants:
            raise Refused(f"{task} cannot be {new} yet", where=task, code="gate", todo="missing: " + "; ".join(wants))
        edit = Edit("status", old, new, "", f"run {self.run}")
        after = validated("task", task, {**before, "status": new})
        self.store(key, after, [edit])
        self.create(*status_event(key, edit, self.now, actor=self.actor.model_dump(), reason=reason))
        return after

    def bury(self, key: Key) -> None:
        """Delete a record: spokes lose it with the next sync, `restore` brings it back."""
        before = self.doc(key)
        self.ledger.db.execute("UPDATE records SET deleted = ?, dirty = 1 WHERE kind = ? AND id = ?", (self.run, *key))
        append(self.ledger, [line(self.ledger, key, Edit(WHOLE, before, None, ""), self._stamp)])
        self._derive(self._about(key))

    def restore(self, task: str) -> list[Key]:
        """Bring a deleted task back, with the evidence and events that went with it."""
        query = (
            "SELECT kind, id, doc FROM records WHERE deleted IS NOT NULL AND ((kind = 'task' AND id = ?) OR about = ?)"
        )
        rows = self.ledger.db.execute(query, (task, task)).fetchall()
        if not any(kind == "task" for kind, _, _ in rows):
            raise Invalid(f"no deleted task {task}", todo="tally log shows what was deleted")
        for kind, ident, text in rows:
            key = Key(kind, ident)
            self.ledger.db.execute("UPDATE records SET deleted = NULL WHERE kind = ? AND id = ?", tuple(key))
            self.ledger.db.execute(
                "DELETE FROM copies WHERE kind = ? AND id = ? AND (gone = 1 OR spoke IN"
                " (SELECT spoke FROM intents WHERE intents.kind = copies.kind AND intents.id = copies.id))",
                tuple(key),
            )  # a deletion of ours that died unnoted must not be taken for somebody's own
            self.store(key, json.loads(text), [Edit(WHOLE, None, json.loads(text), "")])
        return [Key(kind, ident) for kind, ident, _ in rows]

    def store(self, key: Key, doc: Doc, edits: Sequence[Edit]) -> None:
        """Make `doc` the hub's version, journal the edits, mark the record as due, and derive what hangs on it."""
        before = self._about(key)
        write_hub(self.ledger, key, doc)
        append(self.ledger, [line(self.ledger, key, edit, self._stamp) for edit in edits])
        self._derive(before | self._about(key))

    def _about(self, key: Key) -> set[str]:
        """Return the task whose delivery state hangs on a record: itself, or the one the ledger's version is about."""
        if key.kind == "task":
            return {key.id}
        query = "SELECT about FROM records WHERE kind = ? AND id = ? AND about IS NOT NULL"
        return {row[0] for row in self.ledger.db.execute(query, tuple(key))}

    def _derive(self, tasks: Collection[str]) -> None:
        """Derive the delivery state of these tasks anew, where they are live."""
        query = "SELECT doc FROM records WHERE kind = 'task' AND id = ? AND deleted IS NULL"
        lookup = Lookup(self.ledger, {})
        for task in sorted(tasks):
            row = self.ledger.db.execute(query, (task,)).fetchone()
            if row is None:
                continue
            before = json.loads(row[0])
            state = delivery_state(before, task, lookup.evidence(task).values(), claimed=bool(lookup.claims(task)))
            if state != before.get("deliveryState"):
                after = {name: item for name, item in before.items() if name != "deliveryState"}
                after |= {"deliveryState": state} if state else {}
                self.store(Key("task", task), after, [Edit("deliveryState", before.get("deliveryState"), state, "")])


def _edits(key: Key, before: Doc, after: Doc) -> list[Edit]:
    pairs = ((name, value(key.kind, before, name), value(key.kind, after, name)) for name in FIELDS[key.kind])
    return [Edit(name, old, new, "") for name, old, new in pairs if old != new]


def refuse_faults(ledger: Ledger, task: str, before: Doc, after: Doc) -> None:
    """Raise `Refused` when a task would come to depend on an id nobody knows, or on itself by any way round."""
    needed, known = value("task", after, "dependsOn"), Lookup(ledger, {}).dependencies()
    old = set(value("task", before, "dependsOn"))
    kept = [name for name in needed if name not in old or name in known]
    for wants in faults({**known, task: kept}, {task}).values():
        code = "dependency-cycle" if "circle" in wants[0] else "dependency-unknown"
        raise Refused(f"{task} would need {wants[0]}", where=task, code=code, todo="nothing was changed")

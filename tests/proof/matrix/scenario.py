"""What a scenario is: what people did since everything was in step, the command that is disturbed, and how it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Invalid, Refused, Stopped
from tallystick_sync.answers import resolve
from tallystick_sync.policy import Policy
from tests.proof.matrix.project import Project, key_of
from tests.proof.places.memory import Memory

type Step = Callable[[Project], object]

START: Final[Mapping[str, Doc]] = {
    "T-1": {
        "title": "Mend the quay", "description": "One stone.\nTwo stones.\nThree stones.", "status": "in-progress",
        "priority": "p2", "owner": "ana", "labels": ["stone", "wet"], "milestone": "spring", "notes": "Begun.\nHalf.",
        "acceptanceCriteria": [{"text": "dry", "done": False}, {"text": "paid", "done": False}], "files": ["a.py"],
        "due": "2025-03-01", "extensions": {"x-crew": {"size": 3}},
    },
    "T-2": {"title": "Paint the crane", "dependsOn": ["T-1"], "parent": "T-1"},
    "T-3": {"title": "Oil the winch", "labels": ["metal"]},
    "T-4": {"title": "Test the lock", "status": "in-progress", "decisionGate": {"requiresVerification": True}},
    "E-1": {"target": "T-1", "status": "partial", "method": "pytest", "timestamp": "2024-12-01T10:00:00Z"},
    "V-1": {"taskId": "T-1", "kind": "progress", "atIso": "2024-12-01T10:00:00Z",
            "actor": {"type": "agent", "id": "bo"}, "payload": {"text": "half"}},
}  # fmt: skip
"""What every spoke shows, as far as it can, before a scenario begins."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario.

    `steps` happen before the `command`; `between` happens while it runs, after it has read and before it writes.
    `ends` tells by id what hub and spokes show when all is in step again: these fields, or nothing at all (None).
    `asks` are the open questions by id and field, with their values by spoke; `holds` the moves that gates hold.
    `shows` tells of single spokes what they go on showing, whatever the hub holds, or of the `hub` alone.
    `tells` lists the events of a task's moves: kind, payload and actor. `again` says that the command's own run is not
    enough, as something happened too late for it. `unlike` replaces any of these for one kind of adapter; `without`
    names kinds that cannot live it, and why.
    """

    name: str
    steps: Sequence[Step] = ()
    command: Step = Project.sync
    between: Step | None = None
    ends: Mapping[str, Doc | None] = field(default_factory=dict)
    asks: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    holds: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    shows: Mapping[str, Mapping[str, Doc | None]] = field(default_factory=dict)
    tells: Mapping[str, Sequence[Doc]] = field(default_factory=dict)
    again: bool = False
    unlike: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)

    def on(self, kind: str) -> "Scenario":
        """Return the scenario as it goes with one kind of adapter."""
        return replace(self, **self.unlike.get(kind, {}))


def put(spoke: str, ident: str, **fields: Any) -> Step:
    """A person edits a record on a spoke, or writes a new one."""
    return lambda project: project.put(spoke, ident, **fields)


def drop(spoke: str, *idents: str) -> Step:
    """A person deletes records on a spoke."""
    return lambda project: project.drop(spoke, *idents)


def synced(*only: str) -> Step:
    """A run that nothing disturbs."""
    return lambda project: project.sync(*only)


def torn(spoke: str, *, torn: bool = True) -> Step:
    """What a reference spoke lists has holes from now on, or is whole again."""

    def act(project: Project) -> None:
        place = project.places[spoke]
        assert isinstance(place, Memory)
        place.tear(torn=torn)

    return act


def joined(*names: str) -> Step:
    """More spokes are configured."""
    return lambda project: project.members.extend(names)


def closed(name: str) -> Step:
    """A spoke is configured as one that is not written to."""
    return lambda project: project.closed.add(name)


def opened(name: str) -> Step:
    """A spoke is written to from now on."""
    return lambda project: project.closed.discard(name)


def ruled(policy: Policy) -> Step:
    """The project decides by another policy from now on."""

    def act(project: Project) -> None:
        project.policy = policy

    return act


def gated(*gates: str) -> Step:
    """Every task that names no gate of its own has these from now on."""

    def act(project: Project) -> None:
        project.gates = gates

    return act


def adopted(project: Project) -> None:
    """What was agreed is forgotten, though the ledger did not ask for it."""
    project.adopt()


def lost(project: Project) -> None:
    """The ledger is lost."""
    for path in project.folder.glob("ledger.db*"):
        path.unlink()


def rolled_back(*since: Step) -> Step:
    """The ledger is put back as it was before these steps; only its head is not."""

    def act(project: Project) -> None:
        old = project.path.read_bytes()
        for step in since:
            step(project)
        project.path.write_bytes(old)

    return act


def adopting(project: Project) -> None:
    """`tally adopt`, where the ledger asks for it, then a run."""
    with project.ledger() as ledger:
        try:
            ledger.refuse_rolled_back()
        except Stopped:
            asked = True
        else:
            asked = False
    if asked:
        project.adopt()
    project.sync()


def afresh(spoke: str) -> Step:
    """`tally adopt --spoke`, unless the spoke counts as a new one already, then a run."""

    def act(project: Project) -> None:
        with project.ledger() as ledger:
            known = ledger.db.execute("SELECT 1 FROM spokes WHERE name = ?", (spoke,)).fetchone()
        if known:
            project.adopt(spoke)
        project.sync()

    return act


def edited(*edits: Callable[[Any], object]) -> Step:
    """One command that edits the hub, then a run; a command that turns out to be done already is left alone."""

    def act(project: Project) -> None:
        try:
            with project.editor() as editor:
                for edit in edits:
                    edit(editor)
        except (Invalid, Refused):
            if not project.disturbed:
                raise
        project.sync()

    return act


def refusing(edit: Callable[[Any], object]) -> Step:
    """One command that has to be refused, then a run."""

    def act(project: Project) -> None:
        try:
            with project.editor() as editor:
                edit(editor)
        except Refused:
            project.sync()
        else:
            raise AssertionError("a command that had to be refused was not")

    return act


def set_in_hub(ident: str, **fields: Any) -> Callable[[Any], object]:
    """The fields of a record are set by command."""
    return lambda editor: editor.set_fields(key_of(ident), fields)


def made_in_hub(ident: str, **fields: Any) -> Callable[[Any], object]:
    """A record is made by command."""
    return lambda editor: editor.create(key_of(ident), fields)


def moved_in_hub(ident: str, event: str, reason: str | None = None) -> Callable[[Any], object]:
    """A task goes through its lifecycle by command."""
    return lambda editor: editor.move(ident, event, reason)


def deleted_in_hub(ident: str) -> Callable[[Any], object]:
    """A record is deleted by command."""
    return lambda editor: editor.bury(key_of(ident))


def restored_in_hub(ident: str) -> Callable[[Any], object]:
    """A deleted task is brought back by command."""
    return lambda editor: editor.restore(ident)


def answered(ident: str, name: str, **how: Any) -> Callable[[Any], object]:
    """An open question is answered by command."""
    return lambda editor: resolve(editor, key_of(ident), name, **how)

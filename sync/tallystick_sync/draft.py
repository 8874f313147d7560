"""The first half of a decision: what all deltas of a record, each against its own base, make of the hub's document."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tallystick_contract.adapter import Finding
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import FIELDS, Field, Merge, same, value
from tallystick_contract.gates import missing
from tallystick_contract.lifecycle import irregular
from tallystick_contract.models import validated
from tallystick_sync.case import Case, Conflict, Copy, Decision, Edit, Held, World
from tallystick_sync.merge import ABSENT, CLASH, Side, distinct, merge
from tallystick_sync.policy import HUB, Claim

DONE: Final = "completed"


@dataclass(slots=True)
class Draft:
    """A record half decided: the merged document and the decision so far."""

    case: Case
    decision: Decision
    doc: dict[str, Any] = field(default_factory=dict)

    def freeze(self, name: str, spokes: Sequence[str]) -> None:
        """Keep one field of these spokes as it is, unwritten and unaccepted."""
        for spoke in spokes:
            self.decision.frozen.setdefault(spoke, set()).add(name)

    def hold(self, name: str, missing: Sequence[str]) -> None:
        """Put a field back to the hub's value and hold the move on every spoke that made it; mirrors wait already.

        Whoever was outdone by that move waits too, with a value of his own.
        """
        spec = FIELDS[self.case.key.kind][name]
        wanted = self.doc.get(name, spec.default)
        if self.case.hub is not None and name in self.case.hub:
            self.doc[name] = self.case.hub[name]
        else:
            self.doc.pop(name, None)
        self.decision.edits = [edit for edit in self.decision.edits if edit.field != name]
        kept = self.doc.get(name, spec.default)
        waiting = {spoke for move in self.decision.held if move.field == name for spoke in move.spokes}
        copies = {spoke: copy for spoke, copy in sorted(self.case.copies.items()) if spoke not in waiting}
        shown = {
            spoke: _seen(self.case, spoke, name) for spoke, copy in copies.items() if name in moved(self.case, copy)
        }
        shown = {spoke: item for spoke, item in shown.items() if not same(spec, item, kept)}
        outdone = {spoke for spoke in shown if spec.merge is Merge.VALUE and not same(spec, shown[spoke], wanted)}
        makers = [spoke for spoke in shown if spoke not in outdone]
        self.decision.held.append(Held(self.case.key, name, wanted, makers, missing))
        self.decision.held += [
            Held(self.case.key, name, shown[spoke], [spoke], [f"what becomes of {wanted} from {', '.join(makers)}"])
            for spoke in sorted(outdone)
        ]
        self.freeze(name, list(shown))


def base_value(copy: Copy, kind: str, name: str) -> Any:
    """Return what a copy agreed on for a field; a status nothing was agreed about equals nothing."""
    if copy.base is None:
        return ABSENT if name == "status" else FIELDS[kind][name].default
    return value(kind, copy.base, name)


def moved(case: Case, copy: Copy) -> set[str]:
    """Return the fields the spoke shows otherwise than agreed; derived ones are never moves."""
    if copy.seen is None or copy.seen is copy.base or copy.unreadable:
        return set()
    kind = case.key.kind
    names = set(copy.seen) | set(copy.base or {})
    if copy.base is None and "status" in FIELDS[kind]:
        names.add("status")
    return {
        name
        for name in names
        if (spec := FIELDS[kind].get(name)) is not None
        and spec.merge is not Merge.DERIVED
        and not same(spec, value(kind, copy.seen, name), base_value(copy, kind, name))
    }


def draft(case: Case, world: World) -> Draft:
    """Merge every spoke's moves into the hub's document, field by field.

    What a spoke that is away was last seen to show counts too: an open question does not vanish with its spoke.
    """
    if case.hub is None and len(case.copies) == 1:
        (copy,) = case.copies.values()
        return Draft(case, Decision(case.key), dict(copy.seen or {}))
    made = Draft(case, Decision(case.key), dict(case.hub or {}))
    movers: dict[str, list[str]] = {}
    for spoke in sorted(case.copies):
        for name in moved(case, case.copies[spoke]):
            movers.setdefault(name, []).append(spoke)
    for name in sorted(movers):
        _merge_field(made, world, FIELDS[case.key.kind][name], movers[name])
    return made


def _merge_field(made: Draft, world: World, spec: Field, movers: list[str]) -> None:
    case, name = made.case, spec.name
    mirrors = [spoke for spoke in movers if case.hub is not None and world.policy.mirrors(spoke)]
    movers = [spoke for spoke in movers if spoke not in mirrors]
    hub = value(case.key.kind, case.hub or {}, name)
    if case.hub is None and name == "status":
        hub = ABSENT
    sides = [Side(base_value(case.copies[spoke], case.key.kind, name), _seen(case, spoke, name)) for spoke in movers]
    merged = merge(spec, hub, sides)
    if merged is CLASH:
        merged = _ask(made, world, spec, movers, hub)
    _hold_mirrors(made, world, spec, mirrors, merged)
    if same(spec, merged, hub):
        return
    made.doc[name] = merged
    source = next((spoke for spoke in movers if same(spec, _seen(case, spoke, name), merged)), movers[0])
    made.decision.edits.append(Edit(name, None if hub == ABSENT else hub, merged, source, case.copies[source].revision))


def _hold_mirrors(made: Draft, world: World, spec: Field, mirrors: list[str], merged: Any) -> None:
    """Let a mirror's own value wait, unless the authority has come to the same."""
    for spoke in mirrors:
        item = _seen(made.case, spoke, spec.name)
        if not same(spec, item, merged):
            wanted = [f"{world.policy.authority or 'the authority'} to take it (canonical-plus-mirror)"]
            made.decision.held.append(Held(made.case.key, spec.name, item, [spoke], wanted))
            made.freeze(spec.name, [spoke])


def _seen(case: Case, spoke: str, name: str) -> Any:
    return value(case.key.kind, case.copies[spoke].seen or {}, name)


def _ask(made: Draft, world: World, spec: Field, movers: list[str], hub: Any) -> Any:
    """Let the field's policy choose; where it does not, freeze the field and ask. Returns the hub's value to be.

    A new record has no value yet: it gets that of the first spoke by name for the time being, though never one that
    would complete it, and only those who disagree with it are frozen: a question ends when they come round.
    """
    case = made.case
    waiting = {spoke: case.copies[spoke].since.get(spec.name) for spoke in movers}
    claims = [Claim(spoke, _seen(case, spoke, spec.name), since or world.run) for spoke, since in waiting.items()]
    if case.hub is not None:  # a question left open says of the hub's value too that it is as old as that
        claims.append(Claim(HUB, hub, max(since or 0 for since in waiting.values())))
    if case.key.kind == "event":  # one event noted by two engines: every engine picks the same spelling of it
        return distinct(spec, [claim.value for claim in claims])[0]
    chosen = world.policy.choose(spec, claims)
    if chosen is not None:
        text = f"{spec.name}: took {chosen.source}'s value by policy over {len(claims) - 1} other"
        made.decision.findings.append(Finding("policy", text, case.key.id))
        return chosen.value
    made.decision.conflicts.append(Conflict(case.key, spec.name, {claim.source: claim.value for claim in claims}))
    settled = hub if case.hub is not None else next((c.value for c in claims if c.value != DONE), claims[0].value)
    made.freeze(spec.name, [claim.source for claim in claims if not same(spec, claim.value, settled)])
    return settled


def judge(made: Draft, world: World, evidence: dict[str, Doc]) -> None:
    """Apply gates and lifecycle to a task's new status."""
    case, status = made.case, value("task", made.doc, "status")
    if case.hub is None:
        _judge_new(made, world, evidence)
        return
    before = value("task", case.hub, "status")
    lowered = sorted(set(value("task", case.hub, "decisionGate")) - set(value("task", made.doc, "decisionGate")))
    if lowered:
        made.decision.findings.append(Finding("gate-lowered", ", ".join(lowered), case.key.id))
    if status == before:
        return
    gate = {**value("task", case.hub, "decisionGate"), **value("task", made.doc, "decisionGate")}
    gated = {**made.doc, "status": before, "decisionGate": gate or dict.fromkeys(world.gate_default, True)}
    approved = world.approved(case.key.id, made.doc)
    wants = missing(gated, case.key.id, status, evidence.values(), approved=approved)
    if wants:
        made.hold("status", wants)
        if set(gate) - set(value("task", made.doc, "decisionGate")):
            made.hold("decisionGate", ["the move it was lowered for, or an answer of its own"])
    elif irregular(before, status):
        text = f"{before} -> {status} is not a move of the lifecycle; taken as observed"
        made.decision.findings.append(Finding("D-03", text, case.key.id))


def _judge_new(made: Draft, world: World, evidence: dict[str, Doc]) -> None:
    """Hold a completion that comes with a new task, unless it is history.

    History is what the archive and a spoke's first listing show, as long as nobody contradicts it.
    """
    case = made.case
    shown = {spoke: _seen(case, spoke, "status") for spoke, copy in case.copies.items() if copy.seen is not None}
    others = sorted(set(shown.values()) - {DONE})
    history = value("task", made.doc, "archived") or world.adopting.issuperset(shown)
    if value("task", made.doc, "status") != DONE or (history and not others):
        return
    before = others[0] if others else FIELDS["task"]["status"].default
    gate = value("task", made.doc, "decisionGate") or dict.fromkeys(world.gate_default, True)
    gated = {**made.doc, "status": before, "decisionGate": gate}
    approved = world.approved(case.key.id, made.doc)
    wants = missing(gated, case.key.id, DONE, evidence.values(), approved=approved)
    if wants:
        movers = sorted(spoke for spoke, status in shown.items() if status == DONE)
        made.doc["status"] = before
        made.decision.held.append(Held(case.key, "status", DONE, movers, wants))
        made.freeze("status", movers)


def check(made: Draft) -> None:
    """Put the merged document through the contract; a record that fails is left alone and named."""
    if made.doc == made.case.hub:
        return
    try:
        made.doc = validated(made.case.key.kind, made.case.key.id, made.doc)
    except Invalid as error:
        made.decision.problem = error.what

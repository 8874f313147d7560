"""The plan: bases, hub and observations in, every write, question and gap of the run out; pure.

`tally plan` prints what this returns and `tally sync` does exactly that.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tallystick_contract.adapter import Change, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import DERIVED, FIELDS, same, value
from tallystick_contract.gates import delivery_state, with_method_class
from tallystick_contract.journal import entry_id
from tallystick_contract.lifecycle import EXPLICIT, event_between, irregular
from tallystick_sync.case import Case, Copy, Decision, Edit, Plan, Spoke, World
from tallystick_sync.dependencies import faults
from tallystick_sync.draft import Draft, base_value, check, draft, judge
from tallystick_sync.presence import ask_identity, find_namesakes, forget_vanished, settle_presence


def plan(cases: Iterable[Case], world: World) -> Plan:
    """Decide every case; the result depends on neither the order of cases nor that of spokes.

    Evidence comes first, since gates look at it; the events that decisions give rise to come last.
    """
    ordered = sorted(cases, key=lambda case: (case.key.kind == "event", case.key.kind == "task", case.key.id))
    decisions: list[Decision] = []
    drafts: list[Draft] = []
    namesakes = find_namesakes(ordered, world)
    twins = {
        (spoke, namesakes[case.key.id][1]) for case in ordered if case.key.id in namesakes for spoke in case.copies
    }
    for case in ordered:
        made = _begin(case, world, decisions, namesakes)
        if made is not None:
            drafts.append(made)
    evidence, claims = _evidence(drafts), _claims(drafts)
    events = {made.case.key.id for made in drafts if made.case.key.kind == "event"}
    _hold_faulty_dependencies(drafts, world)
    for made in drafts:
        if made.case.key.kind == "task":
            known = world.evidence(made.case.key.id)
            about = {ident: doc for ident, doc in known.items() if ident not in evidence.moved}
            about |= evidence.about.get(made.case.key.id, {})
            judge(made, world, about)
            claimed = made.case.key.id in claims or not events.issuperset(world.claims(made.case.key.id))
            _derive(made, about, claimed=claimed)
        decisions.append(_finish(made, world, twins))
    return Plan(decisions + _with_events(decisions, world))


def _begin(
    case: Case, world: World, decisions: list[Decision], namesakes: Mapping[str, tuple[str, str]]
) -> Draft | None:
    decision = Decision(case.key)
    forget_vanished(case, world, decision)
    if case.hub is None and not any(case.copies[name].seen for name in case.copies if name in world.spokes):
        decisions += [decision] if decision.copies else []
        return None  # known only from a spoke that is not in this run, or not at all any more
    goes_on = settle_presence(case, world, decision, set(namesakes.values()))
    namesake = namesakes.get(case.key.id) if goes_on and case.key.kind == "task" else None
    if namesake is not None:
        ask_identity(case, namesake, decision)
    if not goes_on or namesake is not None:
        _remove(case, world, decision)
        decisions.append(decision)
        return None
    made = draft(case, world)
    made.decision.conflicts = decision.conflicts + made.decision.conflicts
    made.decision.copies = dict(decision.copies)
    if case.key.kind == "evidence":
        made.doc = with_method_class(made.doc)
    if case.key.kind != "task":
        check(made)
    return made


def _remove(case: Case, world: World, decision: Decision) -> None:
    """Turn what waits for deletion on reachable spokes into changes."""
    for spoke in sorted(decision.waiting & set(world.spokes)):
        copy = case.copies[spoke]
        if copy.unreadable:
            continue
        decision.changes[spoke] = Change("delete", case.key, copy.revision, {}, {}, copy.native)


class _Evidence(NamedTuple):
    """The merged evidence of this run: by the task it is about, and the ids it is known by."""

    about: dict[str, dict[str, Doc]]
    moved: set[str]


def _evidence(drafts: Sequence[Draft]) -> _Evidence:
    """Return the merged evidence of this run; what breaks the contract proves nothing."""
    found = _Evidence({}, set())
    for made in drafts:
        if made.case.key.kind == "evidence" and not made.decision.problem:
            found.about.setdefault(str(made.doc.get("target")), {})[made.case.key.id] = made.doc
            found.moved.add(made.case.key.id)
    return found


def _hold_faulty_dependencies(drafts: Sequence[Draft], world: World) -> None:
    """Keep dependencies that are unknown or close a circle out of the hub, and say which."""
    tasks = {made.case.key.id: made for made in drafts if made.case.key.kind == "task"}
    changed = {task for task, made in tasks.items() if _moved_dependencies(made)}
    if not changed:
        return
    graph = {**world.dependencies(), **{task: value("task", made.doc, "dependsOn") for task, made in tasks.items()}}
    for task, wants in faults(graph, changed).items():
        tasks[task].hold("dependsOn", wants)


def _moved_dependencies(made: Draft) -> bool:
    if made.case.hub is None:
        return bool(made.doc.get("dependsOn"))
    return any(edit.field == "dependsOn" for edit in made.decision.edits)


def _claims(drafts: Sequence[Draft]) -> set[str]:
    """Return the tasks that a progress event of this run is about."""
    return {
        str(made.doc.get("taskId"))
        for made in drafts
        if made.case.key.kind == "event" and made.doc.get("kind") == "progress"
    }


def _derive(made: Draft, evidence: Mapping[str, Doc], *, claimed: bool) -> None:
    state = delivery_state(made.doc, made.case.key.id, evidence.values(), claimed=claimed)
    made.doc.pop("deliveryState", None)
    if state is not None:
        made.doc["deliveryState"] = state


def _finish(made: Draft, world: World, twins: set[tuple[str, str]]) -> Decision:
    """Validate the merged document, advance bases over what was accepted, and plan what is due on each spoke."""
    decision, case = made.decision, made.case
    check(made)
    if decision.problem:
        decision.copies |= case.copies
        decision.edits.clear()
        return decision
    if made.doc != case.hub:
        decision.hub = made.doc
    decision.waiting |= world.absent
    if case.hub is not None:
        for name in DERIVED[case.key.kind]:
            before, after = (value(case.key.kind, doc, name) for doc in (case.hub, made.doc))
            if before != after:
                decision.edits.append(Edit(name, before, after, ""))
    for spoke in sorted(case.copies):
        if spoke in world.spokes:
            decision.copies[spoke] = _advance(made, case.copies[spoke], decision.frozen.get(spoke, set()), world.run)
    for spoke in sorted(world.spokes):
        _due(made, spoke, world.spokes[spoke], twins)
    return decision


def _advance(made: Draft, copy: Copy, frozen: set[str], run: int) -> Copy:
    """Return the copy with its base moved to what it shows, but for frozen fields."""
    if copy.seen is None or copy.unreadable or copy.gone:
        return copy
    if not frozen:
        return Copy(copy.seen, None, copy.native, copy.revision)
    kind = made.case.key.kind
    held = {move.field for move in made.decision.held} if copy.base is None else set()
    base = {name: item for name, item in copy.seen.items() if name not in frozen}
    for name in frozen:
        agreed = value(kind, made.doc, name) if name in held else base_value(copy, kind, name)
        if agreed != FIELDS[kind][name].default:
            base[name] = agreed
    since = {name: copy.since.get(name, run) for name in sorted(frozen)}
    return Copy(base, copy.seen, copy.native, copy.revision, since=since)


def _due(made: Draft, name: str, spoke: Spoke, twins: set[tuple[str, str]]) -> None:
    """Plan the write that brings one spoke to the hub's document, if one is due."""
    decision, key, kind = made.decision, made.case.key, made.case.key.kind
    if not spoke.capabilities.takes(kind):
        if not spoke.capabilities.holds(kind):
            decision.gaps.append((name, kind))
        return
    decision.gaps += [(name, f"{kind}.{field}") for field in _lost(spoke, kind, made.doc)]
    copy = decision.copies.get(name)
    if copy is not None and copy.gone:
        return
    if not spoke.writable:
        return
    if (copy is not None and copy.unreadable) or (name, key.id) in twins:
        decision.waiting.add(name)
        return
    as_shown = copy is not None and made.doc == copy.base  # and an image is an image of itself
    image = made.doc if as_shown else spoke.image(key, made.doc)
    if copy is None or copy.base is None:
        if not spoke.complete:
            decision.waiting.add(name)  # it may be there, on the page that is missing
            return
        decision.changes[name] = Change("create", key, None, image, image)
        return
    frozen = decision.frozen.get(name, set())
    shown = copy.seen if copy.seen is not None else copy.base
    fields = _differences(kind, spoke, image, copy.base, frozen)
    if fields:
        target = {item: image[item] for item in image if item not in frozen}
        target |= {item: shown[item] for item in frozen if item in shown}
        decision.changes[name] = Change("update", key, copy.revision, fields, target, copy.native)


def _lost(spoke: Spoke, kind: str, doc: Doc) -> list[str]:
    gaps = spoke.capabilities.gaps(kind)
    if gaps.isdisjoint(doc):
        return []
    return sorted(name for name in doc if name in gaps and name not in DERIVED[kind])


def _differences(kind: str, spoke: Spoke, image: Doc, base: Doc, frozen: set[str]) -> dict[str, Any]:
    """Return the fields in which the spoke would have to change, each with its new value."""
    if image == base:
        return {}
    shown = spoke.capabilities.shown(kind)
    return {
        name: value(kind, image, name)
        for name in sorted((set(image) | set(base)) & shown)
        if name not in frozen and not same(FIELDS[kind][name], value(kind, image, name), value(kind, base, name))
    }


def _with_events(decisions: Sequence[Decision], world: World) -> list[Decision]:
    """Return decisions that write the events of status moves wherever events are held."""
    made = []
    for decision in decisions:
        for edit in decision.edits:
            if edit.field == "status" and decision.key.kind == "task" and edit.before is not None and edit.spoke:
                key, doc = status_event(decision.key, edit, world.now, again=world.repeats(decision.key, edit))
                if not world.known(key):
                    made.append(_born(key, doc, world))
    return made


def status_event(
    key: Key, edit: Edit, now: str, *, actor: Mapping[str, str] | None = None, reason: str | None = None, again: int = 0
) -> tuple[Key, Doc]:
    """Return the event of one status move; the same move seen by two engines gives the same event id.

    `again` counts the times the spoke has made this move before.
    """
    before, after = edit.before, edit.after
    name = event_between(before, after)
    payload: dict[str, Any] = {"before": before, "after": after}
    if irregular(before, after) and reason is None:
        payload["irregular"] = True
    if name in EXPLICIT:
        payload["inferred"] = reason is None
    if reason:
        payload["reason"] = reason
    kind = name if name in EXPLICIT else "status-change"
    source = f"{edit.spoke} {edit.revision}" + (f" {again}" if again else "")
    identity = entry_id(key, "status", before, after, source)
    who = actor or {"type": "external", "id": edit.spoke}
    return Key("event", identity), {
        "taskId": key.id, "kind": kind, "atIso": now, "actor": dict(who), "payload": payload,
    }  # fmt: skip


def _born(key: Key, doc: Doc, world: World) -> Decision:
    """Return the decision for a record that starts in the hub: it is created wherever its kind is taken."""
    return _finish(Draft(Case(key, None, {}), Decision(key), dict(doc)), world, set())

"""Whether a record shall exist: deletions, tombstones, returns, and records that may be the same one."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from tallystick_contract.canonical import Doc
from tallystick_sync.case import IDENTITY, PRESENCE, Case, Conflict, Copy, Decision, World
from tallystick_sync.draft import moved

GONE = "gone"
PRESENT = "present"


def settle_presence(case: Case, world: World, decision: Decision, doubted: Collection[tuple[str, str]]) -> bool:
    """Decide about existence; return True when the rest of the record's plan shall go on.

    A deletion never beats an edit, absence where the spoke declares `ask` is a question, and evidence and events
    are never deleted by absence alone: they are put back. An edit stands against a deletion until somebody answers,
    and what was asked about a spoke that is away by now goes on being asked. `doubted` names
    spokes and tasks that may not be gone at all, but go by another id there now.
    """
    if case.deleted:
        _bury(case, world, decision)
        return False
    gone = sorted(spoke for spoke, copy in case.copies.items() if copy.gone)
    here = [spoke for spoke in gone if spoke in world.spokes]
    if not gone:
        return True
    if case.key.kind != "task":
        for spoke in here:
            case.copies[spoke] = Copy()
        return True
    rivals = _edited(case, here, world)
    asks = [spoke for spoke in here if world.spokes[spoke].capabilities.absence == "ask" and not world.yes]
    asks += [spoke for spoke in gone if spoke not in here or (spoke, case.key.id) in doubted]
    mirrors = [spoke for spoke in gone if world.policy.mirrors(spoke)]
    contested = bool(rivals) or any(PRESENCE in case.copies[spoke].since for spoke in gone)
    if contested or asks or mirrors:
        for spoke in gone if contested else ():
            copy = case.copies[spoke]
            case.copies[spoke] = replace(copy, since={PRESENCE: world.run, **copy.since})
        values = dict.fromkeys(gone, GONE) | dict.fromkeys(rivals, "edited") | {"hub": PRESENT}
        decision.conflicts.append(Conflict(case.key, PRESENCE, values))
        return True
    decision.deleted = True
    _bury(case, world, decision)
    return False


def forget_vanished(case: Case, world: World, decision: Decision) -> None:
    """Drop copies that were seen and are gone before anything was agreed about them."""
    for spoke, copy in sorted(case.copies.items()):
        if copy.gone and copy.base is None and spoke in world.spokes:
            decision.copies[spoke] = None
    case.copies = {spoke: copy for spoke, copy in case.copies.items() if spoke not in decision.copies}


def _edited(case: Case, gone: list[str], world: World) -> list[str]:
    """Return where the record was edited since the vanished copies agreed with the hub.

    The hub counts where it holds what such a copy would show and never did.
    """
    rivals = sorted(spoke for spoke, copy in case.copies.items() if not copy.gone and moved(case, copy))
    due = [Copy(case.copies[spoke].base, world.spokes[spoke].image(case.key, case.hub or {})) for spoke in gone]
    return rivals + (["hub"] if any(moved(case, copy) for copy in due) else [])


def _bury(case: Case, world: World, decision: Decision) -> None:
    """Delete every copy that is as agreed, forget those already gone, ask about those that came back or changed."""
    strays: dict[str, str] = {}
    for spoke, copy in sorted(case.copies.items()):
        place = world.spokes.get(spoke)
        if copy.gone or (copy.base is None and copy.seen is None and not copy.unreadable):
            decision.copies[spoke] = None
        elif copy.seen is not None and (copy.base is None or moved(case, copy)):
            strays[spoke] = PRESENT
            decision.copies[spoke] = copy
        elif place is None or copy.unreadable or (place.writable and place.capabilities.deletes):
            decision.waiting.add(spoke)
        else:
            decision.gaps.append((spoke, "deletion"))
    if strays:
        decision.conflicts.append(Conflict(case.key, PRESENCE, {**strays, "hub": "deleted"}))


def find_namesakes(cases: Iterable[Case], world: World) -> dict[str, tuple[str, str]]:
    """Return, by id, the new tasks that look like one their spoke does not have: that spoke, and the other's id.

    Boards and vaults filled apart have them, and so has a spoke on which a task was given another id.
    """
    found: dict[str, tuple[str, str]] = {}
    for case in cases if not world.yes else ():
        if case.hub is not None or case.key.kind != "task":
            continue
        for spoke, copy in sorted(case.copies.items()):
            other = world.namesake(spoke, case.key.id, _text(copy.seen)) if copy.seen and not copy.gone else None
            if other is not None:
                found.setdefault(case.key.id, (spoke, other))
    return found


def ask_identity(case: Case, namesake: tuple[str, str], decision: Decision) -> None:
    """Ask whether two records are one; neither is created on the spokes in question until it is answered."""
    spoke, other = namesake
    decision.conflicts.append(Conflict(case.key, IDENTITY, {spoke: case.key.id, "hub": other}))
    decision.copies |= case.copies


def _text(doc: Doc) -> Doc:
    return {name: doc[name] for name in ("title", "description") if name in doc}

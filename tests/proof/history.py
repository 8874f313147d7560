"""What the hub may become from one moment to the next, whoever changed it: gates, tombstones, journal, events."""

import json
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, Merge, same, value
from tallystick_contract.models import validated
from tallystick_sync.ledger.history import replay_differences
from tests.proof.snapshot import Snapshot
from tests.sync.rig import Rig

DONE: Final = "completed"


def check_history(rig: Rig, before: Snapshot, after: Snapshot, *, relived: bool) -> None:
    """Hold every change of the hub to what must be true of any.

    `relived` says that the ledger was lost once: then a move may be one whose event is there already.
    """
    check_gates(rig, before, after)
    check_journal(rig, before, after)
    check_events(before, after, relived=relived)
    for key, doc in after.docs.items():
        if doc != before.docs.get(key):
            assert validated(key.kind, key.id, doc) == doc, f"{key.id} breaks the contract"


def check_gates(rig: Rig, before: Snapshot, after: Snapshot) -> None:
    """A task that has come to be completed had all that its gate wants, the gate before the move counted too.

    What the archive and a spoke's first listing show is history.
    """
    for key, doc in after.docs.items():
        if key.kind != "task" or value("task", doc, "status") != DONE:
            continue
        old = before.docs.get(key)
        if old is not None and value("task", old, "status") == DONE:
            continue
        if old is None and (doc.get("archived") or key in before.buried or _first_listing(before, key)):
            continue
        gate = {**(value("task", old, "decisionGate") if old else {}), **value("task", doc, "decisionGate")}
        wanted = set(gate or rig.gates)
        proofs = [item for other, item in after.docs.items() if other.kind == "evidence"]
        proven = any(item["target"] == key.id and item["status"] == "passed" for item in proofs)
        assert not wanted - {"requiresVerification"}, f"{key.id} was completed against {wanted}"
        assert proven or not wanted, f"{key.id} was completed without passed evidence"


def _first_listing(before: Snapshot, key: Key) -> bool:
    return all(spoke not in before.known for spoke, shown in before.shown.items() if key in shown)


def check_journal(rig: Rig, before: Snapshot, after: Snapshot) -> None:
    """The journal leads to this very hub, and every change since has a line that says who made it and where."""
    assert replay_differences(rig.ledger) == []
    query = "SELECT kind, id, field, before, after, actor, spoke FROM journal WHERE seq > ? ORDER BY seq"
    told: dict[tuple[Key, str], list[tuple[Any, Any]]] = {}
    for kind, ident, name, old, new, actor, spoke in rig.ledger.db.execute(query, (before.journal,)):
        key, who = Key(kind, ident), json.loads(actor)
        told.setdefault((key, name), []).append((json.loads(old), json.loads(new)))
        assert who["type"], f"nobody changed {ident}.{name}"
        assert who["id"], f"nobody changed {ident}.{name}"
        assert spoke in ("", *rig.places), f"{spoke} is no spoke"
        if spoke:
            assert who == {"type": "external", "id": spoke}, f"{spoke} changed {ident}.{name}, not {who}"
    for key in before.docs.keys() | after.docs.keys():
        _check_told(key, before.docs.get(key), after.docs.get(key), told)


def _check_told(key: Key, old: Doc | None, new: Doc | None, told: dict[tuple[Key, str], list[tuple[Any, Any]]]) -> None:
    if old == new:
        return
    whole = told.get((key, ""))
    if whole is not None:
        return  # replay has shown that it leads here
    assert old is not None, f"{key.id} came without a line in the journal"
    assert new is not None, f"{key.id} went without a line in the journal"
    for name in FIELDS[key.kind]:
        was, now = value(key.kind, old, name), value(key.kind, new, name)
        if was != now:
            lines = told.get((key, name), [])
            assert lines, f"{key.id}.{name} changed without a line in the journal"
            assert (lines[0][0], lines[-1][1]) == (was, now), f"the journal lies about {key.id}.{name}"


def check_events(before: Snapshot, after: Snapshot, *, relived: bool) -> None:
    """Every move of a task has an event of its own."""
    for key, doc in after.docs.items():
        old = before.docs.get(key)
        if key.kind != "task" or old is None:
            continue
        was, now = value("task", old, "status"), value("task", doc, "status")
        if was == now:
            continue
        fresh = [event for event in after.docs if event.kind == "event" and (relived or event not in before.docs)]
        moves = [after.docs[event] for event in fresh if after.docs[event].get("taskId") == key.id]
        assert any(value("event", move, "payload").get("after") == now for move in moves), (
            f"{key.id}: no event of {now}"
        )


def check_sources(before: Snapshot, rig: Rig) -> None:
    """A plain value that a spoke is said to have brought is one that this spoke showed."""
    query = "SELECT kind, id, field, after, spoke FROM journal WHERE seq > ? AND spoke <> '' AND field <> ''"
    for kind, ident, name, new, spoke in rig.ledger.db.execute(query, (before.journal,)):
        spec, shown = FIELDS[kind][name], before.shown[spoke].get(Key(kind, ident))
        if spec.merge is Merge.VALUE and kind != "event" and shown is not None:
            item = value(kind, shown, name)
            assert same(spec, item, json.loads(new)), f"{spoke} never said {new} for {ident}.{name}, but {item!r}"

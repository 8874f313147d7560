"""Answers to open questions: conflicts, held moves, absences, and records that may be the same one."""

import json
from dataclasses import replace
from typing import Any

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import normalise
from tallystick_contract.errors import Invalid, Refused
from tallystick_contract.fields import FIELDS, value
from tallystick_contract.gates import missing
from tallystick_contract.journal import WHOLE
from tallystick_contract.models import validated
from tallystick_sync.case import IDENTITY, PRESENCE, Case, Copy, Edit
from tallystick_sync.draft import DONE, moved
from tallystick_sync.edits import Editor, refuse_faults
from tallystick_sync.ledger.records import load_cases, write_copy
from tallystick_sync.plan import status_event
from tallystick_sync.policy import HUB
from tallystick_sync.survey import Lookup

KEEP, DELETE = "keep", "delete"


def resolve(editor: Editor, key: Key, field: str, *, take: str | None = None, chosen: Any = None) -> Any:
    """Settle one open field by a spoke's value (`take`, or `hub`) or by a value of one's own; returns the value.

    For `presence` the value is `keep` or `delete`; for `id` it is the record's own id, which makes it a record of its
    own. Raises `Invalid` when nothing is open there, `Refused` when a gate is still unmet.
    """
    _refuse_unasked(editor, key, field)
    case = _case(editor, key)
    if field == PRESENCE:
        return _settle_presence(editor, case, _presence(case, take, chosen))
    if field == IDENTITY:
        return _settle_identity(editor, case, chosen)
    if case.hub is None or case.deleted:
        raise Invalid(f"there is no {key.kind} {key.id}", todo="tally conflicts shows what is open")
    new = normalise(chosen) if take is None else _taken(case, field, take)
    _refuse_unmet_gate(editor, case, field, new)
    after = validated(key.kind, key.id, {**case.hub, field: new})
    if field == "dependsOn":
        refuse_faults(editor.ledger, key.id, case.hub, after)
    edit = Edit(field, value(key.kind, case.hub, field), value(key.kind, after, field), "", f"run {editor.run}")
    _accept(editor, case, {field})
    editor.store(key, after, [edit] if edit.before != edit.after else [])
    if field == "status" and edit.before != edit.after:
        editor.create(*status_event(key, edit, editor.now, actor=editor.actor.model_dump()))
    _close(editor, key, field)
    return edit.after


def _refuse_unasked(editor: Editor, key: Key, field: str) -> None:
    query = "SELECT 1 FROM {} WHERE kind = ? AND id = ? AND field = ?"
    asked = [editor.ledger.db.execute(query.format(name), (*key, field)).fetchone() for name in ("conflicts", "held")]
    if not any(asked):
        raise Invalid(f"nothing is open about {field} of {key.id}", todo="tally conflicts shows what is open")


def _case(editor: Editor, key: Key) -> Case:
    spokes = [row[0] for row in editor.ledger.db.execute("SELECT DISTINCT spoke FROM copies")]
    return load_cases(editor.ledger, [key], spokes)[key]


def _taken(case: Case, field: str, take: str) -> Any:
    if take == HUB:
        return value(case.key.kind, case.hub or {}, field)
    if take not in case.copies:
        names = ", ".join([*sorted(case.copies), HUB])
        raise Invalid(f"{take} does not hold {case.key.id}", where=case.key.id, todo=f"take one of: {names}")
    copy = case.copies[take]
    return value(case.key.kind, copy.seen if copy.seen is not None else copy.base or {}, field)


def _refuse_unmet_gate(editor: Editor, case: Case, field: str, new: Any) -> None:
    if field not in ("status", "decisionGate") or case.key.kind != "task" or case.hub is None:
        return
    if field == "decisionGate":
        _refuse_lowering(case, new)
        return
    gated = dict(case.hub)
    if not value("task", gated, "decisionGate"):
        gated["decisionGate"] = dict.fromkeys(editor.gate_default, True)
    wants = missing(gated, case.key.id, new, Lookup(editor.ledger, {}).evidence(case.key.id).values())
    if wants:
        todo = "missing: " + "; ".join(wants)
        raise Refused(f"{case.key.id} cannot be {new} yet", where=case.key.id, code="gate", todo=todo)


def _refuse_lowering(case: Case, gate: Any) -> None:
    """Refuse to lower a gate while a completion waits before it. Raises `Refused`."""
    waits = any(value("task", copy.seen, "status") == DONE for copy in case.copies.values() if copy.seen is not None)
    lowered = sorted(set(value("task", case.hub or {}, "decisionGate")) - {flag for flag, on in gate.items() if on})
    if lowered and waits and value("task", case.hub or {}, "status") != DONE:
        what = f"{', '.join(lowered)} cannot be lowered while a completion waits for it"
        raise Refused(what, where=case.key.id, code="gate", todo="put the status back where it says completed")


def _accept(editor: Editor, case: Case, fields: set[str]) -> None:
    """Take note of what spokes show in these fields, so that the answer and nothing else is due there."""
    for spoke, copy in case.copies.items():
        if copy.seen is None:
            continue
        kind = case.key.kind
        base = dict(copy.base or {})
        for name in fields & (moved(case, copy) | set(base)):
            base[name] = value(kind, copy.seen, name)
        base = {name: item for name, item in base.items() if item != FIELDS[kind][name].default}
        rest = Copy(base, copy.seen, copy.native, copy.revision, since=copy.since)
        rest.since = {name: run for name, run in copy.since.items() if name not in fields}
        if not moved(case, rest):
            rest.seen = None
        write_copy(editor.ledger, case.key, spoke, rest)


def _close(editor: Editor, key: Key, field: str) -> None:
    for table in ("conflicts", "held"):
        query = f"DELETE FROM {table} WHERE kind = ? AND id = ? AND field = ?"  # noqa: S608 -- literals
        editor.ledger.db.execute(query, (*key, field))


def _presence(case: Case, take: str | None, chosen: Any) -> str:
    """Translate a spoke's side of a presence question into `keep` or `delete`."""
    if chosen in (KEEP, DELETE):
        return str(chosen)
    if take == HUB:
        return DELETE if case.deleted else KEEP
    if take in case.copies:
        return DELETE if case.copies[str(take)].gone else KEEP
    todo = "say --value keep, --value delete or --take SPOKE"
    raise Invalid("presence is keep or delete", where=case.key.id, todo=todo)


def _settle_presence(editor: Editor, case: Case, answer: str) -> str:
    key = case.key
    if answer == DELETE:
        _accept(editor, case, set(FIELDS[key.kind]))
        if not case.deleted:
            editor.bury(key)
    editor.ledger.db.execute("DELETE FROM copies WHERE kind = ? AND id = ? AND gone = 1", tuple(key))
    if answer == KEEP and case.deleted:
        editor.restore(key.id)
    editor.ledger.db.execute("UPDATE records SET dirty = 1 WHERE kind = ? AND id = ?", tuple(key))
    _close(editor, key, PRESENCE)
    return answer


def _settle_identity(editor: Editor, case: Case, chosen: Any) -> str:
    key = case.key
    if chosen != key.id:
        raise Invalid(
            "two records become one where they are shown, not here", where=key.id,
            todo=f"to keep both say --value {key.id}; to make them one, write the other's id into the record itself",
        )  # fmt: skip
    copy = next((copy for _, copy in sorted(case.copies.items()) if copy.seen is not None), None)
    if case.hub is not None or copy is None or copy.seen is None:
        raise Invalid(f"nothing is open about the id of {key.id}", todo="tally conflicts shows what is open")
    doc = validated(key.kind, key.id, copy.seen)
    fresh = {name: item for name, item in doc.items() if name != "status"}
    _refuse_unmet_gate(editor, replace(case, hub=fresh), "status", value(key.kind, doc, "status"))
    editor.store(key, doc, [Edit(WHOLE, None, doc, "")])
    for spoke, shown in case.copies.items():
        if shown.seen is not None:
            write_copy(editor.ledger, key, spoke, Copy(shown.seen, None, shown.native, shown.revision))
    query = "UPDATE records SET dirty = 1 WHERE words = (SELECT words FROM records WHERE kind = ? AND id = ?)"
    editor.ledger.db.execute(query, tuple(key))
    _close(editor, key, IDENTITY)
    return str(chosen)


def undo(editor: Editor, run: int) -> tuple[int, list[str]]:
    """Reverse what a run changed in the hub, newest first, by edits of our own; spokes follow with the next sync.

    Returns how many changes were reversed, and a sentence for each that was not: changed again since, or an import.
    """
    query = "SELECT kind, id, field, before, after FROM journal WHERE run = ? ORDER BY seq DESC"
    rows = editor.ledger.db.execute(query, (run,)).fetchall()
    if not rows:
        raise Invalid(f"run {run} changed nothing in the hub", todo="tally log lists the runs")
    done, left = 0, []
    for kind, ident, field, before, after in rows:
        if kind == "event" or field == "deliveryState":
            continue  # events stay as history, and the delivery state follows by itself
        reason = _reverse(editor, Key(kind, ident), field, json.loads(before), json.loads(after))
        done += reason is None
        left += [reason] if reason else []
    return done, left


def _reverse(editor: Editor, key: Key, field: str, before: Any, after: Any) -> str | None:
    case = _case(editor, key)
    if field == WHOLE:
        return _reverse_whole(editor, case, after)
    if case.hub is None or case.deleted:
        return f"{key.id}: is deleted"
    if value(key.kind, case.hub, field) != after:
        return f"{key.id}: {field} was changed again since"
    if field == "decisionGate" and set(after) - set(before):
        return f"{key.id}: a gate is not lowered by taking something back"
    try:
        _refuse_unmet_gate(editor, case, field, before)
    except Refused as refusal:
        return f"{refusal.what}; {refusal.todo}"
    restored = validated(key.kind, key.id, {**case.hub, field: before})
    edit = Edit(field, after, before, "", f"run {editor.run}")
    editor.store(key, restored, [edit])
    if field == "status":
        reason = "a run was taken back"
        editor.create(*status_event(key, edit, editor.now, actor=editor.actor.model_dump(), reason=reason))
    return None


def _reverse_whole(editor: Editor, case: Case, after: Any) -> str | None:
    """Bring back what the run deleted; what it brought in stays."""
    if after is not None:
        return f"{case.key.id}: was new in that run; delete it on a spoke if it shall go"
    if case.deleted:
        editor.restore(case.key.id)
        return None
    return f"{case.key.id}: is there already"

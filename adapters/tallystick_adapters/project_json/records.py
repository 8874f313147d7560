"""Writes what the contract holds into records of the board, key by key; what it does not know it does not touch."""

import json
from collections.abc import Mapping
from typing import Any

from tallystick_adapters.project_json.codec import (
    AGENT,
    EVIDENCE_LISTS,
    EVIDENCE_TEXTS,
    FLAGS,
    NEST,
    ORDER,
    RESERVED,
    TASK_LISTS,
    TASK_TEXTS,
    decode,
    extensions_of,
    marked_rank,
    nest_of,
    owner_key,
    priority_of,
)  # fmt: skip
from tallystick_contract.canonical import Doc, normalise_text
from tallystick_contract.fields import arranged, value


def revise(kind: str, record: Mapping[str, Any], fields: Doc) -> dict[str, Any]:
    """Return `record` with `fields` (values of the contract, defaults included) set; other keys are left alone.

    A field that shows its value already keeps its spelling. `archived` is a place, not a key, and is not looked at.
    """
    shown = decode(kind, record)
    due = {name: item for name, item in fields.items() if name == "extensions" or value(kind, shown, name) != item}
    return _revised(kind, record, arranged(kind, due, shown))


def _revised(kind: str, record: Mapping[str, Any], fields: Doc) -> dict[str, Any]:
    return _revised_task(record, fields) if kind == "task" else _revised_evidence(record, fields)


def encode(kind: str, record_id: str, image: Doc) -> dict[str, Any]:
    """Return a new record that shows `image`, its keys in the board's order."""
    start = {"id": record_id} | ({"status": "planned"} if kind == "task" else {"target_type": "task", "status": ""})
    record = _revised(kind, start, image)
    place = {key: index for index, key in enumerate(ORDER[kind])}
    return dict(sorted(record.items(), key=lambda item: place.get(item[0], len(place))))


def _revised_task(record: Mapping[str, Any], fields: Doc) -> dict[str, Any]:
    new = dict(record)
    rank = fields["priority"] if "priority" in fields else priority_of(record)
    _put(new, fields, TASK_TEXTS, TASK_LISTS)
    if "owner" in fields:
        _put_text(new, owner_key(record), fields["owner"])
        if "owner" in record and "owner" not in new and AGENT in new:
            new["owner"] = None  # or the agent, an extension beside an owner, would become the owner
    if "status" in fields:
        new["status"] = fields["status"]
    if "acceptanceCriteria" in fields:
        _put_list(new, "acceptance_criteria", [item["text"] for item in fields["acceptanceCriteria"]])
        _put_list(new, "acceptance_done", [item["text"] for item in fields["acceptanceCriteria"] if item["done"]])
        if not new.get("acceptance_done"):
            new.pop("acceptance_done", None)  # the key is ours: it is there only while something is ticked
    if "notes" in fields:
        _put_notes(new, fields["notes"])
    if "decisionGate" in fields:
        _put_gate(new, fields["decisionGate"])
    if "extensions" in fields:
        _put_extensions(new, "task", fields["extensions"])
    _put_rank(new, rank)
    return new


def _revised_evidence(record: Mapping[str, Any], fields: Doc) -> dict[str, Any]:
    new = dict(record)
    _put(new, fields, EVIDENCE_TEXTS, EVIDENCE_LISTS)
    if "status" in fields or not record["status"]:
        new["status"] = value("evidence", fields, "status")
    if "targetType" in fields:
        new["target_type"] = fields["targetType"]
    if "criteriaResults" in fields:
        _put_list(new, "criteria_results", fields["criteriaResults"])
    if "extensions" in fields:
        _put_extensions(new, "evidence", fields["extensions"])
    return new


def _put(new: dict[str, Any], fields: Doc, texts: Doc, lists: Doc) -> None:
    for key, name in texts.items():
        if name in fields:
            _put_text(new, key, fields[name])
    for key, name in lists.items():
        if name in fields:
            _put_list(new, key, fields[name])


def _put_text(new: dict[str, Any], key: str, text: str | None) -> None:
    if text:
        new[key] = text
    elif key == "description" and key in new:
        new[key] = ""  # the board's readers expect the key
    else:
        new.pop(key, None)


def _put_list(new: dict[str, Any], key: str, items: Any) -> None:
    if items or key in new:
        new[key] = list(items)


def _put_notes(new: dict[str, Any], notes: str | list[str] | None) -> None:
    """Set notes as the text or list they are; no notes leave an empty list where a list was (D-10)."""
    if isinstance(notes, str):
        new["notes"] = notes
    elif notes or isinstance(new.get("notes"), list):
        new["notes"] = list(notes or [])
    else:
        new.pop("notes", None)


def _put_gate(new: dict[str, Any], gate: Mapping[str, bool]) -> None:
    old = new.get("decision_gate") or {}
    flags = {flag: bool(gate.get(name)) for flag, name in FLAGS.items() if gate.get(name) or flag in old}
    if flags or "decision_gate" in new:
        new["decision_gate"] = flags


def _put_rank(new: dict[str, Any], rank: str) -> None:
    """Make the record show `rank`, without a key where the description's marker says it already."""
    if priority_of(new) == rank:
        return
    if rank == "unset" and marked_rank(new.get("description")) is None:
        new.pop("priority", None)
    else:
        new["priority"] = rank


def _put_extensions(new: dict[str, Any], kind: str, wanted: Mapping[str, Any]) -> None:
    shown = extensions_of(kind, new)
    spelled = {normalise_text(key): key for key in new if key not in ORDER[kind]}
    nest = dict(nest_of(kind, new))
    changed = {name for name in shown.keys() | wanted.keys() if _exactly(shown, name) != _exactly(wanted, name)}
    for name in [*shown, *wanted]:
        if name not in changed:
            continue
        apart = name in nest or (name in RESERVED[kind] and name not in shown)
        place, key = (nest, name) if apart else (new, spelled.get(name, name))
        if name in wanted:
            place[key] = wanted[name]
        else:
            place.pop(key, None)
    if nest and any(name in changed for name in (*nest, *nest_of(kind, new))):
        new[NEST] = nest
    elif not nest:
        new.pop(NEST, None)


def _exactly(members: Mapping[str, Any], name: str) -> str | None:
    """Return what tells 1, 1.0 and true apart, which Python calls equal."""
    return json.dumps(members[name], sort_keys=True) if name in members else None

"""Reads records of the board as the contract has them; what it does not know is kept as an extension."""

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from tallystick_contract.canonical import Doc, canonical_json, digest, is_day, normalise, normalise_text
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import instant

STATUSES: Final = ("planned", "in-progress", "blocked", "completed", "cancelled")
UNDERSCORED: Final = "in_progress"
"""How some boards spell in-progress (D-02)."""

RESULTS: Final = ("passed", "failed", "partial", "skipped")

FLAGS: Final = {
    "no_auto_close": "noAutoClose",
    "requires_verification": "requiresVerification",
    "requires_operator_approval": "requiresOperatorApproval",
}

TASK_TEXTS: Final = {
    "title": "title", "description": "description", "milestone": "milestone", "parent": "parent", "due": "due",
}  # fmt: skip
TASK_LISTS: Final = {"depends_on": "dependsOn", "files": "files", "labels": "labels"}
EVIDENCE_TEXTS: Final = {
    "target": "target", "method": "method", "evidence": "summary", "timestamp": "timestamp", "commit": "commit",
}  # fmt: skip
EVIDENCE_LISTS: Final = {"artifacts": "artifacts"}

ORDER: Final[Mapping[str, tuple[str, ...]]] = {
    "task": (
        "id", "title", "description", "status", "priority", "depends_on", "owner", "files", "acceptance_criteria",
        "acceptance_done", "labels", "milestone", "parent", "due", "decision_gate", "notes",
    ),
    "evidence": (
        "id", "target", "target_type", "status", "method", "evidence", "timestamp", "criteria_results", "artifacts",
        "commit",
    ),
}  # fmt: skip
"""The board's own keys, in the order in which it writes them. All others are extensions."""

AGENT: Final = "assigned_agent"
"""Read as the owner where a record has no `owner` key, and written back as found."""

NEST: Final = "extensions"
"""Holds extensions whose names are keys of the board itself, and nothing else."""

RESERVED: Final = {kind: frozenset((*keys, AGENT, NEST)) for kind, keys in ORDER.items()}
_MARKER: Final = re.compile(r"\s*\[p([0-9]{1,2})(?:/[^\]\n]*)?\]", re.IGNORECASE | re.ASCII)
_RANK: Final = re.compile(r"p[0-9]{1,2}", re.ASCII)
_EXACT: Final = 2**53 - 1


def identify(kind: str, record: Any) -> str:
    """Return the id of a record. Raises `Invalid` when it has none.

    An entry of the handoff's trail has no id of its own: it is named by what it says.
    """
    if not isinstance(record, dict):
        raise Invalid(f"is {_named(record)}, an object is wanted")
    if kind == "event":
        _check_exact(record, "context_watch_events")
        return "hf-" + digest(canonical_json(normalise(record)))
    found = record.get("id")
    if not isinstance(found, str) or not 1 <= len(found) <= 512:  # noqa: PLR2004 -- the contract's limit of ids
        raise Invalid("id: is missing or is no text of 1 to 512 characters")
    return normalise_text(found)


def archived_kind(record: Any) -> str:
    """Return the kind of a record in an archive, by its shape: evidence has a target, and no status of a task."""
    is_evidence = (
        isinstance(record, dict) and "target" in record and record.get("status") not in (*STATUSES, UNDERSCORED)
    )
    return "evidence" if is_evidence else "task"


def decode(kind: str, record: Mapping[str, Any], *, archived: bool = False) -> Doc:
    """Return the image of a record as it stands on the board. Raises `Invalid` naming the key that is wrong."""
    if kind == "task":
        return _task(record, archived=archived)
    return _evidence(record) if kind == "evidence" else _event(record)


def marked_rank(description: Any) -> str | None:
    """Return the rank a marker at the start of a description names (D-12).

    >>> marked_rank("[P0/local-safe] tidy up"), marked_rank("tidy up [P1]")
    ('p0', None)
    """
    found = _MARKER.match(description) if isinstance(description, str) else None
    return f"p{found[1]}" if found else None


def priority_of(record: Mapping[str, Any]) -> str:
    """Return the rank a task shows: its key, else its description's marker (D-12). Raises `Invalid`."""
    given = record.get("priority")
    if given is None:
        return marked_rank(record.get("description")) or "unset"
    rank = given.lower() if isinstance(given, str) else ""
    if rank != "unset" and not _RANK.fullmatch(rank):
        raise Invalid(f"priority: {given!r} is not p0 to p99 or unset")
    return rank


def _text(record: Mapping[str, Any], key: str) -> str | None:
    found = record.get(key)
    if found is None or found == "":
        return None
    if not isinstance(found, str):
        raise Invalid(f"{key}: is {_named(found)}, a text is wanted")
    return normalise_text(found)


def _texts(record: Mapping[str, Any], key: str) -> list[str]:
    found = record.get(key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise Invalid(f"{key}: is {_named(found)}, a list of texts is wanted")
    return [normalise_text(item) for item in found]


def _named(found: Any) -> str:
    if isinstance(found, bool):
        return "true or false"
    names = ((dict, "an object"), (list, "a list"), (str, "a text"))
    return next((name for kind, name in names if isinstance(found, kind)), repr(found))


def _take(doc: dict[str, Any], record: Mapping[str, Any], texts: Doc, lists: Doc) -> None:
    for key, name in texts.items():
        if key in record and (text := _text(record, key)) is not None:
            doc[name] = text
    for key, name in lists.items():
        if key in record and (items := _texts(record, key)):
            doc[name] = items


def _choice(record: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    found = record.get(key)
    if found is None and default is not None:
        return default
    if found not in allowed:
        raise Invalid(f"{key}: {found!r} is not known; allowed: {', '.join(allowed)}")
    return str(found)


def _task(record: Mapping[str, Any], *, archived: bool) -> Doc:
    doc: dict[str, Any] = {}
    _take(doc, record, TASK_TEXTS, TASK_LISTS)
    if "title" not in doc and "description" not in doc:
        raise Invalid("has neither a title nor a description")
    if "due" in doc and not is_day(doc["due"]):
        raise Invalid(f"due: {doc['due']!r} is no day of the calendar, written YYYY-MM-DD")
    if "" in doc.get("dependsOn", ()):
        raise Invalid("depends_on: holds an empty id")
    status = "in-progress" if record.get("status") == UNDERSCORED else _choice(record, "status", STATUSES, "planned")
    if status != "planned":
        doc["status"] = status
    if (rank := priority_of(record)) != "unset":
        doc["priority"] = rank
    rest = {
        "owner": _text(record, owner_key(record)),
        "acceptanceCriteria": _criteria(record),
        "notes": _texts(record, "notes") if isinstance(record.get("notes"), list) else _text(record, "notes"),
        "decisionGate": _flags(record),
        "archived": archived,
        "extensions": extensions_of("task", record),
    }
    return doc | {name: item for name, item in rest.items() if item}


def owner_key(record: Mapping[str, Any]) -> str:
    """Return the key that holds a task's owner."""
    return AGENT if AGENT in record and "owner" not in record else "owner"


def _criteria(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    texts = _texts(record, "acceptance_criteria")
    if "" in texts:
        raise Invalid("acceptance_criteria: holds an empty text")
    ticked = _texts(record, "acceptance_done")
    shown = []
    for text in texts:
        done = text in ticked
        if done:
            ticked.remove(text)
        shown.append({"text": text, "done": done})
    return shown


def _flags(record: Mapping[str, Any]) -> dict[str, bool]:
    if "decisionGate" in record:
        raise Invalid("decisionGate: is spelled decision_gate on a board, and a gate is never guessed")
    gate = record.get("decision_gate")
    if gate is None:
        return {}
    if not isinstance(gate, dict):
        raise Invalid(f"decision_gate: is {_named(gate)}, an object is wanted")
    for flag, on in gate.items():
        if flag not in FLAGS or not isinstance(on, bool):
            raise Invalid(
                f"decision_gate: {flag} = {on!r} is not understood, and a gate is never guessed; "
                f"allowed: {', '.join(FLAGS)}, each true or false"
            )
    return {name: True for flag, name in FLAGS.items() if gate.get(flag)}


def _evidence(record: Mapping[str, Any]) -> Doc:
    doc: dict[str, Any] = {"status": _choice(record, "status", RESULTS)}
    _take(doc, record, EVIDENCE_TEXTS, EVIDENCE_LISTS)
    if "target" not in doc:
        raise Invalid("target: is missing")
    if "timestamp" in doc and instant(doc["timestamp"]) is None:
        raise Invalid(f"timestamp: {doc['timestamp']!r} is not an ISO 8601 instant")
    if (kind := _text(record, "target_type") or "task") != "task":
        doc["targetType"] = kind
    if doc["status"] == "partial":
        del doc["status"]
    rest = {"criteriaResults": _results(record), "extensions": extensions_of("evidence", record)}
    return doc | {name: item for name, item in rest.items() if item}


def _results(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = record.get("criteria_results") or []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise Invalid(f"criteria_results: is {_named(found)}, a list of objects is wanted")
    for item in found:
        if not (isinstance(item.get("criterion"), str) and isinstance(item.get("status"), str)):
            raise Invalid("criteria_results: each needs a criterion and a status, both texts")
        if not isinstance(item.get("evidence"), str | None):
            raise Invalid("criteria_results: evidence must be a text")
        _check_exact(item, "criteria_results")
    return [
        {name: part for name, part in normalise(item).items() if (name, part) != ("evidence", None)} for item in found
    ]


def _event(record: Mapping[str, Any]) -> Doc:
    at = record.get("atIso")
    if not isinstance(at, str) or instant(at) is None:
        raise Invalid(f"atIso: {at!r} is not an ISO 8601 instant")
    actor = {"type": "external", "id": "handoff"}
    return {"kind": "x-context-watch", "atIso": at, "actor": actor, "payload": normalise(record)}


def extensions_of(kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return all a record holds beyond the contract's fields, normalised. Raises `Invalid`."""
    found: dict[str, Any] = {}
    for key, item in record.items():
        if key == NEST:
            found.update(normalise(nest_of(kind, record)))
        elif key not in RESERVED[kind] or (key == AGENT and (kind != "task" or "owner" in record)):
            _check_exact(item, key)
            found[normalise_text(key)] = normalise(item)
    return found


def nest_of(kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extensions kept apart; a key `extensions` that is the board's own counts as one of that name."""
    found = record.get(NEST)
    _check_exact(found, NEST)
    if NEST not in record:
        return {}
    return found if isinstance(found, dict) and found and found.keys() <= RESERVED[kind] else {NEST: found}


def _check_exact(item: Any, key: str) -> None:
    """Refuse numbers that JSON cannot carry exactly: they would change on their way to another spoke."""
    if isinstance(item, dict):
        for part in item.values():
            _check_exact(part, key)
    elif isinstance(item, list):
        for part in item:
            _check_exact(part, key)
    elif (isinstance(item, float) and not math.isfinite(item)) or (isinstance(item, int) and abs(item) > _EXACT):
        raise Invalid(f"{key}: holds a number that is not carried exactly; write it as a text")

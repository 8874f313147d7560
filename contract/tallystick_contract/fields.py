"""Every field of every record kind, with its default and how two edits of it combine.

This is the one table the merge, the codecs' maps, the schemas' descriptions and the docs all follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from tallystick_contract.canonical import Doc


class Merge(StrEnum):
    """How edits of one field made in several places combine."""

    VALUE = "value"  # one distinct new value is taken; several go to the field's policy
    SET = "set"  # by element; a removal wins only over elements nobody added
    PROSE = "prose"  # three-way by line
    CRITERIA = "criteria"  # three-way by item, ticks by item text
    MAP = "map"  # three-way by member
    INSTANT = "instant"  # a value; two spellings of one instant are the same value (D-18)
    DERIVED = "derived"  # computed by the hub, repainted on spokes, never merged


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its wire name, how it merges, its default, and the contract version that brought it."""

    name: str
    merge: Merge
    default: Any
    since: str
    promise: str


def _table(*fields: Field) -> dict[str, Field]:
    return {field.name: field for field in fields}


_V, _S, _P, _M, _I = Merge.VALUE, Merge.SET, Merge.PROSE, Merge.MAP, Merge.INSTANT

TASK: Final = _table(
    Field("title", _V, None, "1.0", "One line that names the task; null where a spoke has no titles."),
    Field("description", _P, None, "1.0", "What is to be done; title or description is present (K-011)."),
    Field("status", _V, "planned", "1.0", "planned, in-progress, blocked, completed; 1.1 adds cancelled."),
    Field("priority", _V, "unset", "1.0", "p0 (highest) to p99, or unset, which ranks last (K-013)."),
    Field("dependsOn", _S, [], "1.0", "Ids of tasks that must be completed first (K-014)."),
    Field("owner", _V, None, "1.0", "Who works on it (K-015)."),
    Field("decisionGate", _M, {}, "1.0", "noAutoClose, requiresVerification, requiresOperatorApproval."),
    Field("acceptanceCriteria", Merge.CRITERIA, [], "1.1", "Ordered list of {text, done}."),
    Field("labels", _S, [], "1.1", "Free labels; the forges' own scopes are never among them."),
    Field("milestone", _V, None, "1.1", "Name of the milestone; no built-in meaning (L-15)."),
    Field("notes", _P, None, "1.1", "Running notes: text, or a list where a board keeps one (D-10)."),
    Field("files", _S, [], "1.1", "Paths the task creates or changes."),
    Field("parent", _V, None, "1.1", "Id of the task this one is a part of."),
    Field("due", _V, None, "1.1", "A calendar date, YYYY-MM-DD, in no time zone."),
    Field("archived", _V, default=False, since="1.1", promise="True once the task has left the live board."),
    Field("extensions", _M, {}, "1.0", "Unknown members, kept as they came."),
    Field("deliveryState", Merge.DERIVED, None, "1.0", "Derived from evidence and status, never set (K-061)."),
)

EVENT: Final = _table(
    Field("taskId", _V, None, "1.0", "The task the event is about; null for the project itself (1.1)."),
    Field("kind", _V, "note", "1.0", "A registered kind, or x-<name> (K-022)."),
    Field("atIso", _I, None, "1.0", "UTC instant, in the spelling of its source (K-023)."),
    Field("actor", _V, None, "1.0", "{type: operator|agent|engine|external, id} (K-024)."),
    Field("payload", _M, {}, "1.0", "What happened, an object of at most 64 KiB (K-025)."),
    Field("extensions", _M, {}, "1.0", "Unknown members, kept as they came."),
)

EVIDENCE: Final = _table(
    Field("target", _V, None, "1.0", "Id of what was checked."),
    Field("targetType", _V, "task", "1.1", "task, phase, requirement; unknown ones are kept (L-01)."),
    Field("status", _V, "partial", "1.0", "passed, failed, partial, skipped; only passed opens a gate (L-02)."),
    Field("method", _V, None, "1.0", "Free text, kept as written (D-05)."),
    Field("methodClass", Merge.DERIVED, "other", "1.1", "test, command, inspect or other; derived from method."),
    Field("timestamp", _I, None, "1.0", "When it was checked, in the spelling of its source."),
    Field("summary", _P, None, "1.0", "What was checked and what was found."),
    Field("artifacts", _S, [], "1.0", "Paths, addresses, commits, digests (K-041)."),
    Field("criteriaResults", _V, [], "1.1", "Per criterion: criterion, status, evidence (L-04)."),
    Field("commit", _V, None, "1.1", "The commit it was checked on, in full."),
    Field("extensions", _M, {}, "1.0", "Unknown members, kept as they came."),
)

FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {"task": TASK, "event": EVENT, "evidence": EVIDENCE}
"""Fields by record kind, for the kinds that spokes exchange."""


DERIVED: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(name for name, field in table.items() if field.merge is Merge.DERIVED)
    for kind, table in FIELDS.items()
}
"""The fields that are computed by the hub, by record kind."""


def value(kind: str, doc: Doc, name: str) -> Any:
    """Return a field of a sparse document, its default where the document leaves it out."""
    return doc[name] if name in doc else FIELDS[kind][name].default


def sparse(kind: str, doc: Doc) -> dict[str, Any]:
    """Return `doc` without the fields that are at their defaults."""
    table = FIELDS[kind]
    return {name: item for name, item in doc.items() if name not in table or item != table[name].default}


def arranged(kind: str, fields: Doc, shown: Doc) -> dict[str, Any]:
    """Return the fields to write, sets in the order in which the spoke shows them, what is new at their end."""
    wanted = dict(fields)
    for name, item in fields.items():
        if FIELDS[kind][name].merge is Merge.SET:
            present = value(kind, shown, name)
            kept = [element for element in present if element in item]
            wanted[name] = kept + [element for element in item if element not in present]
    return wanted


def instant(text: str | None) -> datetime | None:
    """Return the UTC instant a timestamp names, or None if it names none. A missing zone reads as UTC (BC-016)."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def same(field: Field, left: Any, right: Any) -> bool:
    """Tell whether two values of a field mean the same: sets without order, instants without spelling."""
    if left == right:
        return True
    if field.merge is Merge.SET:
        return set(left) == set(right)
    if field.merge is Merge.INSTANT:
        moment = instant(left)
        return moment is not None and moment == instant(right)
    return False

"""What a person can write into any field, derived from the contract's table of fields, and what was said by it.

Every word is written once only, so that its fate can be followed through any number of spokes.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import DERIVED, FIELDS, Merge, instant

type Token = tuple[str, str]
"""A field, and one thing somebody said in it."""

TASKS: Final = ("T-1", "T-2", "T-3")

CHOICES: Final[Mapping[str, Sequence[Any]]] = {
    "task.status": ("in-progress", "completed", "planned", "blocked", "completed", "cancelled"),
    "task.priority": ("p0", "p1", "p2", "unset"),
    "task.dependsOn": ([], ["T-1"], ["T-2"], ["T-2", "T-1"], ["T-3"], ["nobody"]),
    "task.decisionGate": (
        {}, {"noAutoClose": True}, {"requiresVerification": True}, {"requiresVerification": True},
        {"requiresVerification": True, "requiresOperatorApproval": True},
    ),
    "task.archived": (True, False),
    "task.deliveryState": ("applied", None, "reported"),
    "event.taskId": ("T-1", "T-2", "T-3", None),
    "event.kind": ("note", "progress", "x-own"),
    "event.actor": ({"type": "agent", "id": "x"}, {"type": "external", "id": "y"}, {"type": "operator", "id": "z"}),
    "evidence.target": ("T-1", "T-2", "T-3", "T-1"),
    "evidence.targetType": ("task", "phase"),
    "evidence.status": ("passed", "failed", "partial", "passed"),
    "evidence.methodClass": ("test", "other"),
}  # fmt: skip
"""The values of fields in which not any word will do."""


def change(kind: str, name: str, now: Any, act: int, word: str) -> Any:
    """Return another value for a field that holds `now`; `act` chooses how, `word` is new."""
    if f"{kind}.{name}" in CHOICES:
        values = CHOICES[f"{kind}.{name}"]
        return values[act % len(values)]
    if name == "due" and act:
        return (date(2025, 1, 1) + timedelta(days=int(word[1:]))).isoformat()
    if name == "criteriaResults":
        return [{"criterion": word, "status": "passed", "evidence": None}] if act else []
    if name in ("description", "title") and act == 0:
        return word  # a task keeps its name
    return _BY_MERGE[FIELDS[kind][name].merge](now, act, word)


def _value(_now: Any, act: int, word: str) -> Any:
    return word if act else None


def _set(now: Sequence[str], act: int, word: str) -> list[str]:
    """Remove the first, shuffle, remove the last, write the same again with one more, or add."""
    return (
        [list(now[1:]), list(reversed(now)), list(now[:-1]), [*reversed(now), word]][act] if act < 4 else [*now, word]
    )


def _prose(now: str | None, act: int, word: str) -> str | None:
    """Clear the text, or replace, remove or add one line of it."""
    lines = now.split("\n") if now else []
    if act == 0 or (not lines and act == 1):
        return None if not lines or act == 0 else word
    place = min(act // 2, len(lines))
    lines[place : place + act % 2] = [word] if act != 3 else []
    return "\n".join(lines) or None


def _criteria(now: Sequence[Doc], act: int, word: str) -> list[Doc]:
    """Remove, tick or untick one, put a new one first, reword or add."""
    items = list(now)
    if items and act == 0:
        return items[1:]
    if items and act in (1, 2):
        place = act % len(items)
        return [*items[:place], {**items[place], "done": not items[place]["done"]}, *items[place + 1 :]]
    fresh = {"text": word, "done": act == 5}
    return [fresh, *items] if act == 3 else [*items, fresh]


def _map(now: Doc, act: int, word: str) -> Doc:
    """Remove a member, or set one of three; an odd word nests it."""
    if act == 0:
        return dict(list(now.items())[1:])
    return {**now, "xyz"[act % 3]: {"deep": [word]} if act == 5 else word}


def _instant(now: str | None, act: int, word: str) -> str:
    """Write the same instant otherwise, or another one."""
    if act == 0 and instant(now) is not None:
        return f"{now[:-1]}+00:00" if str(now).endswith("Z") else f"{str(now)[:19]}Z"  # type: ignore[index]
    return f"2025-02-01T00:{int(word[1:]) // 60 % 60:02}:{int(word[1:]) % 60:02}Z"


def _derived(_now: Any, _act: int, word: str) -> str:
    return word


_BY_MERGE: Final[Mapping[Merge, Callable[[Any, int, str], Any]]] = {
    Merge.VALUE: _value, Merge.SET: _set, Merge.PROSE: _prose, Merge.CRITERIA: _criteria, Merge.MAP: _map,
    Merge.INSTANT: _instant, Merge.DERIVED: _derived,
}  # fmt: skip

NEW: Final[Mapping[str, Doc]] = {
    "task": {},
    "evidence": {"target": "T-1", "status": "passed", "method": "pytest"},
    "event": {"taskId": "T-1", "kind": "note", "atIso": "2025-01-01T00:00:00Z", "actor": {"type": "agent", "id": "x"}},
}
"""What a new record of a kind needs at least, beside the title of a task."""


def new(key: Key, word: str) -> dict[str, Any]:
    """Return the smallest new record."""
    return {**NEW[key.kind], **({"title": word} if key.kind == "task" else {})}


def tokens(kind: str, doc: Doc) -> set[Token]:
    """Return everything that a document says, field by field."""
    return {
        (name, said)
        for name, item in doc.items()
        if name not in DERIVED[kind]
        for said in (_criteria_said(item) if name == "acceptanceCriteria" else _said(name, item))
    }


def _criteria_said(items: Sequence[Doc]) -> Iterator[str]:
    for item in items:
        yield item["text"]
        if item["done"]:
            yield f"done: {item['text']}"


def _said(name: str, item: Any) -> Iterator[str]:
    if isinstance(item, dict):
        for member, inner in item.items():
            yield from (f"{member}={said}" for said in _said(name, inner))
    elif isinstance(item, list):
        for inner in item:
            yield from _said(name, inner)
    elif name in ("atIso", "timestamp") and (moment := instant(item)) is not None:
        yield moment.isoformat()
    elif item is not None:
        yield from (line for line in (item if isinstance(item, str) else json.dumps(item)).split("\n") if line)

"""Translation between records and what the tracker holds: tickets, their labels, and a hidden line under each text.

The hidden line, the marker, is the last line of a body. It holds the record's id and all that the tracker has no place
for. It is a hint and no authority: it counts only where the engine's own account wrote it, or where it says no more
than the number does.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tallystick_conformance.hostile.tracker import Entry, Shelf
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise, normalise_text
from tallystick_contract.capabilities import Fidelity, Mapped
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import DERIVED, FIELDS, sparse, value
from tallystick_contract.models import validated

type Marker = Mapping[str, Any]
"""What the hidden line says: the record's id, and fields that have no other place."""

_OPENING: Final = "<!-- tally "
_CLOSING: Final = " -->"
_TITLE: Final = 120

SCOPES: Final = {
    "status": re.compile(r"status/(in-progress|blocked)"),
    "priority": re.compile(r"priority/(p[0-9]{1,2})"),
    "deliveryState": re.compile(r"delivery/(reported|artifact-produced|applied|recovery-required)"),
}
"""The labels that say something other than themselves; every other label is free, `status:done` among them."""

CLOSED: Final = {"completed": "done", "cancelled": "not planned"}
_NATIVE: Final = {
    "title": "title", "description": "body, without its last line", "status": "state, and labels status/*",
    "priority": "labels priority/*", "owner": "assignee", "labels": "labels", "milestone": "milestone",
}  # fmt: skip


def _mapped(kind: str, name: str) -> Mapped:
    if name in DERIVED[kind]:
        return Mapped(Fidelity.DERIVED, "labels delivery/*" if kind == "task" else "the hidden line")
    if kind == "task" and name == "files":
        return Mapped(Fidelity.UNSUPPORTED, "")
    if kind == "event":
        return Mapped(Fidelity.UNSUPPORTED, "") if name == "extensions" else Mapped(Fidelity.NATIVE, "a comment")
    if kind == "task" and name in _NATIVE:
        return Mapped(Fidelity.NATIVE, _NATIVE[name])
    return Mapped(Fidelity.ENCODED, "the hidden line")


NATIVE: Final[Mapping[Shelf, str]] = {"tickets": "#", "comments": "c"}
"""How the tracker writes the number of an entry."""

PLACES: Final = {kind: {name: _mapped(kind, name) for name in FIELDS[kind]} for kind in FIELDS}
"""Where each field lives."""

ENCODED: Final = frozenset(name for name, place in PLACES["task"].items() if place.fidelity is Fidelity.ENCODED)
"""The fields of a task that its marker holds."""


def image(kind: str, doc: Doc) -> Doc:
    """Return a document as the tracker would show it: without gaps, and without labels that mean something else."""
    held = {name for name, mapped in PLACES[kind].items() if mapped.fidelity is not Fidelity.UNSUPPORTED}
    shown: dict[str, Any] = normalise({name: item for name, item in doc.items() if name in held})
    if "labels" in shown:
        shown["labels"] = [label for label in shown["labels"] if scope(label) is None]
    return sparse(kind, shown)


def scope(label: str) -> tuple[str, str] | None:
    """Return field and value of a label that means one, None for a free label."""
    found = ((name, pattern.fullmatch(label)) for name, pattern in SCOPES.items())
    return next(((name, match[1]) for name, match in found if match), None)


# Bodies and their markers


def split(body: str) -> tuple[str | None, Marker]:
    """Return the text of a body and what its marker says, nothing where there is none. Raises `Invalid`."""
    text = normalise_text(body)
    above, newline, last = text.rpartition("\n")
    if not (last.startswith(_OPENING) and last.endswith(_CLOSING)):
        return text or None, {}
    try:
        marker = json.loads(last[len(_OPENING) : -len(_CLOSING)])
    except ValueError as error:
        raise Invalid(f"the hidden line is damaged: {error}") from error
    if not isinstance(marker, dict) or not isinstance(marker.get("id"), str):
        raise Invalid("the hidden line names no record")
    return (above.removesuffix("\n") if newline else None), marker


def join(text: str | None, marker: Mapping[str, Any]) -> str:
    """Return a body with its marker, which nothing inside it can end."""
    line = json.dumps(marker, sort_keys=True).replace("<", "\\u003c").replace(">", "\\u003e")
    return ("" if text is None else f"{text}\n\n") + f"{_OPENING}{line}{_CLOSING}"


class Names:
    """Who is who: the spoke's name gives ids to what was born on the tracker, the account tells our own markers."""

    def __init__(self, spoke: str, account: str) -> None:
        self._spoke, self._account = spoke, account

    def parts(self, shelf: Shelf, entry: Entry) -> tuple[str | None, Marker]:
        """Return text and marker of an entry; a line that is not ours is text like any other. Raises `Invalid`."""
        ours = entry["author"] == self._account
        try:
            text, marker = split(entry["body"])
        except Invalid:
            if ours:
                raise
            text, marker = None, {}
        if marker and (ours or marker["id"] == self._own(shelf, entry)):
            return text, marker
        return normalise_text(entry["body"]) or None, {}

    def key(self, shelf: Shelf, entry: Entry) -> Key:
        """Return the key of an entry; a damaged marker names nothing."""
        try:
            _, marker = self.parts(shelf, entry)
        except Invalid:
            marker = {}
        if shelf == "comments":
            return Key("evidence", marker["id"]) if marker else Key("event", self._own(shelf, entry))
        return Key("task", marker.get("id") or self._own(shelf, entry))

    def _own(self, shelf: Shelf, entry: Entry) -> str:
        return f"{self._spoke}-{NATIVE[shelf]}{entry['number']}" if "number" in entry else ""


# Tickets


def read_ticket(key: Key, entry: Entry, text: str | None, marker: Marker) -> Doc:
    """Return the task a ticket shows. Raises `Invalid`."""
    title = normalise_text(entry["title"])
    told = marker.get("fields", {})
    doc = {name: told[name] for name in ENCODED & told.keys()}
    doc |= {"title": None if title == marker.get("derivedTitle") else title, "description": text}
    doc |= {"owner": entry["assignee"], "milestone": entry["milestone"]}
    doc |= dict(found for label in entry["labels"] if (found := scope(label)))
    doc["labels"] = [normalise_text(label) for label in entry["labels"] if scope(label) is None]
    if entry["state"] == "closed":
        doc["status"] = "cancelled" if entry["reason"] == CLOSED["cancelled"] else "completed"
    return image("task", validated("task", key.id, _without_null(doc)))


def write_ticket(key: Key, doc: Doc, there: Sequence[str], marker: Marker) -> dict[str, Any]:
    """Return the content of a ticket that shows a task.

    The labels that are `there` keep their order, and what a marker says beyond our fields stays.
    """
    title, text, status = (value("task", doc, name) for name in ("title", "description", "status"))
    others = {name: item for name, item in marker.get("fields", {}).items() if name not in FIELDS["task"]}
    line = {**marker, "id": key.id, "fields": {**others, **{name: doc[name] for name in ENCODED & doc.keys()}}}
    line.pop("derivedTitle", None)
    if title is None:
        title = line["derivedTitle"] = _first_line(text)
    wanted = [*value("task", doc, "labels"), *_scoped(doc)]
    return {
        "title": title,
        "body": join(text, line),
        "state": "closed" if status in CLOSED else "open",
        "reason": CLOSED.get(status, ""),
        "labels": sorted(wanted, key=[*there, *wanted].index),
        "assignee": value("task", doc, "owner"),
        "milestone": value("task", doc, "milestone"),
    }


def _scoped(doc: Doc) -> list[str]:
    """Return the labels that stand for fields."""
    words = {"status": "status", "priority": "priority", "deliveryState": "delivery"}
    labels = (f"{word}/{doc[name]}" for name, word in words.items() if name in doc)
    return [label for label in labels if scope(label)]


def _first_line(text: str | None) -> str:
    lines = (line.strip() for line in (text or "").split("\n"))
    return next((line[:_TITLE] for line in lines if line), "untitled")


# Comments


def read_comment(key: Key, entry: Entry, text: str | None, marker: Marker, task: str | None) -> Doc:
    """Return the evidence or the event a comment shows; `task` is the id of the ticket it is on. Raises `Invalid`."""
    if key.kind == "event":
        doc = {"taskId": task, "kind": "note", "atIso": entry["created"]}
        doc |= {
            "actor": {"type": "external", "id": entry["author"]},
            "payload": {"text": text or ""},
        }
    else:
        told = marker.get("fields", {})
        doc = {name: told[name] for name in FIELDS["evidence"].keys() & told.keys()} | {"summary": text}
    return image(key.kind, validated(key.kind, key.id, _without_null(doc)))


def write_comment(key: Key, doc: Doc) -> str:
    """Return the body of a comment that shows evidence."""
    fields = {name: item for name, item in doc.items() if name != "summary"}
    return join(value("evidence", doc, "summary"), {"id": key.id, "fields": fields})


def _without_null(doc: Doc) -> dict[str, Any]:
    return {name: item for name, item in doc.items() if item is not None}

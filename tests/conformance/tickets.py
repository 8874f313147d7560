"""Two hands on the hostile tracker that know its tickets and comments, and nothing of its adapter."""

import json
import re
from typing import Any, Final

from tallystick_conformance.faults import FaultPlan
from tallystick_conformance.hostile.adapter import Hostile
from tallystick_conformance.hostile.tracker import Entry, Shelf, Tracker
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise

BOT: Final = "tally-bot"
_BODY: Final = re.compile(r"(?:(?P<text>.*)\n\n)?<!-- tally (?P<line>\{.*\}) -->", re.DOTALL)
_SIGN: Final = re.compile(r"(status|priority|delivery)/[a-z0-9-]+")
_HIDDEN: Final = (
    "dependsOn", "decisionGate", "acceptanceCriteria", "notes", "parent", "due", "archived", "extensions",
)  # fmt: skip


class Hands:
    """A tracker, with what a person at its database would do."""

    def __init__(self, plan: FaultPlan | None = None) -> None:
        self.tracker = Tracker(BOT, plan or FaultPlan(), named)
        self._spoiled: dict[int, Key] = {}

    def adapter(self) -> Hostile:
        """Build the adapter as every run does."""
        return Hostile(self.tracker)

    def plant(self, key: Key, doc: Doc | None) -> Key:
        """Put a record there, or take it away; returns the key it has there."""
        shelf: Shelf = "tickets" if key.kind == "task" else "comments"
        there = [entry for entry in self._entries(shelf) if self._key(shelf, entry) == key]
        if doc is None:
            for entry in there:
                self.tracker.remove(shelf, entry["number"])
            return key
        content = self._content(key, doc)
        if there:
            self.tracker.edit(shelf, there[0]["number"], content)
            return key
        author = doc["actor"]["id"] if key.kind == "event" else BOT
        return self._key(shelf, self.tracker.add(shelf, author, content))

    def spoil(self, key: Key) -> None:
        """Let a careless hand break the hidden line of a ticket."""
        (entry,) = [entry for entry in self._entries("tickets") if self._key("tickets", entry) == key]
        self.tracker.edit("tickets", entry["number"], {"body": entry["body"].replace('{"', "{", 1)})
        self._spoiled[entry["number"]] = key

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every record as it stands there."""
        tickets = [(self._key("tickets", entry), self._task(entry)) for entry in self._entries("tickets")]
        return tickets + [(self._key("comments", entry), self._comment(entry)) for entry in self._entries("comments")]

    def _entries(self, shelf: Shelf) -> list[Entry]:
        return [entry for entry in self.tracker.shelves[shelf].values() if entry is not None]

    def _key(self, shelf: Shelf, entry: Entry) -> Key:
        number = entry["number"]
        own = Key("task", f"tracker-#{number}") if shelf == "tickets" else Key("event", f"tracker-c{number}")
        return named(shelf, entry) or self._spoiled.get(number, own)

    def _number(self, task: str | None) -> int | None:
        found = (entry["number"] for entry in self._entries("tickets") if self._key("tickets", entry).id == task)
        return next(found, None)

    def _content(self, key: Key, doc: Doc) -> dict[str, Any]:
        if key.kind == "event":
            return {"ticket": self._number(doc.get("taskId")), "body": str(doc.get("payload", {}).get("text", ""))}
        if key.kind == "evidence":
            fields = {name: item for name, item in doc.items() if name != "summary"}
            return {"body": _body(doc.get("summary"), {"id": key.id, "fields": fields})}
        status, title = doc.get("status", "planned"), doc.get("title")
        line: dict[str, Any] = {"id": key.id, "fields": {name: doc[name] for name in _HIDDEN if name in doc}}
        if title is None:
            title = line["derivedTitle"] = "untitled"
        signs = [f"status/{status}"] if status in {"in-progress", "blocked"} else []
        signs += [f"priority/{doc['priority']}"] if "priority" in doc else []
        signs += [f"delivery/{doc['deliveryState']}"] if "deliveryState" in doc else []
        return {
            "title": title, "body": _body(doc.get("description"), line), "labels": [*doc.get("labels", ()), *signs],
            "state": "closed" if status in {"completed", "cancelled"} else "open",
            "reason": {"completed": "done", "cancelled": "not planned"}.get(status, ""),
            "assignee": doc.get("owner"), "milestone": doc.get("milestone"),
        }  # fmt: skip

    def _comment(self, entry: Entry) -> Doc:
        text, line = _parts(entry)
        if line:
            evidence: Doc = normalise({**line["fields"], "summary": text})
            return evidence
        about = [self._key("tickets", one).id for one in self._entries("tickets") if one["number"] == entry["ticket"]]
        actor, payload = {"type": "external", "id": entry["author"]}, {"text": entry["body"]}
        event = {"kind": "note", "atIso": entry["created"], "actor": actor, "payload": payload}
        shown: Doc = normalise({**event, "taskId": about[0] if about else None})
        return shown

    @staticmethod
    def _task(entry: Entry) -> Doc:
        text, line = _parts(entry)
        title = entry["title"].replace("\r\n", "\n")
        signs = dict(label.split("/") for label in entry["labels"] if _SIGN.fullmatch(label))
        closed = {"done": "completed", "not planned": "cancelled"}
        shown: Doc = normalise({
            **line.get("fields", {}),
            "title": None if title == line.get("derivedTitle") else title,
            "description": text,
            "owner": entry["assignee"],
            "milestone": entry["milestone"],
            "labels": [label for label in entry["labels"] if not _SIGN.fullmatch(label)],
            "status": closed.get(entry["reason"]) or signs.get("status", "planned"),
            "priority": signs.get("priority", "unset"),
            "deliveryState": signs.get("delivery"),
        })  # fmt: skip
        return shown


def named(shelf: Shelf, entry: Entry) -> Key | None:
    """Return the key that the hidden line of an entry gives it, if the engine wrote it."""
    _, line = _parts(entry)
    return Key("task" if shelf == "tickets" else "evidence", line["id"]) if line else None


def _parts(entry: Entry) -> tuple[str | None, dict[str, Any]]:
    """Return text and hidden line; a line counts on a ticket of the engine, or where it says the ticket's own id."""
    body = entry["body"].replace("\r\n", "\n")
    if found := _BODY.fullmatch(body):
        try:
            line: dict[str, Any] = json.loads(found["line"])
        except ValueError:  # a careless hand was at it
            line = {}
        if line and (entry["author"] == BOT or line["id"] == f"tracker-#{entry['number']}"):
            return found["text"], line
    return body or None, {}


def _body(text: str | None, line: dict[str, Any]) -> str:
    return ("" if text is None else f"{text}\n\n") + f"<!-- tally {json.dumps(line)} -->"

"""A .project board edited as a person would: plain JSON in and out, without the adapter's codec."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, canonical_json, digest, normalise

NAMES: Final = {
    "dependsOn": "depends_on", "acceptanceCriteria": "acceptance_criteria", "decisionGate": "decision_gate",
    "targetType": "target_type", "criteriaResults": "criteria_results", "summary": "evidence",
    "noAutoClose": "no_auto_close", "requiresVerification": "requires_verification",
    "requiresOperatorApproval": "requires_operator_approval",
}  # fmt: skip
"""The board's key of each field or flag that has another name there."""

FIELDS: Final = {key: name for name, key in NAMES.items()}
NEEDED: Final = {"task": {"status": "planned"}, "evidence": {"target_type": "task", "status": "partial"}}


class Board:
    """The folder `.project` below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".project"
        self.folder.mkdir()

    def adapter(self) -> ProjectJson:
        """Build the adapter as a run does."""
        return ProjectJson("board", {"path": ".project"}, str(self.root))

    def plant(self, key: Key, doc: Doc | None) -> Key:
        """Put a record on the board, or take it away."""
        if key.kind == "event":
            return self._note_event(doc)
        live = "tasks.json" if key.kind == "task" else "verification.json"
        wanted = "archive/completed-tasks-0001.jsonl" if doc and doc.get("archived") else live
        entry = {"id": key.id, **_entry(key.kind, doc)} if doc is not None else None
        for name in (live, "archive/completed-tasks-0001.jsonl"):
            entries = self._read(name)
            place = next((at for at, found in enumerate(entries) if found["id"] == key.id), len(entries))
            entries[place : place + 1] = [entry] if entry is not None and name == wanted else []
            self._write(name, entries)
        return key

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every record on the board."""
        found = [(Key("task", entry["id"]), _doc("task", entry)) for entry in self._read("tasks.json")]
        found += [(Key("evidence", entry["id"]), _doc("evidence", entry)) for entry in self._read("verification.json")]
        for path in sorted(self.folder.glob("archive/*.jsonl")):
            entries = self._read(f"archive/{path.name}")
            found += [(Key("task", entry["id"]), _doc("task", entry) | {"archived": True}) for entry in entries]
        return found + list(self._events())

    def _note_event(self, doc: Doc | None) -> Key:
        assert doc is not None, "the trail is only ever added to"
        entry = {**doc.get("payload", {}), "atIso": doc["atIso"]}
        trail = self._read("handoff.json")
        self._write("handoff.json", [*trail, entry])
        return _named(entry)

    def _events(self) -> Iterator[tuple[Key, Doc]]:
        actor = {"type": "external", "id": "handoff"}
        for entry in self._read("handoff.json"):
            doc = {"kind": "x-context-watch", "atIso": entry["atIso"], "actor": actor, "payload": entry}
            yield _named(entry), doc

    def _read(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        if not path.exists():
            return []
        text = path.read_text(encoding="utf-8")
        if name.endswith(".jsonl"):
            return [json.loads(line) for line in text.split("\n") if line]
        found: list[dict[str, Any]] = json.loads(text).get(_list(name), [])
        return found

    def _write(self, name: str, entries: list[dict[str, Any]]) -> None:
        path = self.folder / name
        if not entries and not path.exists():
            return
        path.parent.mkdir(exist_ok=True)
        if name.endswith(".jsonl"):
            text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        else:
            text = json.dumps({_list(name): entries}, indent=2, ensure_ascii=False) + "\n"
        path.write_bytes(text.encode())


def _list(name: str) -> str:
    return {"tasks.json": "tasks", "verification.json": "verifications"}.get(name, "context_watch_events")


def _named(entry: Doc) -> Key:
    return Key("event", "hf-" + digest(canonical_json(normalise(entry))))


def _entry(kind: str, doc: Doc) -> dict[str, Any]:
    """Return a record as the board spells it."""
    entry: dict[str, Any] = dict(NEEDED[kind])
    for name, item in doc.items():
        if name == "extensions":
            entry |= item
        elif name == "acceptanceCriteria":
            entry["acceptance_criteria"] = [one["text"] for one in item]
            entry["acceptance_done"] = [one["text"] for one in item if one["done"]]
        elif name == "decisionGate":
            entry["decision_gate"] = {NAMES[flag]: on for flag, on in item.items()}
        elif name != "archived":
            entry[NAMES.get(name, name)] = item
    return entry


def _doc(kind: str, entry: Doc) -> dict[str, Any]:
    """Return the document that a record of the board spells."""
    rest = dict(entry)
    del rest["id"]
    doc: dict[str, Any] = {}
    if kind == "task":
        ticked = rest.pop("acceptance_done", [])
        doc["acceptanceCriteria"] = [
            {"text": text, "done": _taken(ticked, text)} for text in rest.pop("acceptance_criteria", [])
        ]
        gate = rest.pop("decision_gate", None) or {}
        doc["decisionGate"] = {FIELDS[flag]: True for flag, on in gate.items() if on}
    own = {"title", "description", "status", "priority", "depends_on", "owner", "labels", "milestone", "notes", "files",
           "parent", "due"} if kind == "task" else {"target", "target_type", "status", "method", "evidence",
           "timestamp", "artifacts", "criteria_results", "commit"}  # fmt: skip
    doc |= {FIELDS.get(key, key): item for key, item in rest.items() if key in own and item not in ("", [])}
    kept = {key: item for key, item in rest.items() if key not in own and key != "extensions"}
    return doc | {"extensions": kept | rest.get("extensions", {})}


def _taken(ticked: list[str], text: str) -> bool:
    """Take one tick for a text off the list; a text that stands there twice may be ticked once."""
    if text not in ticked:
        return False
    ticked.remove(text)
    return True

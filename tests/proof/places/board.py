"""A .project board, read and written with nothing but the standard library's json."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, canonical_json, digest, normalise
from tallystick_contract.fields import FIELDS, sparse

_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "task": {
        "title": "title", "description": "description", "status": "status", "priority": "priority",
        "dependsOn": "depends_on", "owner": "owner", "labels": "labels", "milestone": "milestone", "notes": "notes",
        "files": "files", "parent": "parent", "due": "due",
    },
    "evidence": {
        "target": "target", "targetType": "target_type", "status": "status", "method": "method",
        "timestamp": "timestamp", "summary": "evidence", "artifacts": "artifacts",
        "criteriaResults": "criteria_results", "commit": "commit",
    },
}  # fmt: skip
_GATE: Final = {
    "noAutoClose": "no_auto_close",
    "requiresVerification": "requires_verification",
    "requiresOperatorApproval": "requires_operator_approval",
}
_LISTS: Final = {"task": ("tasks.json", "tasks"), "evidence": ("verification.json", "verifications")}


class Board:
    """The folder of a board."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self.folder = name, folder / name

    def adapter(self) -> ProjectJson:
        return ProjectJson(self._name, {"path": self.folder.name}, str(self.folder.parent))

    def plant(self, key: Key, doc: Doc | None) -> Key:
        if key.kind == "event":
            return self._trail(doc or {})
        file, member = _LISTS[key.kind]
        self._place(self.folder / file, member, key, None if doc is None or doc.get("archived") else doc)
        if key.kind == "task":
            self._place_archived(key, doc if doc is not None and doc.get("archived") else None)
        return key

    def _trail(self, doc: Doc) -> Key:
        """Add an entry to the handoff's trail, as the tools around a board do; it has no id but what it says."""
        path = self.folder / "handoff.json"
        whole = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"context_watch_events": []}
        entry = {**doc.get("payload", {}), "atIso": doc["atIso"]}
        whole["context_watch_events"].append(entry)
        _write(path, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
        return _named(entry)

    def _place(self, path: Path, member: str, key: Key, doc: Doc | None) -> None:
        whole = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {member: []}
        _put(whole[member], key, doc)
        _write(path, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")

    def _place_archived(self, key: Key, doc: Doc | None) -> None:
        path = self.folder / "archive" / "completed-tasks-0001.jsonl"
        items = (
            [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line] if path.exists() else []
        )
        before = list(items)
        _put(items, key, doc)
        if items != before:
            _write(path, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))

    def peek(self) -> list[tuple[Key, Doc]]:
        """As the port says; a copy in an archive of what is on the live board is its history, no second one (D-07)."""
        live = [*self._live("task"), *self._live("evidence")]
        there = {key for key, _ in live}
        return [*live, *((key, doc) for key, doc in self._archived() if key not in there), *self._told()]

    def _live(self, kind: str) -> Iterator[tuple[Key, Doc]]:
        file, member = _LISTS[kind]
        path = self.folder / file
        if path.exists():
            for item in json.loads(path.read_text(encoding="utf-8"))[member]:
                yield Key(kind, item["id"]), _doc(kind, item)

    def _archived(self) -> Iterator[tuple[Key, Doc]]:
        for path in sorted(self.folder.glob("archive/*.jsonl")):
            for line in filter(None, path.read_text(encoding="utf-8").split("\n")):
                item = json.loads(line)
                yield Key("task", item["id"]), {**_doc("task", item), "archived": True}

    def _told(self) -> Iterator[tuple[Key, Doc]]:
        path = self.folder / "handoff.json"
        if path.exists():
            for entry in json.loads(path.read_text(encoding="utf-8"))["context_watch_events"]:
                said = {"kind": "x-context-watch", "actor": {"type": "external", "id": "handoff"}}
                yield _named(entry), {**said, "atIso": entry["atIso"], "payload": entry}


def _named(entry: Doc) -> Key:
    return Key("event", "hf-" + digest(canonical_json(normalise(entry))))


def _put(items: list[Any], key: Key, doc: Doc | None) -> None:
    """Put a record where it stands in the list, at its end where it is new, or take it out."""
    at = next((at for at, item in enumerate(items) if item["id"] == key.id), len(items))
    items[at : at + 1] = [] if doc is None else [_item(key, doc)]


def _item(key: Key, doc: Doc) -> dict[str, Any]:
    """Return a record in the board's words."""
    names = _NAMES[key.kind]
    item = {"id": key.id, "status": FIELDS[key.kind]["status"].default}
    item |= {names[name]: value for name, value in doc.items() if name in names}
    if criteria := doc.get("acceptanceCriteria"):
        item["acceptance_criteria"] = [one["text"] for one in criteria]
        item["acceptance_done"] = [one["text"] for one in criteria if one["done"]]
    if gate := doc.get("decisionGate"):
        item["decision_gate"] = {_GATE[name]: value for name, value in gate.items()}
    return item | dict(doc.get("extensions", {}))


def _doc(kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record in the contract's words."""
    rest = {name: value for name, value in item.items() if name != "id"}
    doc = {name: rest.pop(word) or None for name, word in _NAMES[kind].items() if word in rest}
    if kind == "task":
        done = rest.pop("acceptance_done", [])
        criteria = [{"text": text, "done": _ticked(done, text)} for text in rest.pop("acceptance_criteria", [])]
        gate = rest.pop("decision_gate", {})
        doc |= {
            "acceptanceCriteria": criteria,
            "decisionGate": {n: True for n, word in _GATE.items() if gate.get(word)},
        }
    doc = {name: item for name, item in doc.items() if item is not None}
    return sparse(kind, {**doc, "extensions": rest})


def _ticked(done: list[str], text: str) -> bool:
    """Take one tick of a text off the list: a text that stands there twice may be ticked once."""
    if text in done:
        done.remove(text)
        return True
    return False


def _write(path: Path, text: str) -> None:
    """Replace a file as most editors do: whole, under a new inode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.edited")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)  # noqa: PTH105 -- as everywhere in the proof

"""A vault of notes, read and written as text, the way a person with an editor and grep would."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse

_FLAGS: Final = ("noAutoClose", "requiresVerification", "requiresOperatorApproval")
_PLAIN: Final = (
    "title", "status", "priority", "dependsOn", "owner", "milestone", "labels", "files", "parent", "due", "archived",
    "extensions",
)  # fmt: skip
_REGION: Final = re.compile(r"<!-- tally:begin (\w+)( list)? -->\n(.*?)<!-- tally:end \1 -->\n?", re.DOTALL)
_ITEM: Final = re.compile(r"^- (?:\[([ x])\] )?(.*(?:\n {2,}.*)*)$", re.MULTILINE)
_RECORDS: Final = {
    "evidence": re.compile(r"```json\n  (\{.*\})\n"),
    "journal": re.compile(r"<!-- (\{.*\}) -->"),
}
_KINDS: Final = {"evidence": "evidence", "journal": "event"}


@dataclass
class _Note:
    """One note taken apart: its frontmatter, its regions, and everything else in it."""

    front: dict[str, Any] = field(default_factory=dict)
    regions: dict[str, str] = field(default_factory=dict)
    rest: str = ""
    listed: bool = False

    @classmethod
    def read(cls, path: Path) -> "_Note":
        _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
        note = cls(
            {name: _plain(text) for name, text in (line.split(": ", 1) for line in head.removesuffix("\n").split("\n"))}
        )
        for name, listed, inner in _REGION.findall(body):
            note.regions[name] = inner
            note.listed |= bool(listed)
        note.rest = _REGION.sub("", body).strip("\n")
        return note

    def write(self, path: Path) -> None:
        lines = ["---", *(f"{name}: {_spelled(item)}" for name, item in self.front.items()), "---", ""]
        for name, inner in self.regions.items():
            listed = " list" if name == "notes" and self.listed else ""
            lines += [
                f"<!-- tally:begin {name}{listed} -->",
                inner.removesuffix("\n"),
                f"<!-- tally:end {name} -->",
                "",
            ]
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.edited")
        new.write_text("\n".join([*lines, self.rest]) + "\n", encoding="utf-8")
        os.replace(new, path)  # noqa: PTH105 -- as everywhere in the proof

    def task(self) -> Doc:
        doc: dict[str, Any] = {name: self.front[name] for name in _PLAIN if name in self.front}
        doc["decisionGate"] = {flag: True for flag in _FLAGS if self.front.get(flag) is True}
        if "description" in self.regions:
            doc["description"] = self.regions["description"].removesuffix("\n") or None
        if "notes" in self.regions:
            items = [text for _, text in _items(self.regions["notes"], 2)]
            doc["notes"] = (items if self.listed else self.regions["notes"].removesuffix("\n")) or None
        doc["acceptanceCriteria"] = [
            {"text": text, "done": box == "x"} for box, text in _items(self.regions.get("criteria", ""), 6)
        ]
        if found := re.search(r"^- delivery state: (\S+)$", self.regions.get("gate", ""), re.MULTILINE):
            doc["deliveryState"] = found[1]
        return sparse("task", doc)

    def show(self, ident: str, doc: Doc) -> None:
        """Make the note show this task; evidence, events and people's own words stay. The gate region is the hub's."""
        self.front = {"id": ident, **{name: doc[name] for name in _PLAIN if name in doc}}
        self.front.setdefault("status", "planned")
        self.front |= dict(doc.get("decisionGate", {}))
        notes = doc.get("notes")
        self.listed = isinstance(notes, list)
        criteria = [
            _item(f"- [{'x' if one['done'] else ' '}] ", one["text"]) for one in doc.get("acceptanceCriteria", ())
        ]
        texts = {
            "description": doc.get("description"),
            "criteria": "\n".join(criteria),
            "notes": "\n".join(_item("- ", item) for item in notes) if isinstance(notes, list) else notes,
        }
        kept = {name: inner for name, inner in self.regions.items() if name not in texts}
        self.regions = {name: f"{text}\n" for name, text in texts.items() if text} | kept

    def records(self) -> Iterator[tuple[Key, Doc]]:
        """Yield the evidence and events of the note."""
        for name, kind in _KINDS.items():
            for text in _RECORDS[name].findall(self.regions.get(name, "")):
                doc = json.loads(text)
                yield Key(kind, doc.pop("id")), sparse(kind, doc)

    def put(self, key: Key, doc: Doc | None) -> None:
        """Make the note show this piece of evidence or event, or take it away."""
        region = next(name for name, kind in _KINDS.items() if kind == key.kind)
        shown = {one: found for one, found in self.records() if one.kind == key.kind and one != key}
        shown |= {} if doc is None else {key: doc}
        blocks = [_BLOCK[key.kind]({"id": one.id, **found}) for one, found in shown.items()]
        self.regions.pop(region, None)
        if blocks:
            self.regions[region] = "\n".join([f"## {region.capitalize()}", *blocks]) + "\n"


class Vault:
    """The folder of a vault."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self.folder = name, folder / name

    def adapter(self) -> Markdown:
        return Markdown(self._name, {"path": self.folder.name}, str(self.folder.parent))

    def plant(self, key: Key, doc: Doc | None) -> None:
        path = self.note(key)
        if key.kind == "task" and doc is None:
            path.unlink(missing_ok=True)
            return
        note = _Note.read(path) if path.exists() else _Note()
        if key.kind == "task":
            note.show(key.id, doc or {})
        else:
            path = path if path.exists() or doc is None else self._home(doc)
            note = _Note.read(path) if path.exists() else _Note({"tallystick": "project"})
            note.put(key, doc)
        note.write(path)

    def peek(self) -> list[tuple[Key, Doc]]:
        found: list[tuple[Key, Doc]] = []
        for path in self._notes():
            note = _Note.read(path)
            if "id" in note.front:
                found.append((Key("task", str(note.front["id"])), note.task()))
            found += note.records()
        return found

    def note(self, key: Key) -> Path:
        """Return the note a record stands in; for one that stands nowhere, the note its task would get."""
        for path in self._notes():
            note = _Note.read(path)
            if key in dict(note.records()) or (key.kind == "task" and note.front.get("id") == key.id):
                return path
        return self.folder / f"{key.id}.md"

    def _home(self, doc: Doc) -> Path:
        path = self.note(Key("task", str(doc.get("target") or doc.get("taskId"))))
        return path if path.exists() else self.folder / "_tallystick.md"

    def _notes(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*.md") if not path.name.startswith("."))


def _item(mark: str, text: str) -> str:
    return mark + text.replace("\n", "\n" + " " * len(mark))


def _items(inner: str, width: int) -> list[tuple[str, str]]:
    """Return the items of a list, each with the mark in its box; further lines are indented by `width`."""
    found = []
    for match in _ITEM.finditer(inner):
        lines = match[2].removesuffix("\n").split(f"\n{' ' * width}")
        bare = [line[:-1] if line.endswith("\\") and not line.strip(" \t\\") else line for line in lines]
        found.append((match[1], "\n".join(bare)))
    return found


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _spelled(item: Any) -> str:
    return item if isinstance(item, str) and re.fullmatch(r"[A-Za-z][\w-]*|\d{4}-\d\d-\d\d", item) else json.dumps(item)


def _evidence(doc: Doc) -> str:
    tail = "".join(f" · {doc[name]}" for name in ("timestamp", "method") if doc.get(name))
    head = f"- **{doc.get('status', 'partial')}** {doc['id']}{tail}"
    return f"{head}\n  ```json\n  {json.dumps({'status': 'partial', **doc}, ensure_ascii=False)}\n  ```"


def _event(doc: Doc) -> str:
    actor = doc["actor"]
    head = f"- {doc['atIso']} {doc.get('kind', 'note')} by {actor['type']}:{actor['id']}"
    return f"{head} <!-- {json.dumps(doc, ensure_ascii=False)} -->"


_BLOCK: Final = {"evidence": _evidence, "event": _event}

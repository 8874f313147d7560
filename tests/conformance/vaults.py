"""A vault of notes edited as a person would: text in and out, without the adapter's codec."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc

FLAGS: Final = ("noAutoClose", "requiresVerification", "requiresOperatorApproval")
HEADS: Final = ("title", "status", "priority", "dependsOn", "owner", "milestone", "labels", "files", "parent", "due")
PROJECT: Final = "---\ntallystick: project\n---\n"
REGION: Final = re.compile(
    r"^<!-- tally:begin (\w+)( list)? -->\n(.*?)^<!-- tally:end \1 -->$\n?", re.DOTALL | re.MULTILINE
)
BLOCK: Final = {
    "evidence": re.compile(r"^- [^\n]*\n  ```json\n  (?P<json>[^\n]*)\n  ```\n", re.MULTILINE),
    "event": re.compile(r"^- [^\n]*<!-- (?P<json>\{[^\n]*\}) -->\n", re.MULTILINE),
}
PLACE: Final = {"evidence": "evidence", "event": "journal"}
BLANK: Final = re.compile(r"[ \t]*\\*")


class Notes:
    """The folder `vault` below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "vault"
        self.folder.mkdir()

    def adapter(self) -> Markdown:
        """Build the adapter as a run does."""
        return Markdown("vault", {"path": "vault"}, str(self.root))

    def plant(self, key: Key, doc: Doc | None) -> None:
        """Write a note, or a record into the project's note; or take it away."""
        if key.kind != "task":
            self._plant_record(key, doc)
            return
        path = next((path for path, found in self._tasks() if found == key.id), None)
        if doc is None:
            if path is not None:
                path.unlink()
            return
        kept = {name: inner for name, _, inner in _regions(_text(path)) if name in {"evidence", "journal", "gate"}}
        target = path or self.folder / f"note {quote(key.id[:60], safe=' ')}.md"
        target.write_bytes(_note(key.id, doc, kept).encode())

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every record in every note."""
        found: list[tuple[Key, Doc]] = []
        for path in sorted(self.folder.rglob("*.md")):
            text = _text(path)
            if not text.startswith(PROJECT):
                ident, doc = _task(text)
                found.append((Key("task", ident), doc))
            for kind, grammar in BLOCK.items():
                for name, _, inner in _regions(text):
                    if name == PLACE[kind]:
                        records = [json.loads(match["json"]) for match in grammar.finditer(inner)]
                        found += [(Key(kind, record.pop("id")), record) for record in records]
        return found

    def _tasks(self) -> Iterator[tuple[Path, str]]:
        for path in sorted(self.folder.rglob("*.md")):
            text = _text(path)
            if not text.startswith(PROJECT):
                yield path, _task(text)[0]

    def _plant_record(self, key: Key, doc: Doc | None) -> None:
        """Take a record out of whichever note has it, and write it into the project's note."""
        grammar, place = BLOCK[key.kind], PLACE[key.kind]

        def other(match: re.Match[str]) -> str:
            return "" if json.loads(match["json"])["id"] == key.id else match[0]

        for path in self.folder.rglob("*.md"):
            text = _text(path)
            left = grammar.sub(other, text)
            if left != text:
                path.write_bytes(left.encode())
        if doc is None:
            return
        path = self.folder / "_tallystick.md"
        text = _text(path) or PROJECT
        if f"<!-- tally:begin {place} -->" not in text:
            text += f"\n<!-- tally:begin {place} -->\n<!-- tally:end {place} -->\n"
        end = f"<!-- tally:end {place} -->"
        path.write_bytes(text.replace(end, _block(key, doc) + end).encode())


def _text(path: Path | None) -> str:
    return path.read_bytes().decode() if path is not None and path.exists() else ""


def _regions(text: str) -> list[tuple[str, str, str]]:
    return [(match[1], match[2] or "", match[3]) for match in REGION.finditer(text)]


def _block(key: Key, doc: Doc) -> str:
    record = json.dumps({"id": key.id, **doc}, ensure_ascii=False)
    if key.kind == "evidence":
        parts = [doc[name] for name in ("timestamp", "method") if doc.get(name)]
        head = " · ".join([f"- **{doc.get('status', 'partial')}** {key.id}", *parts])
        return f"{head}\n  ```json\n  {record}\n  ```\n"
    actor = doc.get("actor") or {}
    hidden = record.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"- {doc['atIso']} {doc.get('kind', 'note')} by {actor.get('type')}:{actor.get('id')} <!-- {hidden} -->\n"


def _note(ident: str, doc: Doc, kept: dict[str, str]) -> str:
    """Return the text of a task's note."""
    head = {"id": ident} | {name: doc[name] for name in HEADS if name in doc}
    head |= {"archived": True} if doc.get("archived") else {}
    head |= {flag: True for flag in FLAGS if doc.get("decisionGate", {}).get(flag)}
    head |= {"extensions": doc["extensions"]} if doc.get("extensions") else {}
    text = "".join(f"{name}: {json.dumps(item, ensure_ascii=False)}\n" for name, item in head.items())
    regions = {"description": doc["description"] + "\n"} if doc.get("description") else {}
    criteria = [(f"- [{'x' if one['done'] else ' '}] ", one["text"]) for one in doc.get("acceptanceCriteria", ())]
    regions |= {"criteria": _items(criteria)} if criteria else {}
    notes = doc.get("notes")
    if notes:
        inner = _items([("- ", note) for note in notes]) if isinstance(notes, list) else notes + "\n"
        regions["notes list" if isinstance(notes, list) else "notes"] = inner
    if "deliveryState" in doc:
        kept = kept | {"gate": f"## Gate\n- delivery state: {doc['deliveryState']}\n"}
    order = {"gate": 1, "evidence": 2, "journal": 3}
    regions |= {name: kept[name] for name in sorted(kept, key=order.__getitem__)}
    body = "".join(
        f"\n<!-- tally:begin {name} -->\n{inner}<!-- tally:end {name.partition(' ')[0]} -->\n"
        for name, inner in regions.items()
    )
    return f"---\n{text}---\n{body}"


def _items(items: list[tuple[str, str]]) -> str:
    return "".join(mark + text.replace("\n", "\n" + " " * len(mark)) + "\n" for mark, text in items)


def _task(text: str) -> tuple[str, dict[str, Any]]:
    """Return id and document of a task's note."""
    _, head, body = text.split("---\n", 2)
    doc: dict[str, Any] = {}
    for line in head.splitlines():
        name, _, written = line.partition(": ")
        doc[name] = json.loads(written) if written[:1] in ('"', "[", "{") else written
    doc["archived"] = doc.get("archived") == "true"
    doc["decisionGate"] = {flag: True for flag in FLAGS if doc.pop(flag, "false") == "true"}
    for name, is_list, inner in _regions(body):
        if name == "description" or (name == "notes" and not is_list):
            doc[name] = inner[:-1] or None
        elif name == "notes":
            doc[name] = [note for _, note in _read_items(inner, "- ")] or None
        elif name == "criteria":
            doc["acceptanceCriteria"] = [
                {"text": item, "done": mark[3] == "x"} for mark, item in _read_items(inner, "- [ ] ")
            ]
        elif name == "gate" and (found := re.search(r"^- delivery state: (.*)$", inner, re.MULTILINE)):
            doc["deliveryState"] = found[1]
    return doc.pop("id"), doc


def _read_items(inner: str, mark: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in inner[:-1].split("\n") if inner else ():
        if line.startswith("- "):
            found.append((line[: len(mark)], line[len(mark) :]))
        else:
            more = line[len(mark) :] if line.startswith(" " * len(mark)) else line
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{more}")
    return [(head, "\n".join(_bare(line) for line in item.split("\n"))) for head, item in found]


def _bare(line: str) -> str:
    return line[:-1] if line.endswith("\\") and BLANK.fullmatch(line) else line

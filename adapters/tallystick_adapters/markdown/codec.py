"""A note as records and records as a note: pure translation, both ways."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, digest, normalise, normalise_text
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import sparse

from . import frontmatter, regions
from .frontmatter import Frontmatter
from .keys import FLAGS, KEYS, LINKS, LISTS, TELLING, Remark, one_text, take
from .names import linked
from .records import Block, read_evidence, read_journal
from .regions import Body

PROJECT: Final = "tallystick"
"""The key that tells the note of the project's own evidence and events."""

EDITABLE: Final = {"description": "description", "criteria": "acceptanceCriteria", "notes": "notes"}
"""The regions people write in, in the order in which a new note shows them, each with the field it holds."""

_DELIVERY: Final = frozenset({"reported", "artifact-produced", "applied", "recovery-required"})
_DELIVERED: Final = re.compile(r"^- delivery state: ([a-z-]+)[ \t]*\r?$", re.MULTILINE)
_REVISION: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Note:
    """One note, read. `id` is None where the id line is missing; `task` is None for the project's note."""

    text: str
    front: Frontmatter
    body: Body
    id: str | None
    task: Doc | None
    implied_title: bool
    blocks: Sequence[Block]
    strays: Sequence[Block]
    remarks: Sequence[Remark] = field(default=())


def revision(image: Doc) -> str:
    """Return what changes whenever a record's own content in its note changes, and only then.

    Raises `Invalid` for half a character (a lone surrogate), which no UTF-8 file can hold.
    """
    try:
        return digest(_REVISION(image).encode())
    except UnicodeEncodeError as error:
        raise Invalid("holds half a character (a lone surrogate)", todo="take it out") from error


def parse(text: str, stem: str) -> Note | None:
    """Read a note; None if it is no task and not the project's own note.

    `stem` is the file's name without its ending: the title of a task that has neither title nor description.
    Raises `Invalid`, with the line as `where`, for a note that is ours and cannot be read.
    """
    front = frontmatter.parse(text)
    if front is None:
        return None
    project = PROJECT in front.slots
    if not project and not TELLING & front.slots.keys():
        return None
    body = regions.scan(text, front.body)
    remarks: list[Remark] = []
    blocks, strays = _generated(text, body, remarks)
    if project:
        return Note(text, front, body, None, None, False, blocks, strays, remarks)  # noqa: FBT003 -- no title at all
    task = _task(text, front, body, remarks)
    implied = "title" not in task and "description" not in task
    if implied:
        task["title"] = normalise_text(stem)
    _check_gate(text, body, task, remarks)
    slot = front.slots.get("id")
    record_id = normalise_text(one_text("id", slot)) if slot else None
    return Note(text, front, body, record_id, task, implied, blocks, strays, remarks)


def tells(text: str) -> str | None:
    """Say whether text that cannot be read as a note is one of ours: its id, "" without one, None if it is not ours."""
    head = text.split("\n---", 1)[0][:20_000]
    if not head.lstrip("\ufeff").startswith("---"):
        return None
    keys = re.findall(rf"^({'|'.join(sorted(TELLING))}|{PROJECT})[ \t]*:[ \t]*(.*)$", head, re.MULTILINE)
    if not keys:
        return None
    return next((value.strip().strip("\"'") for key, value in keys if key == "id"), "")


def _task(text: str, front: Frontmatter, body: Body, remarks: list[Remark]) -> dict[str, Any]:
    doc: dict[str, Any] = {}
    for key, slot in front.slots.items():
        if key in KEYS and key != "id" and slot.value is not None:
            take(doc, key, slot, remarks)
    for name, member in EDITABLE.items():
        region = body.regions.get(name)
        if region is None:
            continue
        inner = regions.inner_text(text, region)
        if name != "criteria" and not region.is_list:
            doc[member] = regions.unescaped(inner)
            continue
        found, before = regions.items(inner, boxes=name == "criteria")
        if before:
            line = frontmatter.line_at(text, region.inner)
            remarks.append(Remark("region-edited", f"text before the first item of {name!r}: {before}", line))
        doc[member] = [{"text": item, "done": done} if name == "criteria" else item for item, done in found]
    gate = body.regions.get("gate")
    if gate is not None:
        delivered = _DELIVERED.search(text, gate.inner, gate.inner_end)
        doc["deliveryState"] = delivered[1] if delivered else None
    return image("task", doc)


def _generated(text: str, body: Body, remarks: list[Remark]) -> tuple[list[Block], list[Block]]:
    """Read the evidence and journal regions; what does not read or was altered is remarked on."""
    blocks: list[Block] = []
    strays: list[Block] = []
    for name, reader in (("evidence", read_evidence), ("journal", read_journal)):
        if name in body.regions:
            for block in reader(text, body.regions[name]):
                (blocks if block.image is not None else strays).append(block)
                if block.altered:
                    line = frontmatter.line_at(text, block.start)
                    remarks.append(Remark("region-edited", f"{block.altered}: {text[block.start : block.end]}", line))
    return blocks, strays


_GATE_WORDS: Final = {
    "noAutoClose": "- is not closed automatically (noAutoClose)",
    "requiresVerification": "- needs passed evidence (requiresVerification)",
    "requiresOperatorApproval": "- needs an operator's approval (requiresOperatorApproval)",
}


def gate_text(task: Doc) -> str:
    """Return what the gate region says about a task; "" when there is nothing to say (K-113)."""
    lines = [words for flag, words in _GATE_WORDS.items() if task.get("decisionGate", {}).get(flag)]
    if task.get("deliveryState"):
        lines.append(f"- delivery state: {task['deliveryState']}")
    return "\n".join(["## Gate", *lines]) if lines else ""


def _check_gate(text: str, body: Body, task: Doc, remarks: list[Remark]) -> None:
    region = body.regions.get("gate")
    if region is None:
        return
    shown = regions.inner_text(text, region)
    if shown != gate_text(task):
        what = f"the gate region does not say what the note's gate is: {shown}"
        remarks.append(Remark("region-edited", what, frontmatter.line_at(text, region.inner)))


_EMPTY_IS_NULL: Final = ("title", "description", "notes", "owner", "milestone", "parent", "due")
_EVIDENCE_NULL: Final = ("method", "summary", "commit", "timestamp")


def image(kind: str, doc: Doc) -> dict[str, Any]:
    """Return a document as a note shows it: normalised, sparse, empty texts as null, empty items left out."""
    shown: dict[str, Any] = sparse(kind, normalise(doc))
    for name in _EMPTY_IS_NULL if kind == "task" else _EVIDENCE_NULL:
        if shown.get(name) in ("", []):
            del shown[name]
    if kind != "task":
        return sparse(kind, shown)
    for name in LISTS:
        if name in shown:
            links = (linked(item) if name in LINKS else item for item in shown[name])
            shown[name] = list(dict.fromkeys(item for item in links if item))
    if "parent" in shown:
        shown["parent"] = linked(shown["parent"])
    if "acceptanceCriteria" in shown:
        shown["acceptanceCriteria"] = [
            {"text": item["text"], "done": bool(item.get("done"))}
            for item in shown["acceptanceCriteria"]
            if item["text"]
        ]
    if "decisionGate" in shown:
        shown["decisionGate"] = {flag: True for flag in FLAGS if shown["decisionGate"].get(flag)}
    if shown.get("deliveryState") not in _DELIVERY:
        shown.pop("deliveryState", None)
    return sparse(kind, shown)


def records(note: Note, key: Key | None) -> dict[Key, Doc]:
    """Return all records of a note by key; `key` names its task."""
    own: dict[Key, Doc] = {key: note.task} if key is not None and note.task is not None else {}
    return own | {block.key: block.image for block in note.blocks if block.key and block.image is not None}

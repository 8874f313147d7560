"""Changes as edits of a note's text: only what a change is about is spliced, every other byte stays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick_contract.adapter import Change, Key
from tallystick_contract.canonical import Doc, is_day
from tallystick_contract.errors import Refused, Stale, TallystickError
from tallystick_contract.fields import arranged

from . import codec, regions
from .codec import Note
from .frontmatter import Splice, rendered, splice
from .keys import FLAGS, KEYS, LINKS, LISTS, TEXTS, spelled_items
from .records import HEADINGS, event_text, evidence_text


@dataclass(frozen=True, slots=True)
class Amended:
    """A note's text after a group of changes (None: nothing is left of it), and the changes that were not made."""

    text: str | None
    errors: Mapping[int, TallystickError]


def draft(task: tuple[str, Doc] | None, evidence: Iterable[tuple[str, Doc]], events: Iterable[tuple[str, Doc]]) -> str:
    """Return a new note: of a task by its id and image, or, without one, the project's own note."""
    parts: list[str] = []
    if task is None:
        head = f"{codec.PROJECT}: project\n"
    else:
        record_id, image = task
        head = "".join(
            f"{key}: {rendered(value, key)}\n"
            for key, value in _properties(record_id, image).items()
            if value is not None
        )
        parts += [text for name in codec.EDITABLE if (text := _editable(name, image, "\n"))]
        if gate := codec.gate_text(image):
            parts.append(regions.whole("gate", gate, "\n"))
    for name, blocks in (
        ("evidence", [evidence_text(*one) for one in evidence]),
        ("journal", [event_text(*one) for one in events]),
    ):
        if blocks:
            parts.append(regions.whole(name, "\n".join([HEADINGS[name], *blocks]), "\n"))
    return f"---\n{head}---\n" + "".join(f"\n{part}\n" for part in parts)


def refusal(change: Change, shown: Mapping[Key, Doc]) -> TallystickError | None:
    """Return why a change must not be made to a note that shows these records; None if it may."""
    key, current = change.key, shown.get(change.key)
    if change.op == "create":
        there = current is not None and current != codec.image(key.kind, change.image)
        error: TallystickError | None = Stale("is there already", where=key.id) if there else None
    elif key.kind == "event":
        return Refused("an event is never rewritten (K-111)", where=key.id, code="append-only")
    elif current is None:
        error = None if change.op == "delete" else Stale("is not there any more", where=key.id)
    elif codec.revision(current) != change.expect and (change.op == "delete" or _wanted(change, current) != current):
        error = Stale("has changed on the spoke", where=key.id)
    else:
        error = None
    due = change.fields.get("due") or (change.image.get("due") if change.op == "create" else None)
    if error is None and key.kind == "task" and due and not is_day(due):
        todo = "correct the date where it was entered"
        return Refused(f"due: {due!r} is no day of the calendar", where=key.id, todo=todo, code="bad-date")
    return error


def _wanted(change: Change, current: Doc) -> Doc:
    return codec.image(change.key.kind, {**current, **arranged(change.key.kind, change.fields, current)})


def amend(note: Note, task: Key | None, changes: Sequence[Change]) -> Amended:
    """Make a group of changes to one note; each only if its precondition holds. `task` names the note's task."""
    shown = codec.records(note, task)
    errors: dict[int, TallystickError] = {}
    made: dict[Key, Change] = {}
    for position, change in enumerate(changes):
        error = refusal(change, shown)
        if error is None and change.key in made:
            error = Stale("is changed twice in one batch", where=change.key.id)
        if error is None:
            made[change.key] = change
        else:
            errors[position] = error
    own = made.pop(task, None) if task is not None else None
    if own is not None and own.op == "delete":
        return Amended(_without_us(note), errors)
    splices = _block_splices(note, shown, made)
    wanted = note.task
    if note.task is not None and task is not None:
        wanted = _wanted(own, note.task) if own is not None and own.op == "update" else note.task
        splices += _task_splices(note, note.task, task.id, wanted)
    fresh = _fresh(note, shown, made, wanted)
    splices += regions.placed(note.text, note.body, note.front.body, fresh, note.front.newline)
    return Amended(splice(note.text, splices), errors)


def _properties(record_id: str, image: Doc) -> dict[str, Any]:
    """Return the frontmatter keys of an image with their values; None where a key is left out."""
    gate = image.get("decisionGate", {})
    values: dict[str, Any] = {
        "id": record_id,
        "status": image.get("status", "planned"),
        "priority": image.get("priority"),
        "archived": image.get("archived"),
        "extensions": image.get("extensions"),
    }
    values |= {flag: gate.get(flag) for flag in FLAGS}
    values |= {key: image.get(key) for key in (*TEXTS, *LISTS)}
    return {key: values[key] for key in KEYS}


def _editable(name: str, image: Doc, newline: str) -> str:
    """Return an editable region with its field's value; "" for a field at its default."""
    value = image.get(codec.EDITABLE[name])
    if not value:
        return ""
    if name == "criteria":
        lines = [regions.item_lines("- [x] " if item["done"] else "- [ ] ", item["text"]) for item in value]
        return regions.whole(name, "\n".join(lines), newline)
    if isinstance(value, list):
        lines = [regions.item_lines("- ", item) for item in value]
        return regions.whole(name, "\n".join(lines), newline, is_list=True)
    return regions.whole(name, regions.escaped(value), newline)


def _task_splices(note: Note, task: Doc, record_id: str, wanted: Doc) -> list[Splice]:
    """Return the splices for keys and regions that are there; regions still to come are `_fresh`."""
    splices: list[Splice | None] = []
    if note.id != record_id:
        splices.append(note.front.identify(record_id))
    before, after = _properties(record_id, task), _properties(record_id, wanted)
    explicit = note.implied_title and (wanted.get("title") != task.get("title") or "description" in wanted)
    if note.implied_title and not explicit:
        after["title"] = before["title"]
    for key in KEYS[1:]:
        if after[key] != before[key] or (key == "title" and explicit):
            slot = note.front.slots.get(key)
            spelled = spelled_items(key, slot) if slot and key in LINKS and key in LISTS else None
            splices.append(note.front.change(key, after[key], spelled))
    for name, member in codec.EDITABLE.items():
        region = note.body.regions.get(name)
        if region is not None and wanted.get(member) != task.get(member):
            text = _editable(name, wanted, note.front.newline) or regions.whole(name, "", note.front.newline)
            splices.append(Splice(region.start, region.end, text))
    gate = note.body.regions.get("gate")
    if gate is not None and regions.inner_text(note.text, gate) != codec.gate_text(wanted):
        text = regions.whole("gate", codec.gate_text(wanted), note.front.newline)
        splices.append(Splice(gate.start, gate.end, text))
    return [one for one in splices if one is not None]


def _block_splices(note: Note, shown: Mapping[Key, Doc], made: Mapping[Key, Change]) -> list[Splice]:
    """Return the splices for blocks that are there, altered ones repainted, and for new ones in a region there is."""
    newline = note.front.newline
    splices: list[Splice] = []
    for block in (*note.blocks, *note.strays):
        change = made.get(block.key) if block.key else None
        if block.image is None and change is None:
            continue  # what a person left there is kept until its record is written again
        if change is not None and change.op == "delete":
            ends = note.text.find("\n", block.end) + 1
            splices.append(Splice(block.start, ends or block.end, ""))
        elif block.key is not None and (change is not None or block.altered):
            image = block.image or {}
            if change is not None:
                image = codec.image(block.key.kind, change.image) if block.image is None else _wanted(change, image)
            splices.append(Splice(block.start, block.end, _text(block.key, image).replace("\n", newline)))
    for name, texts in _appended(note, shown, made).items():
        region = note.body.regions.get(name)
        if region is not None and texts:
            text = "".join(f"{one}\n" for one in texts).replace("\n", newline)
            splices.append(Splice(region.inner_end, region.inner_end, text))
    return [one for one in splices if note.text[one.start : one.end] != one.text]


def _text(key: Key, image: Doc) -> str:
    return evidence_text(key.id, image) if key.kind == "evidence" else event_text(key.id, image)


def _appended(note: Note, shown: Mapping[Key, Doc], made: Mapping[Key, Change]) -> dict[str, list[str]]:
    """Return the texts of the records to be created, by region."""
    there = {*shown, *(stray.key for stray in note.strays)}
    texts: dict[str, list[str]] = {"evidence": [], "journal": []}
    for key, change in made.items():
        if key not in there and change.op == "create":
            name = "evidence" if key.kind == "evidence" else "journal"
            texts[name].append(_text(key, codec.image(key.kind, change.image)))
    return texts


def _fresh(note: Note, shown: Mapping[Key, Doc], made: Mapping[Key, Change], task: Doc | None) -> list[tuple[str, str]]:
    """Return the regions the note does not have yet and now needs, in their order."""
    newline = note.front.newline
    wanted: dict[str, str] = {}
    if task is not None:
        wanted = {name: _editable(name, task, newline) for name in codec.EDITABLE}
        gate = codec.gate_text(task)
        wanted["gate"] = regions.whole("gate", gate, newline) if gate else ""
    for name, texts in _appended(note, shown, made).items():
        wanted[name] = regions.whole(name, "\n".join([HEADINGS[name], *texts]), newline) if texts else ""
    return [(name, text) for name, text in wanted.items() if text and name not in note.body.regions]


def left_over(note: Note, made: Mapping[Key, Change]) -> dict[Key, Doc]:
    """Return the evidence and events that have to go elsewhere when their task's note is deleted."""
    left: dict[Key, Doc] = {block.key: block.image for block in note.blocks if block.key and block.image is not None}
    for key, change in made.items():
        if key.kind == "task" or change.op == "delete":
            left.pop(key, None)
        else:
            left[key] = codec.image(key.kind, change.image) if change.op == "create" else _wanted(change, left[key])
    return left


def _without_us(note: Note) -> str | None:
    """Return a deleted task's note without anything of ours; None if no word of a person is left (K-115)."""
    regions_out = [Splice(one.start, one.end, "") for one in note.body.regions.values()]
    body = splice(note.text, regions_out)[note.front.body :]
    foreign = note.front.slots.keys() - set(KEYS)
    if not foreign and not body.strip():
        return None
    if not foreign:
        start = 1 if note.text.startswith("\ufeff") else 0
        return splice(note.text, [Splice(start, note.front.body, ""), *regions_out])
    ours = [Splice(slot.start, slot.end, "") for key, slot in note.front.slots.items() if key in KEYS]
    return splice(note.text, [*ours, *regions_out])

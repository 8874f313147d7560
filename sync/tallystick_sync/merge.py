"""Combine the edits of one field made in any number of places, each against its own base; pure and order-free.

Every function takes the hub's value and the sides that moved, and returns the merged value or `CLASH`. Swapping
sides never changes the result: values are compared and combined as sets of edits, never one after the other.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from tallystick_contract.fields import Field, Merge, same

ABSENT: Final = {"$unset": True}
"""A base value that equals nothing: the side showed the field before anything was agreed about it."""


class Clash:
    """The type of `CLASH`."""


CLASH: Final = Clash()
"""The edits cannot be combined; a policy or a person must choose."""


@dataclass(frozen=True, slots=True)
class Side:
    """One place that moved a field: what it last agreed to, and what it shows now."""

    base: Any
    new: Any


def merge(field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    """Return the value of `field` after all edits, or `CLASH`.

    `hub` is the canonical value now; where no side has seen it, it is an edit too.
    """
    news = _news(field, hub, sides)
    return _MERGERS[field.merge](field, hub, news) if news else hub


def _news(field: Field, hub: Any, sides: Sequence[Side]) -> list[Side]:
    """Return the sides that have something to tell: not what they agreed to, not what the hub holds already."""
    return [side for side in sides if not same(field, side.new, side.base) and not same(field, side.new, hub)]


def _merge_value(field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    values = distinct(field, _edits(field, hub, sides))
    return values[0] if len(values) == 1 else CLASH


def _edits(field: Field, hub: Any, sides: Sequence[Side]) -> list[Any]:
    """Return the new values, the hub's own among them unless a side replaced it, having seen it."""
    replaced = any(side.base is hub or same(field, side.base, hub) for side in sides)
    return [side.new for side in sides] + ([] if replaced else [hub])


def distinct(field: Field, values: Sequence[Any]) -> list[Any]:
    """Return the values that differ, in an order that depends on nothing but the values."""
    kept: list[Any] = []
    for item in sorted(values, key=_spelling) if len(values) > 1 else values:
        if not any(same(field, item, other) for other in kept):
            kept.append(item)
    return kept


def _spelling(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def _merge_set(_field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    """A removal wins only over elements nobody added; the hub's order is kept, new elements follow sorted."""
    added = {item for side in sides for item in side.new if item not in _elements(side.base)}
    removed = {item for side in sides for item in _elements(side.base) if item not in side.new} - added
    kept = [item for item in hub if item not in removed]
    first = sides[0].new if len(sides) == 1 else sorted(added)
    return kept + [item for item in dict.fromkeys(first) if item in added and item not in kept]


def _elements(base: Any) -> Sequence[Any]:
    return () if base == ABSENT else base


def _merge_map(field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    """By member; a missing member is a value of its own, different from null."""
    names = sorted({name for side in sides for doc in (side.base, side.new) for name in doc})
    result = dict(hub)
    for name in names:
        moved = [Side(side.base.get(name, ABSENT), side.new.get(name, ABSENT)) for side in sides]
        moved = _news(field, hub.get(name, ABSENT), moved)
        if not moved:
            continue
        merged = _merge_value(field, hub.get(name, ABSENT), moved)
        if merged is CLASH:
            return CLASH
        result.pop(name, None)
        if merged != ABSENT:
            result[name] = merged
    return result


def _merge_prose(field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    """Merge by line where everybody started from the same text; a list's items are its lines (D-10)."""
    edits = distinct(field, _edits(field, hub, sides))
    if len(edits) == 1:
        return edits[0]
    base = sides[0].base
    if base in (None, ABSENT) or any(side.base != base for side in sides):
        return CLASH
    if {type(item) for item in (base, *edits)} not in ({str}, {list}):
        return CLASH
    lines = _merge_lines(_lines(base), [_lines(edit) for edit in edits])
    if lines is CLASH:
        return CLASH
    return lines if isinstance(base, list) else "\n".join(lines)


def _lines(text: Any) -> Sequence[str]:
    return text.split("\n") if isinstance(text, str) else text


def _merge_lines(base: Sequence[str], edits: Sequence[Sequence[str]]) -> Any:
    """Apply every side's hunks to the base, or `CLASH` where two different hunks overlap or touch."""
    hunks: set[tuple[int, int, tuple[str, ...]]] = set()
    for edit in edits:
        for tag, low, high, to_low, to_high in SequenceMatcher(None, base, edit, autojunk=False).get_opcodes():
            if tag != "equal":
                hunks.add((low, high, tuple(edit[to_low:to_high])))
    result: list[str] = []
    end = -1
    position = 0
    for low, high, lines in sorted(hunks):
        if low <= end:
            return CLASH
        result += base[position:low]
        result += lines
        position, end = high, high
    return result + list(base[position:])


def _merge_criteria(field: Field, hub: Any, sides: Sequence[Side]) -> Any:
    """Merge the list of texts by item and each item's tick by its text."""
    edits = distinct(field, _edits(field, hub, sides))
    if len(edits) == 1:
        return edits[0]
    base = sides[0].base
    if any(side.base != base for side in sides) or base == ABSENT:
        return CLASH
    texts = [[item["text"] for item in edit] for edit in (base, *edits)]
    if any(len(set(names)) != len(names) for names in texts):
        return CLASH
    merged = _merge_lines(texts[0], [names for names in texts[1:] if names != texts[0]])
    if merged is CLASH or any(_ticked(item, edits) for item in base if item["text"] not in merged):
        return CLASH
    return [{"text": text, "done": _tick(text, base, edits)} for text in merged]


def _ticked(item: Any, edits: Sequence[Any]) -> bool:
    """Tell whether somebody changed the tick of an item that somebody else removed."""
    return any(other["done"] != item["done"] for edit in edits for other in edit if other["text"] == item["text"])


def _tick(text: str, base: Any, edits: Sequence[Any]) -> bool:
    before = next((item["done"] for item in base if item["text"] == text), False)
    ticks = [item["done"] for edit in edits for item in edit if item["text"] == text]
    return (not before) if any(tick != before for tick in ticks) else before


_MERGERS: Final[Mapping[Merge, Callable[[Field, Any, Sequence[Side]], Any]]] = {
    Merge.VALUE: _merge_value,
    Merge.INSTANT: _merge_value,
    Merge.SET: _merge_set,
    Merge.MAP: _merge_map,
    Merge.PROSE: _merge_prose,
    Merge.CRITERIA: _merge_criteria,
}

"""What edits of one field, made by several people who saw the same, must come to: the promise, told a second time.

Nothing here is taken from the engine: it is what `fields.Merge` promises in words.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from tallystick_contract.canonical import Doc
from tallystick_contract.fields import Field, Merge, same

ASKED: Final = object()
"""A person has to choose."""


def expected(spec: Field, base: Any, news: Sequence[Any]) -> Any:
    """Return the value after all edits, or `ASKED`."""
    edits = distinct(spec, [new for new in news if not same(spec, new, base)])
    if not edits:
        return base
    if spec.merge is Merge.SET:
        kept = [item for item in base if all(item in new for new in news)]
        return kept + sorted({item for new in edits for item in new if item not in base})
    if spec.merge is Merge.MAP:
        return _members(base, edits)
    if len(edits) == 1:
        return edits[0]
    if spec.merge is Merge.PROSE and all(isinstance(text, str) for text in (base, *edits)):
        lines = _lines(base.split("\n"), [edit.split("\n") for edit in edits])
        return ASKED if lines is ASKED else "\n".join(lines)
    return _criteria(base, edits) if spec.merge is Merge.CRITERIA else ASKED


def distinct(spec: Field, values: Sequence[Any]) -> list[Any]:
    """Return the values that differ in meaning."""
    kept: list[Any] = []
    for item in values:
        if not any(same(spec, item, other) for other in kept):
            kept.append(item)
    return kept


def _members(base: Doc, edits: Sequence[Doc]) -> Any:
    """Return the map with every member's only new value."""
    result = dict(base)
    for name in {name for doc in (base, *edits) for name in doc}:
        told = {json.dumps(edit[name]) if name in edit else "" for edit in edits}
        told -= {json.dumps(base[name]) if name in base else ""}
        if len(told) > 1:
            return ASKED
        result.pop(name, None)
        kept = told.pop() if told else (json.dumps(base[name]) if name in base else "")
        if kept:
            result[name] = json.loads(kept)
    return result


def _lines(base: Sequence[str], edits: Sequence[Sequence[str]]) -> Any:
    """Return the lines with every edit's one changed stretch in it, as long as the stretches do not touch."""
    result, position, last = [], 0, -1
    for low, high, new in sorted({_stretch(base, edit) for edit in edits}):
        if low <= last:
            return ASKED
        result += [*base[position:low], *new]
        position = last = high
    return result + list(base[position:])


def _stretch(base: Sequence[str], edit: Sequence[str]) -> tuple[int, int, tuple[str, ...]]:
    """Return where the only change begins and ends in the base, and what stands there now."""
    low = 0
    while low < min(len(base), len(edit)) and base[low] == edit[low]:
        low += 1
    tail = 0
    while tail < min(len(base), len(edit)) - low and base[-1 - tail] == edit[-1 - tail]:
        tail += 1
    return low, len(base) - tail, tuple(edit[low : len(edit) - tail])


def _criteria(base: Sequence[Doc], edits: Sequence[Sequence[Doc]]) -> Any:
    """Return the items with every tick that somebody changed, unless that item is gone."""
    before = {item["text"]: item["done"] for item in base}
    texts = _lines(list(before), [names for edit in edits if (names := [item["text"] for item in edit]) != [*before]])
    if texts is ASKED:
        return ASKED
    turned = {item["text"] for edit in edits for item in edit if item["done"] != before.get(item["text"], False)}
    if turned - set(texts):
        return ASKED
    return [{"text": text, "done": before.get(text, False) != (text in turned)} for text in texts]

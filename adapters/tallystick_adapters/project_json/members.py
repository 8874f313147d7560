"""Edits the text of one JSON object member by member: what is not edited keeps its bytes."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


def skip(text: str, at: int) -> int:
    """Return the next offset that holds no JSON white space."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its key, where the key starts, and where the value starts and ends."""

    key: str
    at: int
    start: int
    end: int


def members(text: str) -> list[Member]:
    """Return the members of a valid JSON object, in their order."""
    found = []
    at = skip(text, 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        start = skip(text, skip(text, end) + 1)
        _, stop = _DECODER.raw_decode(text, start)
        found.append(Member(key, at, start, stop))
        at = skip(text, stop)
        if text[at] == ",":
            at = skip(text, at + 1)
    return found


@dataclass(frozen=True, slots=True)
class Style:
    """How a file is written. `newline` is empty where an object stands on one line."""

    newline: str = "\n"
    unit: str = "  "
    colon: str = ": "
    comma: str = ", "
    escaped: bool = False

    @classmethod
    def of(cls, text: str, *, escaped: bool) -> "Style":
        """Read the style off an object's text; `escaped` says that its file spells other letters as escapes."""
        parts = members(text)
        if not parts:
            return cls(newline="", escaped=escaped)
        key_end = _DECODER.raw_decode(text, parts[0].at)[1]
        colon = text[key_end : parts[0].start]
        lead = text[1 : parts[0].at]
        if "\n" not in lead:
            gap = text[parts[0].end : parts[1].at] if len(parts) > 1 else ", " if colon.endswith(" ") else ","
            return cls(newline="", colon=colon, comma=gap, escaped=escaped)
        closing = text[parts[-1].end : -1].rpartition("\n")[2]
        unit = lead.rpartition("\n")[2].removeprefix(closing) or "  "
        newline = "\r\n" if "\r\n" in lead else "\n"
        return cls(newline, unit, colon, ", " if colon.endswith(" ") else ",", escaped)

    def render(self, value: Any, base: str, *, inline: bool = False) -> str:
        """Return a value's text; the lines after its first are indented by `base` and more."""
        separators = (self.comma, self.colon)
        if not self.newline or inline:
            return json.dumps(value, ensure_ascii=self.escaped, separators=separators)
        text = json.dumps(value, ensure_ascii=self.escaped, indent=self.unit, separators=(",", self.colon))
        return text.replace("\n", self.newline + base)


def edit(text: str, old: Mapping[str, Any], new: Mapping[str, Any], order: Sequence[str], *, escaped: bool) -> str:
    """Return the text of the object `old` turned into `new`: changed, added and removed members, nothing else.

    A key of `order` is added behind the nearest one before it that is not the last, so that only its own line is
    new; any other key is added at the end.
    """
    style = Style.of(text, escaped=escaped)
    for key in [key for key in old if key not in new]:
        text = _without(text, key)
    for key, value in new.items():
        if key not in old:
            text = _with(text, key, value, order, style)
        elif json.dumps(old[key]) != json.dumps(value):
            text = _changed(text, key, value, style)
    return text


def _indent(text: str, parts: Sequence[Member]) -> str:
    return text[1 : parts[0].at].rpartition("\n")[2]


def _changed(text: str, key: str, value: Any, style: Style) -> str:
    parts = members(text)
    part = next(part for part in parts if part.key == key)
    before = text[part.start : part.end]
    inline = before[0] in "[{" and "\n" not in before and len(before.strip("[{ }]")) > 0
    return text[: part.start] + style.render(value, _indent(text, parts), inline=inline) + text[part.end :]


def _without(text: str, key: str) -> str:
    parts = members(text)
    index = next(index for index, part in enumerate(parts) if part.key == key)
    if index > 0:
        return text[: parts[index - 1].end] + text[parts[index].end :]
    return text[: parts[0].at] + text[parts[1].at :]


def _with(text: str, key: str, value: Any, order: Sequence[str], style: Style) -> str:
    parts = members(text)
    earlier = order[: order.index(key)] if key in order else ()
    near = {part.key: part for part in parts[:-1]}
    anchor = next((near[name] for name in reversed(earlier) if name in near), parts[-1])
    base = _indent(text, parts)
    gap = "," + style.newline + base if style.newline else style.comma
    name = json.dumps(key, ensure_ascii=style.escaped)
    return text[: anchor.end] + gap + name + style.colon + style.render(value, base) + text[anchor.end :]

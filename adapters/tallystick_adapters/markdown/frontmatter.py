"""The frontmatter of a note: read with the place of every key, edited by splicing only the lines of changed keys.

Notes that look as we write them are read by a strict line parser; anything a person wrote goes through YAML 1.2 with
positions. Either way a plain scalar is text exactly as it stands (`no`, `007` and dates included).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from tallystick_contract.errors import Invalid

_OPEN: Final = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE: Final = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_LINE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):(?: ([^\n]*?))?[ \t]*\r?\n")
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*")
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})

_WRITTEN_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Splice(NamedTuple):
    """Replace the characters from `start` to `end` of a note by `text`."""

    start: int
    end: int
    text: str


def splice(text: str, splices: list[Splice]) -> str:
    """Return `text` with all splices made; their places are those of the text before any of them."""
    parts: list[str] = []
    position = 0
    for start, end, new in sorted(splices, key=lambda one: (one.start, one.end)):
        parts += (text[position:start], new)
        position = end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True)
class Slot:
    """One key: the offsets of its lines and of its value, the value, and how it was written.

    `value` is text, None, a list of texts, or a mapping. `block` tells a list of `- item` lines, `comment` a value
    that a comment cuts off.
    """

    line: int
    start: int
    end: int
    value_start: int
    value_end: int
    value: Any
    block: bool = False
    comment: bool = False


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """All keys of a note with their slots; `first`, `close` and `body` are the offsets of its parts."""

    slots: Mapping[str, Slot]
    first: int
    close: int
    body: int
    newline: str
    indent: str = ""

    def change(self, key: str, value: Any, spelled: Mapping[str, str] | None = None) -> Splice | None:
        """Return the splice that gives `key` its new value; None as value takes the key out.

        `spelled` says how list items are to be written that a person wrote in a way of their own.
        """
        slot = self.slots.get(key)
        if slot is None:
            text = "" if value is None else f"{self.indent}{key}: {rendered(value, key)}{self.newline}"
            return Splice(self.close, self.close, text) if text else None
        if value is None:
            return Splice(slot.start, slot.end, "")
        if slot.block and isinstance(value, list):
            items = [rendered((spelled or {}).get(item, item)) for item in value]
            return Splice(
                slot.value_start, slot.value_end, "".join(f"{self.newline}{self.indent}  - {item}" for item in items)
            )
        written = [(spelled or {}).get(item, item) for item in value] if isinstance(value, list) else value
        return Splice(slot.value_start, slot.value_end, " " + rendered(written, key))

    def identify(self, record_id: str) -> Splice:
        """Return the splice that writes the id line first."""
        if "id" in self.slots:
            slot = self.slots["id"]
            return Splice(slot.value_start, slot.value_end, " " + rendered(record_id))
        return Splice(self.first, self.first, f"{self.indent}id: {rendered(record_id)}{self.newline}")


def quoted(value: Any) -> str:
    """Return JSON on one line that every YAML reader takes for the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and "\x7f" not in text else _UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def rendered(value: Any, key: str = "") -> str:
    """Return a value as it stands after `key: `; it reads back as exactly the same.

    Only `due` is written as a plain date: readers that know dates take it for one, and there it is one.
    """
    if value is True:
        return "true"
    if isinstance(value, str):
        plain = _WRITTEN_PLAIN.fullmatch(value) and value.lower() not in _WORDS
        if plain or (key == "due" and _DAY.fullmatch(value)):
            return value
    return quoted(value)


def parse(text: str) -> Frontmatter | None:
    """Return the frontmatter of a note, None if it has none.

    Raises `Invalid`, with the line as `where`, for YAML that cannot be read, a doubled key, or a block never closed.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        raise Invalid("the frontmatter is never closed", where="line 1", todo="close it with a line ---")
    first, close, body = opening.end(), closing.start(), closing.end()
    newline = "\r\n" if text[first - 2] == "\r" else "\n"
    slots = _quick(text, first, close)
    if slots is not None:
        return Frontmatter(slots, first, close, body, newline)
    slots, indent = _careful(text, first, close)
    return Frontmatter(slots, first, close, body, newline, indent)


def _quick(text: str, first: int, close: int) -> dict[str, Slot] | None:
    """Read lines of the forms we write; None as soon as one line has any other form."""
    slots: dict[str, Slot] = {}
    position, number = first, 2
    while position < close:
        match = _LINE.match(text, position, close)
        if match is None:
            return None
        key, raw = match[1], match[2] or ""
        value = _quick_value(raw)
        if value is _OTHER:
            return None
        if key in slots:
            raise _doubled(key, slots[key].line, number)
        slots[key] = Slot(number, position, match.end(), match.end(1) + 1, max(match.end(2), match.end(1) + 1), value)
        position, number = match.end(), number + 1
    return slots


_OTHER: Final = object()


def _quick_value(raw: str) -> Any:
    if _PLAIN.fullmatch(raw):
        return None if raw in _NULLS else raw
    if raw[:1] not in ('"', "[", "{"):
        return None if not raw else _OTHER
    try:
        value = json.loads(raw)
    except ValueError:
        return _OTHER
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return _OTHER
    return value


def _doubled(key: str, before: int, number: int) -> Invalid:
    return Invalid(
        f"{key!r} stands twice, on lines {before} and {number}", where=f"line {number}", todo="keep the right one"
    )


def _careful(text: str, first: int, close: int) -> tuple[dict[str, Slot], str]:
    """Read the frontmatter as YAML 1.2; returns the slots and the indentation of the keys."""
    try:
        root = YAML(typ="safe", pure=True).compose(text[first:close])
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        offset = first + (mark.index if mark is not None else getattr(error, "position", 0))
        reason = getattr(error, "problem", None) or getattr(error, "reason", "") or "cannot be read"
        raise Invalid(
            f"is not YAML: {reason}", where=f"line {line_at(text, offset)}", todo="put the value in double quotes"
        ) from error
    if root is None:
        return {}, ""
    if not isinstance(root, MappingNode) or root.flow_style:
        raise Invalid("the frontmatter is not a list of `key: value` lines", where="line 2")
    slots: dict[str, Slot] = {}
    for key, value in root.value:
        _refuse_aliases(value, set(), f"line {line_at(text, first + key.start_mark.index)}")
        slot = _slot(text, first, key, value)
        name = str(key.value)
        if name in slots:
            raise _doubled(name, slots[name].line, slot.line)
        slots[name] = slot
    return slots, " " * root.value[0][0].start_mark.column


def _refuse_aliases(node: Node, seen: set[int], where: str) -> None:
    """Refuse a value that repeats a part of itself: it may never end."""
    if id(node) in seen:
        raise Invalid("a YAML alias repeats a part of its own value", where=where, todo="write the value out")
    seen.add(id(node))
    if not isinstance(node, ScalarNode):
        for member in node.value:
            for part in member if isinstance(member, tuple) else (member,):
                _refuse_aliases(part, seen, where)


def _slot(text: str, first: int, key: Node, value: Node) -> Slot:
    begins, named = first + key.start_mark.index, first + key.end_mark.index
    colon = text.index(":", named) + 1
    ends = max(first + _last(value), colon)
    if first + value.start_mark.index < colon:  # an alias: its node stands elsewhere
        ends = text.index("\n", colon)
    ends = colon + len(text[colon:ends].rstrip())
    line_end = text.index("\n", ends) + 1
    raw = text[colon:ends].strip()
    known = _quick_value(raw) if raw else None
    return Slot(
        line_at(text, begins), text.rfind("\n", 0, begins) + 1, line_end, colon, ends,
        _plain(value) if known is _OTHER or not raw else known,
        block=isinstance(value, SequenceNode) and not value.flow_style,
        comment=isinstance(value, ScalarNode) and value.style is None and "#" in text[ends:line_end],
    )  # fmt: skip


def _last(node: Node) -> int:
    """Return the offset just behind a node's own text; a block collection ends where its last member ends."""
    if not isinstance(node, MappingNode | SequenceNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    member = node.value[-1]
    return _last(member[1] if isinstance(member, tuple) else member)


def _plain(node: Node) -> Any:
    """Return a node as text, list or mapping; plain scalars stay text, but inside a mapping they are JSON values."""
    if isinstance(node, ScalarNode):
        return None if node.style is None and node.value in _NULLS else node.value
    if isinstance(node, MappingNode):
        return {str(key.value): _typed(value) for key, value in node.value}
    return [_item(item) for item in node.value]


def _item(node: Node) -> Any:
    """Return a list item; an unquoted `[[link]]` is a list in a list to YAML, and a link to its author."""
    if isinstance(node, SequenceNode) and len(node.value) == 1 and isinstance(node.value[0], SequenceNode):
        return f"[[{_item(node.value[0])}]]"
    if isinstance(node, SequenceNode) and len(node.value) == 1 and isinstance(node.value[0], ScalarNode):
        return node.value[0].value
    return _plain(node)


def _typed(node: Node) -> Any:
    if isinstance(node, MappingNode):
        return {str(key.value): _typed(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [_typed(item) for item in node.value]
    if isinstance(node, ScalarNode) and node.style is None:
        try:
            return json.loads(node.value or "null")
        except ValueError:
            return node.value
    return node.value


def line_at(text: str, offset: int) -> int:
    """Return the number, from 1, of the line an offset is on."""
    return text.count("\n", 0, offset) + 1

"""Evidence blocks and journal lines: how a note shows them, and how they are read back.

Evidence is a readable line and its whole record as JSON in a fence (K-112). An event is one line that ends in its whole
record, hidden in a comment (K-111). The JSON counts; a readable part that says something else was altered by hand.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise
from tallystick_contract.fields import FIELDS, sparse

from .frontmatter import quoted
from .regions import Region

HEADINGS: Final = {"evidence": "## Evidence", "journal": "## Journal"}

_EVIDENCE: Final = re.compile(
    r"^- [^\n]*\n  ```json[ \t]*\r?\n(?P<json>(?:(?!- |  ```)[^\n]*\n)*)  ```[ \t]*\r?$", re.MULTILINE
)
_EVENT: Final = re.compile(r"^- [^\n]*?<!-- (?P<json>\{[^<>\n]*\}) -->[ \t]*\r?$", re.MULTILINE)
_PIECE: Final = re.compile(r"^(?=- )", re.MULTILINE)
_ID: Final = re.compile(r'\{"id": ?("(?:[^"\\]|\\.)*")')
_STATUSES: Final = ("passed", "failed", "partial", "skipped")
_NULLABLE: Final = ("method", "summary", "commit", "timestamp")


@dataclass(frozen=True, slots=True)
class Block:
    """One record in a generated region, with its offsets; `image` is None for text that is no record.

    `altered` says in words what a person changed, "" for a block that is as we wrote it.
    """

    start: int
    end: int
    key: Key | None
    image: Doc | None
    altered: str = ""


def evidence_text(record_id: str, image: Doc) -> str:
    """Return the block of an evidence record, in LF, without final line end."""
    parts = (image.get("timestamp"), image.get("method"))
    tail = "".join(f" · {_short(part)}" for part in parts if part)
    head = f"- **{image.get('status', 'partial')}** {_short(record_id)}{tail}"
    return f"{head}\n  ```json\n  {quoted({'id': record_id, 'status': 'partial', **image})}\n  ```"


def event_text(record_id: str, image: Doc) -> str:
    """Return the line of an event."""
    actor = image.get("actor") or {}
    who = f" by {_short(actor.get('type', ''))}:{_short(actor.get('id', ''))}" if actor else ""
    head = f"- {_short(image.get('atIso', ''))} {_short(image.get('kind', 'note'))}{who}"
    record = quoted({"id": record_id, **image}).replace("<", "\\u003c").replace(">", "\\u003e")
    return f"{head.replace('<', '(').replace('>', ')')} <!-- {record} -->"


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:79] + "…"  # noqa: PLR2004 -- what fits a line


def read_evidence(text: str, region: Region) -> Iterator[Block]:
    """Yield the evidence of a region, and whatever else stands in it, in its order."""
    return _read(text, region, "evidence", _EVIDENCE)


def read_journal(text: str, region: Region) -> Iterator[Block]:
    """Yield the events of a region, and whatever else stands in it, in its order."""
    return _read(text, region, "event", _EVENT)


def _read(text: str, region: Region, kind: str, grammar: re.Pattern[str]) -> Iterator[Block]:
    heading = HEADINGS["evidence" if kind == "evidence" else "journal"]
    seen: dict[Key, Doc] = {}
    position = region.inner
    for match in grammar.finditer(text, region.inner, region.inner_end):
        yield from _strays(text, position, match.start(), kind, heading)
        position = match.end()
        block = _block(match, kind)
        if block.key is not None and block.image is not None:
            first = seen.setdefault(block.key, block.image)
            if first is not block.image:
                if first == block.image:
                    continue  # doubled by a union merge of the file (BC-036)
                block = Block(block.start, block.end, block.key, None, "a second record of the same id")
        yield block
    yield from _strays(text, position, region.inner_end, kind, heading)


def _block(match: re.Match[str], kind: str) -> Block:
    start, end = match.span()
    try:
        record = normalise(json.loads(match["json"]))
        key = Key(kind, record.pop("id"))
        image = _checked(kind, record)
        if not isinstance(key.id, str) or not key.id:
            raise ValueError("id is not text")  # noqa: TRY301 -- one way out for all that is wrong with a block
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return Block(start, end, _named(match[0], kind), None, f"cannot be read ({error})")
    written = evidence_text(key.id, image) if kind == "evidence" else event_text(key.id, image)
    head = match[0].split("\n", 1)[0].rstrip() if kind == "evidence" else match[0][: match.start("json") - start - 5]
    wanted = written.split("\n", 1)[0].rstrip() if kind == "evidence" else written[: written.rindex("<!-- {")]
    return Block(start, end, key, image, "" if head.rstrip() == wanted.rstrip() else "the readable line was altered")


def _checked(kind: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return the image of a record's JSON. Raises `ValueError` for a member of the wrong type."""
    table = FIELDS[kind]
    image: dict[str, Any] = {name: item for name, item in record.items() if name in table}
    unknown = {name: item for name, item in record.items() if name not in table}
    if unknown:
        image["extensions"] = {**unknown, **image.get("extensions", {})}
    for name, item in image.items():
        wanted: type = dict if name == "actor" else str if table[name].default is None else type(table[name].default)
        if item is not None and not isinstance(item, wanted):
            raise ValueError(f"{name} is not a {wanted.__name__}")
    if kind == "evidence" and (image.get("status", "partial") not in _STATUSES or not image.get("target")):
        raise ValueError("status or target is wrong")
    return sparse(kind, {name: item for name, item in image.items() if item != "" or name not in _NULLABLE})


def _strays(text: str, start: int, end: int, kind: str, heading: str) -> Iterator[Block]:
    """Yield the pieces of text between the records of a region; blank ones and our own heading are nothing."""
    position = start
    for piece in _PIECE.split(text[start:end]):
        bare = piece.strip()
        if bare.removeprefix(heading).strip():
            offset = position + len(piece) - len(piece.lstrip())
            yield Block(offset, offset + len(bare), _named(piece, kind), None, "cannot be read")
        position += len(piece)


def _named(piece: str, kind: str) -> Key | None:
    match = _ID.search(piece)
    try:
        return Key(kind, json.loads(match[1])) if match else None
    except ValueError:
        return None

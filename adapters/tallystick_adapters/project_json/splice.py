"""Puts edited, added and removed records into a file's text; every other byte stays as it is."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tallystick_adapters.project_json.members import Style
from tallystick_adapters.project_json.sheet import ARCHIVE, Sheet
from tallystick_adapters.project_json.source import start
from tallystick_contract.adapter import Key

FRESH: Final = {"tasks.json": b'{\n  "tasks": []\n}\n', "verification.json": b'{\n  "verifications": []\n}\n'}
"""The text of a file that is not there yet; an archive starts empty."""

type Cut = tuple[int, int, str]
"""Where a span of the text starts and ends, and the text that takes its place."""


def rewrite(sheet: Sheet, texts: Mapping[Key, str | None], added: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the file's bytes with records replaced (None: removed) and new ones at the end of its list."""
    cuts = [(sheet.index[key].start, sheet.index[key].end, text) for key, text in texts.items() if text is not None]
    doomed = {sheet.index[key].start for key, text in texts.items() if text is None}
    change = _change_lines if sheet.name.startswith(ARCHIVE) else _change_list
    whole = memoryview(sheet.data)
    pieces: list[bytes | memoryview] = []
    at = 0
    for begin, end, text in sorted(cuts + change(sheet, doomed, added)):
        pieces += [whole[at:begin], text.encode()]
        at = end
    return b"".join((*pieces, whole[at:]))


def _model(sheet: Sheet) -> Style | None:
    """Return the style of the file's last record, which new ones follow."""
    return Style.of(sheet.raw(sheet.entries[-1]), escaped=sheet.escaped) if sheet.entries else None


def _change_lines(sheet: Sheet, doomed: set[int], added: Sequence[Mapping[str, Any]]) -> list[Cut]:
    data = sheet.data
    cuts = [(e.start, _line_end(data, e.end), "") for e in sheet.entries if e.start in doomed]
    if added:
        newline = "\r\n" if b"\r\n" in data else "\n"
        style = _model(sheet) or Style(newline="", colon=":", comma=",")
        lead = newline if data and not data.endswith(b"\n") else ""
        cuts.append((len(data), len(data), lead + "".join(style.render(record, "") + newline for record in added)))
    return cuts


def _line_end(data: bytes, at: int) -> int:
    stop = data.find(b"\n", at)
    return len(data) if stop < 0 else stop + 1


def _change_list(sheet: Sheet, doomed: set[int], added: Sequence[Mapping[str, Any]]) -> list[Cut]:
    if not doomed and not added:
        return []
    items = sorted([(entry.start, entry.end) for entry in sheet.entries] + [(bad.start, bad.end) for bad in sheet.bad])
    kept = next((begin for begin, _ in items if begin not in doomed), None)
    if kept is None:
        return [(sheet.opened, sheet.closed, _first(sheet, added))]
    cuts = [(items[0][0], kept, "")] if items[0][0] in doomed else []
    for (_, before), (begin, end) in itertools.pairwise(items):
        if begin in doomed and begin > kept:
            cuts.append((before, end, ""))
    if added:
        cuts.append((items[-1][1], items[-1][1], _following(sheet, items, added)))
    return cuts


def _first(sheet: Sheet, added: Sequence[Mapping[str, Any]]) -> str:
    """Return the inside of a list that holds the new records alone."""
    if not added:
        return ""
    style = Style.of(sheet.data[start(sheet.data) :].decode().rstrip(), escaped=sheet.escaped)
    if not style.newline:
        return style.comma.join(style.render(record, "") for record in added)
    base = style.newline + style.unit * 2
    texts = (base + style.render(record, style.unit * 2) for record in added)
    return ",".join(texts) + style.newline + style.unit


def _following(sheet: Sheet, items: Sequence[tuple[int, int]], added: Sequence[Mapping[str, Any]]) -> str:
    """Return new records behind the last one, in its style."""
    before = b"," + sheet.data[sheet.opened : items[0][0]]
    if len(items) > 1:
        before = sheet.data[items[-2][1] : items[-1][0]]
    gap = before.decode()
    style = _model(sheet) or Style(newline="")
    base = gap.rpartition("\n")[2] if "\n" in gap else ""
    return "".join(gap + style.render(record, base) for record in added)

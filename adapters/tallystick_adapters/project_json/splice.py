"""Puts edited, added and removed records into a file's text; every other byte stays as it is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tallystick_adapters.project_json.members import Style
from tallystick_adapters.project_json.sheet import ARCHIVE, Sheet
from tallystick_contract.adapter import Key

FRESH: Final = {"tasks.json": '{\n  "tasks": []\n}\n', "verification.json": '{\n  "verifications": []\n}\n'}
"""The text of a file that is not there yet; an archive starts empty."""

type Cut = tuple[int, int, str]
"""Where a span of the text starts and ends, and the text that takes its place."""


def spells_escapes(text: str) -> bool:
    r"""Tell whether a file writes letters beyond ASCII as `\u` escapes."""
    return "\\u" in text and text.isascii()


def rewrite(sheet: Sheet, texts: Mapping[Key, str | None], added: Sequence[Mapping[str, Any]]) -> str:
    """Return the file's text with records replaced (None: removed) and new ones at the end of its list."""
    cuts = [(e.start, e.end, text) for e in sheet.entries if (text := texts.get(e.key)) is not None]
    doomed = {e.start for e in sheet.entries if e.key in texts and texts[e.key] is None}
    change = _change_lines if sheet.name.startswith(ARCHIVE) else _change_list
    pieces = []
    at = 0
    for start, end, text in sorted(cuts + change(sheet, doomed, added)):
        pieces += [sheet.text[at:start], text]
        at = end
    return "".join((*pieces, sheet.text[at:]))


def _model(sheet: Sheet) -> Style | None:
    """Return the style of the file's last record, which new ones follow."""
    return Style.of(sheet.raw(sheet.entries[-1]), escaped=spells_escapes(sheet.text)) if sheet.entries else None


def _change_lines(sheet: Sheet, doomed: set[int], added: Sequence[Mapping[str, Any]]) -> list[Cut]:
    text = sheet.text
    cuts = [(e.start, _line_end(text, e.end), "") for e in sheet.entries if e.start in doomed]
    if added:
        newline = "\r\n" if "\r\n" in text else "\n"
        style = _model(sheet) or Style(newline="", colon=":", comma=",")
        lead = newline if text and not text.endswith("\n") else ""
        cuts.append((len(text), len(text), lead + "".join(style.render(record, "") + newline for record in added)))
    return cuts


def _line_end(text: str, at: int) -> int:
    stop = text.find("\n", at)
    return len(text) if stop < 0 else stop + 1


def _change_list(sheet: Sheet, doomed: set[int], added: Sequence[Mapping[str, Any]]) -> list[Cut]:
    if not doomed and not added:
        return []
    items = sorted((item.start, item.end) for item in (*sheet.entries, *sheet.bad))
    kept = next((start for start, _ in items if start not in doomed), None)
    if kept is None:
        return [(sheet.opened, sheet.closed, _first(sheet, added))]
    cuts = [(items[0][0], kept, "")] if items[0][0] in doomed else []
    for (_, before), (start, end) in zip(items, items[1:], strict=False):
        if start in doomed and start > kept:
            cuts.append((before, end, ""))
    if added:
        cuts.append((items[-1][1], items[-1][1], _following(sheet, items, added)))
    return cuts


def _first(sheet: Sheet, added: Sequence[Mapping[str, Any]]) -> str:
    """Return the inside of a list that holds the new records alone."""
    if not added:
        return ""
    style = Style.of(sheet.text.strip("\ufeff \t\r\n"), escaped=spells_escapes(sheet.text))
    if not style.newline:
        return style.comma.join(style.render(record, "") for record in added)
    base = style.newline + style.unit * 2
    texts = (base + style.render(record, style.unit * 2) for record in added)
    return ",".join(texts) + style.newline + style.unit


def _following(sheet: Sheet, items: Sequence[tuple[int, int]], added: Sequence[Mapping[str, Any]]) -> str:
    """Return new records behind the last one, in its style."""
    if len(items) > 1:
        gap = sheet.text[items[-2][1] : items[-1][0]]
    else:
        gap = "," + sheet.text[sheet.opened : items[0][0]]
    style = _model(sheet) or Style(newline="")
    base = gap.rpartition("\n")[2] if "\n" in gap else ""
    return "".join(gap + style.render(record, base) for record in added)

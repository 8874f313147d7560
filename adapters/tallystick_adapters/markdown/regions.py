"""Managed regions: the parts of a note's body between two marker lines; everything else belongs to people.

A marker is a whole line, at its very start, outside code fences and comments. Text that a region holds cannot open
or close one: a line in it that looks like a marker gets a backslash, which reading takes away again.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tallystick_contract.errors import Invalid

from .frontmatter import Splice, line_at

NAMES: Final = ("description", "criteria", "notes", "gate", "evidence", "journal")
"""The regions, in the order in which a new note shows them."""

_TOKEN: Final = re.compile(
    r"^(?:<!-- tally:(?P<edge>begin|end) (?P<name>" + "|".join(NAMES) + r")(?P<list> list)? -->[ \t]*(?=\r?$)"
    r"|(?P<comment>[ ]{0,3}<!--)"
    r"|[ ]{0,3}(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ ]{1,4})?(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}))",
    re.MULTILINE,
)
_LOOKALIKE: Final = re.compile(r"^(<!-- \\*)(?=tally:)", re.MULTILINE)
_ESCAPED: Final = re.compile(r"^(<!-- \\*)\\(?=tally:)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Region:
    """One region: offsets of its markers (line end excluded) and of the text between them."""

    start: int
    inner: int
    inner_end: int
    end: int
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """The regions of a note by name; `open_end` tells a fence or comment that reaches the end of the note."""

    regions: dict[str, Region]
    open_end: bool


def scan(text: str, body: int) -> Body:
    """Find the regions of `text` from offset `body` on.

    Raises `Invalid`, with the line as `where`, for a region that is never closed, doubled, or opened in another.
    """
    regions: dict[str, Region] = {}
    opened: re.Match[str] | None = None
    hidden = body
    for match in _TOKEN.finditer(text, body):
        if match["edge"]:
            if opened is not None or match.start() >= hidden:
                opened = _edge(text, match, opened, regions)
            elif hidden > len(text):
                raise _wrong(text, match, "a marker stands in a code fence or comment that is never closed")
        elif opened is None and match.start() >= hidden:
            hidden = _hidden_until(text, match)
    if opened is not None:
        raise _wrong(text, opened, f"the region {opened['name']!r} is never closed")
    return Body(regions, hidden > len(text))


def _edge(
    text: str, match: re.Match[str], opened: re.Match[str] | None, regions: dict[str, Region]
) -> re.Match[str] | None:
    name = match["name"]
    if match["edge"] == "begin":
        if opened is not None:
            raise _wrong(text, match, f"a region {name!r} begins inside the region {opened['name']!r}")
        if name in regions:
            raise _wrong(text, match, f"a second region {name!r} begins")
        return match
    if opened is None or opened["name"] != name:
        raise _wrong(text, match, f"a region {name!r} ends that did not begin")
    inner = text.index("\n", opened.start()) + 1
    regions[name] = Region(opened.start(), inner, match.start(), match.end(), bool(opened["list"]))
    return None


def _wrong(text: str, match: re.Match[str], what: str) -> Invalid:
    return Invalid(what, where=f"line {line_at(text, match.start())}", todo="put the marker lines right")


def _hidden_until(text: str, match: re.Match[str]) -> int:
    """Return the offset at which a fence or comment ends; one beyond the text if it never does."""
    if match["comment"]:
        end = text.find("-->", match.start())
        return len(text) + 1 if end < 0 else end + 3
    fence = match["fence"]
    indent = "[ \t]*" if match["item"] else "[ ]{0,3}"
    closing = re.compile(rf"^{indent}{fence[0]}{{{len(fence)},}}[ \t]*\r?$", re.MULTILINE).search(text, match.end())
    return len(text) + 1 if closing is None else closing.end()


def begin(name: str, *, is_list: bool = False) -> str:
    """Return the line that opens a region."""
    return f"<!-- tally:begin {name}{' list' if is_list else ''} -->"


def end(name: str) -> str:
    """Return the line that closes a region."""
    return f"<!-- tally:end {name} -->"


def escaped(text: str) -> str:
    """Return text in which no line is a marker."""
    return _LOOKALIKE.sub(r"\1\\", text) if "<!-- " in text else text


def unescaped(text: str) -> str:
    """Return the text that `escaped` was given."""
    return _ESCAPED.sub(r"\1", text) if "<!-- " in text else text


_ITEM: Final = re.compile(r"[-*+](?: (?P<text>.*))?", re.DOTALL)
_BOX: Final = re.compile(r"\[(?P<tick>[ xX])\](?: (?P<text>.*))?", re.DOTALL)
_PADDED: Final = re.compile(r"[ \t]*\\*")
_FENCE: Final = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}(?=[^`]*$)|~{3,})")


def item_lines(mark: str, text: str) -> str:
    r"""Return a list item, `mark` first and further lines indented under it.

    A line of blanks and backslashes only gets one backslash more, so that no editor's tidying can take it away.

    >>> item_lines("- [ ] ", "one\n\ntwo")
    '- [ ] one\n      \\\n      two'
    """
    lines = [line + "\\" if _PADDED.fullmatch(line) else line for line in text.split("\n")]
    return mark + ("\n" + " " * len(mark)).join(lines)


def items(text: str, *, boxes: bool) -> tuple[list[tuple[str, bool]], str]:
    """Read list items back: texts with their ticks, and whatever stands before the first item.

    Only an item at the start of its line counts, and none in a code fence (BC-047).
    """
    width = 6 if boxes else 2
    found: list[tuple[list[str], bool]] = []
    before: list[str] = []
    fence = ""
    for line in text.split("\n"):
        match = None if fence else _ITEM.fullmatch(line)
        fence = _fence_after(fence, line)
        if match:
            box = _BOX.fullmatch(match["text"] or "") if boxes else None
            first = (box["text"] if box else match["text"]) or ""
            found.append(([_bare(first)], bool(box and box["tick"] in "xX")))
        elif line.strip(" \t") or (fence and found):
            (found[-1][0] if found else before).append(_bare(_dedented(line, width)))
    return [("\n".join(lines), done) for lines, done in found], "\n".join(before)


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after a line, given the one open before it.

    Only a fence further left than any text under an item opens one: what it holds could be taken for items.
    """
    match = _FENCE.match(line)
    if not fence:
        return match["fence"] if match and len(match["indent"]) <= 1 else ""
    closes = match is not None and match["fence"].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def _dedented(line: str, width: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, width) :]


def _bare(line: str) -> str:
    return line[:-1] if line.endswith("\\") and _PADDED.fullmatch(line) else line


def placed(text: str, body: Body, start: int, new: Iterable[tuple[str, str]], newline: str) -> list[Splice]:
    """Return splices that insert regions a note does not have yet, each in its place in the order of `NAMES`.

    `new` are names and whole texts, markers included, in that order; `start` is where the body starts. A region is
    always set off by a blank line, so that no paragraph before it turns into a heading.
    """
    splices: list[Splice] = []
    for name, region in new:
        place, before = _place(text, body, start, name)
        if before:
            splices.append(Splice(place, place, region + newline * 2))
            continue
        ahead = splices[-1].text if splices and splices[-1].start == place else text[:place]
        blank = ahead.endswith(("\n\n", "\n\r\n"))
        lead = "" if blank else newline if ahead.endswith("\n") else newline * 2
        tail = "" if text[place : place + 1] in ("\n", "\r") else newline
        splices.append(Splice(place, place, lead + region + tail))
    return splices


def _place(text: str, body: Body, start: int, name: str) -> tuple[int, bool]:
    """Return where a region goes, and whether that is right before another region."""
    rank = NAMES.index(name)
    earlier = [body.regions[one].end for one in NAMES[:rank] if one in body.regions]
    if earlier:
        return max(earlier), False
    later = [body.regions[one].start for one in NAMES[rank + 1 :] if one in body.regions]
    if later:
        return min(later), True
    return (start if body.open_end else len(text)), False


def inner_text(text: str, region: Region) -> str:
    """Return what a region holds, in LF, without the line end before its closing marker."""
    return text[region.inner : region.inner_end].replace("\r\n", "\n").removesuffix("\n")


def whole(name: str, inner: str, newline: str, *, is_list: bool = False) -> str:
    """Return a region with its markers; `inner` is in LF and has no final line end unless it is a blank line."""
    lines: Sequence[str] = (begin(name, is_list=is_list), *([inner] if inner else []), end(name))
    text = "\n".join(lines)
    return text.replace("\n", "\r\n") if newline == "\r\n" else text

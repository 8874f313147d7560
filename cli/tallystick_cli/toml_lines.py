"""On which line of a TOML file a key stands: the standard library's parser does not say."""

import re
from collections.abc import Mapping

type KeyPath = tuple[str, ...]

_STRING = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_PART = rf"(?:[A-Za-z0-9_-]+|{_STRING})"
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=")
_TOKEN = re.compile(rf"""(?P<long>\"{{3}}|'{{3}})|{_STRING}|\#.*""")
_END = {'"""': re.compile(r'(?:[^\\]|\\.)*?"{3}'), "'''": re.compile(r".*?'{3}")}


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line (from 1) of every table and key of a well-formed TOML text.

    What stands inside inline tables and arrays is not included: `line_of` gives the line they start on.
    """
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), start=1):
        inside, quote = quote, _still_open(line, quote)
        if inside:
            continue
        assignment = _ASSIGNMENT.match(line)
        if assignment:
            lines.setdefault((*table, *_parts(assignment[1])), number)
        elif header := _HEADER.match(line):
            table = _parts(header[1])
            lines.setdefault(table, number)
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of the nearest table around it; 1 where nothing is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _still_open(line: str, quote: str) -> str:
    """Return the quote of the multi-line string that is open at the line's end, if any; `quote` is open before it."""
    position = 0
    while True:
        if quote:
            end = _END[quote].match(line, position)
            if end is None:
                return quote
            position = end.end()
        opening = next((token for token in _TOKEN.finditer(line, position) if token["long"]), None)
        if opening is None:
            return ""
        position, quote = opening.end(), opening["long"]


def _parts(dotted: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))

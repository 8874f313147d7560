"""On which line of a TOML file a key stands: the standard library's parser does not say."""

import re
from collections.abc import Mapping

type KeyPath = tuple[str, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=")
_INLINE = re.compile(rf"[{{,]\s*({_DOTTED})\s*=")
_MULTILINE = re.compile(r'"""|\'\'\'')


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line (from 1) of every table and key of a well-formed TOML text, inline tables' keys included."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    closing = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if closing:
            closing = "" if line.count(closing) % 2 else closing
            continue
        header, assignment = _HEADER.match(line), _ASSIGNMENT.match(line)
        if header and not assignment:
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif assignment:
            key = (*table, *_parts(assignment[1]))
            lines.setdefault(key, number)
            for inner in _INLINE.finditer(line, assignment.end()):
                lines.setdefault((*key, *_parts(inner[1])), number)
        opening = _MULTILINE.search(line)
        closing = opening[0] if opening and line.count(opening[0]) % 2 else ""
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of the nearest table around it; 1 where nothing is known."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _parts(dotted: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))

"""File names for ids, and ids for file names: safe on every file system, readable where possible."""

import re
import unicodedata
from typing import Final
from urllib.parse import unquote

from tallystick_contract.canonical import digest, normalise_text

_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029<>:"/\\|?*%#^\[\]]')
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
_LINK: Final = re.compile(r"\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]")
_LONGEST: Final = 180


def stem_for(record_id: str) -> str:
    """Return the file name, without ending, of the note for an id.

    Characters that some file system, or a wiki link, cannot take are percent-encoded; a long name is cut and told
    apart by a digest.

    >>> stem_for("TASK-BUD-123"), stem_for("a/b: c"), stem_for("CON"), stem_for(".x.")
    ('TASK-BUD-123', 'a%2Fb%3A c', '%43ON', '%2Ex%2E')
    """
    stem = _UNSAFE.sub(_encoded, record_id)
    stem = re.sub(r"^[. ]|[. ]$", _encoded, stem)
    if _RESERVED.match(stem) or stem.startswith("_tallystick"):
        stem = _encoded_text(stem[0]) + stem[1:]
    if len(stem.encode()) <= _LONGEST:
        return stem
    kept = stem.encode()[: _LONGEST - 20].decode(errors="ignore").rstrip(". ")
    return f"{kept}-{digest(record_id)[:12]}"


def _encoded(match: re.Match[str]) -> str:
    return _encoded_text(match[0])


def _encoded_text(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def stem_of(path: str) -> str:
    """Return a note's file name without its ending, `.md` or `.MD`."""
    return path.rsplit("/", 1)[-1][:-3]


def folded(path: str) -> str:
    """Return a path such that two paths which one file system may take for the same are equal."""
    return unicodedata.normalize("NFC", path).casefold()


def free_stem(record_id: str, taken: "frozenset[str] | set[str]", folder: str) -> str:
    """Return a stem whose path under `folder` clashes with none of the folded paths in `taken`."""
    stem = stem_for(record_id)
    mark = digest(record_id)
    for length in (0, 6, 32):
        chosen = f"{stem}-{mark[:length]}" if length else stem
        if folded(f"{folder}{chosen}.md") not in taken:
            return chosen
    return f"{stem}-{mark}-{len(taken)}"


def minted(spoke: str, stem: str) -> str:
    """Return the id of a note that has none: the same on every clone, from its file name alone.

    >>> minted("vault", "Buy milk!"), minted("vault", "T-1")
    ('vault-buy-milk', 'vault-t-1')
    """
    slug = re.sub(r"[\W_]+", "-", normalise_text(stem).lower()).strip("-")
    return f"{spoke}-{slug or digest(stem)[:8]}"


def linked(text: str) -> str:
    """Return the id a wiki link names; any other text as it is.

    >>> linked("[[tasks/T-1|the first]]"), linked("T-1"), linked("[[a%2Fb#Notes]]")
    ('T-1', 'T-1', 'a/b')
    """
    while match := _LINK.fullmatch(text):
        stem = match[1].strip().rsplit("/", 1)[-1].removesuffix(".md")
        if not stem:
            return text
        text = normalise_text(unquote(stem))
    return text

"""Canonical text, canonical JSON and fingerprints: two equal values always give equal bytes."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import rfc8785

type Json = bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None
"""Any JSON value. Mappings and sequences are never changed in place once they are in a document."""

type Doc = Mapping[str, Any]
"""A sparse document: wire names to JSON values; a field at its default is left out (see `fields`)."""


def normalise_text(text: str) -> str:
    """Return `text` in NFC with LF line ends: the only form in which the canonical contract holds text."""
    if text.isascii():
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def normalise(value: Any) -> Any:
    """Return a JSON value with every text inside it, member names included, normalised."""
    kind = type(value)  # exact types first: this runs for every value of every record
    if kind is str:
        return value if value.isascii() and "\r" not in value else normalise_text(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is dict or isinstance(value, Mapping):
        return {normalise_text(key): normalise(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [normalise(item) for item in value]
    return value


def is_day(text: str) -> bool:
    """Tell whether a text names a day of the calendar, written YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 (JCS) bytes of a JSON value.

    Raises `rfc8785.CanonicalizationError` for values JSON cannot carry exactly
    (NaN, integers beyond 2**53, lone surrogates).
    """
    return rfc8785.dumps(value)


def fingerprint(value: Any) -> str:
    """Return `sha256:<hex>` over the canonical JSON of the normalised value; never over file bytes."""
    return "sha256:" + hashlib.sha256(canonical_json(normalise(value))).hexdigest()


def digest(raw: bytes | str) -> str:
    """Return 32 hex digits that change when `raw` changes: a revision for things without one of their own."""
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    return hashlib.sha256(data).hexdigest()[:32]

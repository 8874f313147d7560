"""The hub's records as commands show them, and finding one by part of its id."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import FIELDS, Merge, value
from tallystick_contract.models import VERSION
from tallystick_sync.ledger import Ledger

SHORTEST = 3
"""Fewest characters of an id that may stand for the whole of it."""

LISTED = 10
"""How many ids a message names when several could be meant."""


def find(ledger: Ledger, text: str, kind: str = "task", *, deleted: bool | None = False) -> Key:
    """Return the record a person means by an id, or by a unique beginning or end of one.

    Among live records, deleted ones, or (None) both. Raises `Invalid`.
    """
    which = {False: "AND deleted IS NULL", True: "AND deleted IS NOT NULL", None: ""}[deleted]
    query = f"SELECT id FROM records WHERE kind = ? {which}"  # noqa: S608 -- one of the three above
    idents = [row[0] for row in ledger.db.execute(query, (kind,))]
    return Key(kind, one_of(idents, text, f"{'deleted ' if deleted else ''}{kind}", "tally task list shows the ids"))


def find_open(ledger: Ledger, text: str, field: str) -> Key:
    """Return the record meant among those on which this field is open. Raises `Invalid`."""
    query = "SELECT id, kind FROM conflicts WHERE field = ? UNION SELECT id, kind FROM held WHERE field = ?"
    kinds = dict(ledger.db.execute(query, (field, field)))
    ident = one_of(list(kinds), text, f"open {field}", "tally conflicts and tally held show what is open")
    return Key(kinds[ident], ident)


def one_of(idents: Sequence[str], text: str, noun: str, advice: str) -> str:
    """Return the id meant by `text`. Raises `Invalid` when none is, or when several are."""
    found = matches(idents, text)
    if not found:
        raise Invalid(f"no {noun} goes by {text!r}", todo=advice)
    if len(found) > 1:
        listed = ", ".join(sorted(found)[:LISTED]) + (" …" if len(found) > LISTED else "")
        raise Invalid(f"{text!r} could be any of {len(found)}", todo=f"write more of one: {listed}")
    return found[0]


def matches(idents: Sequence[str], text: str) -> list[str]:
    """Return the id that is `text`, else those that begin or end with it; upper and lower case are one."""
    if text in idents:
        return [text]
    short = text.lower()
    return [ident for ident in idents if _matches(ident.lower(), short)]


def _matches(ident: str, text: str) -> bool:
    return ident == text or (len(text) >= SHORTEST and (ident.startswith(text) or ident.endswith(text)))


def documents(ledger: Ledger, kind: str, about: str | None = None) -> list[tuple[str, Doc]]:
    """Return the live records of a kind, or those about one task, by id."""
    query = "SELECT id, doc FROM records WHERE kind = ? AND deleted IS NULL AND (? IS NULL OR about = ?) ORDER BY id"
    return [(ident, json.loads(doc)) for ident, doc in ledger.db.execute(query, (kind, about, about))]


def document(ledger: Ledger, key: Key) -> Doc:
    """Return a live record that `find` found."""
    query = "SELECT doc FROM records WHERE kind = ? AND id = ?"
    doc: Doc = json.loads(ledger.db.execute(query, tuple(key)).fetchone()[0])
    return doc


def wire(kind: str, ident: str, doc: Doc) -> dict[str, Any]:
    """Return a record as the contract writes it, every field present."""
    return {"contractVersion": VERSION, "id": ident, **{name: value(kind, doc, name) for name in FIELDS[kind]}}


def headline(doc: Doc) -> str:
    """Return what names a task on one line: its title, else the first line of its description."""
    return str(doc.get("title") or str(doc.get("description") or "").lstrip().partition("\n")[0])


def read_values(kind: str, assignments: Iterable[str]) -> dict[str, Any]:
    """Read `field=value` arguments. Raises `Invalid` naming the fields there are."""
    fields = {}
    for text in assignments:
        name, equals, raw = text.partition("=")
        if not equals or name not in FIELDS[kind]:
            allowed = [field for field, spec in FIELDS[kind].items() if spec.merge is not Merge.DERIVED]
            raise Invalid(f"{text!r} is not FIELD=VALUE", todo="fields: " + ", ".join(allowed))
        fields[name] = read_value(kind, name, raw)
    return fields


def read_value(kind: str, name: str, raw: str) -> Any:
    """Read a value as JSON where it is some; a text stays a text, and a list may be written with commas.

    >>> read_value("task", "title", "2026"), read_value("task", "labels", "a, b"), read_value("task", "owner", "null")
    ('2026', ['a', 'b'], None)
    """
    default = FIELDS[kind][name].default if name in FIELDS[kind] else None
    try:
        parsed = json.loads(raw)
    except ValueError:
        return [part.strip() for part in raw.split(",") if part.strip()] if isinstance(default, list) else raw
    is_number = isinstance(parsed, bool | int | float)
    return raw if is_number and not isinstance(default, bool) else parsed

"""Translation between canonical documents and the rows of a Tallystick database; pure.

A row is read as the document its view shows (`task_documents` and so on) and written column by column.
"""

import json
import math
from typing import Any, Final

from pydantic.alias_generators import to_snake

from tallystick_adapters.sqlite.values import ID_LIMIT, READERS
from tallystick_contract.canonical import Doc, digest, normalise_text
from tallystick_contract.capabilities import Fidelity, Mapped
from tallystick_contract.errors import Invalid, Unsupported
from tallystick_contract.fields import FIELDS, Merge, same, value

TABLES: Final = {"task": "tasks", "evidence": "evidence", "event": "events"}
"""The table of each record kind."""

COLUMNS: Final = {
    kind: {name: "commit_hash" if name == "commit" else to_snake(name) for name in FIELDS[kind]} for kind in TABLES
}
"""The column of each field, by record kind; a bare `commit` would be a key word of SQL."""


_NEEDED: Final = {"task": (), "evidence": ("target",), "event": ("atIso", "actor")}


def clean(kind: str, doc: Doc) -> dict[str, Any]:
    """Return the document as the tables show it: sparse, normalised, every value of its right shape.

    Raises `Invalid` naming the first field that is wrong and what is allowed there.
    """
    image: dict[str, Any] = {}
    table = FIELDS[kind]
    for name, read in READERS[kind].items():
        default = table[name].default
        raw = doc.get(name, default)
        if raw is None or raw == default:
            continue
        try:
            item = read(raw)
        except ValueError as error:
            raise Invalid(f"{COLUMNS[kind][name]}: {error}") from error
        if item is not None and item != default:
            image[name] = item
    return image


def decode(kind: str, record_id: str, document: str) -> dict[str, Any]:
    """Return the image of a row from the document its view shows. Raises `Invalid` when it is not a valid record."""
    if len(record_id) > ID_LIMIT or normalise_text(record_id) != record_id:
        raise Invalid(f"id: is not in normal form (NFC, line feeds only, at most {ID_LIMIT} characters)")
    image = clean(kind, parse(document))
    if kind == "task" and "title" not in image and "description" not in image:
        raise Invalid("title: a task needs a title or a description")
    for name in _NEEDED[kind]:
        if name not in image:
            raise Invalid(f"{COLUMNS[kind][name]}: is missing")
    return image


def _finite(number: str) -> float:
    parsed = float(number)
    if not math.isfinite(parsed):
        raise Invalid(f"{number} is a number JSON cannot carry")
    return parsed


def parse(document: str) -> Any:
    """Return the value of JSON text that the database wrote. Raises `Invalid`."""
    try:
        return json.loads(document, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"is not readable JSON: {error}") from error


def revision(row_version: int, document: str) -> str:
    """Return the revision of a row: its version, and its content, for databases that were put back from a copy."""
    return f"{row_version}-{digest(document)[:12]}"


def encode(kind: str, fields: Doc) -> dict[str, str | int | None]:
    """Return column values for the given fields. Raises `Unsupported` for what the columns cannot carry."""
    row: dict[str, str | int | None] = {}
    for name, item in fields.items():
        place = COLUMNS[kind].get(name)
        if place is None:
            raise Unsupported(f"{name}: the tables have no column for it")
        row[place] = _stored(place, item)
        if place == "notes":
            row["notes_list"] = None
            if isinstance(item, list | tuple):
                row |= {"notes": None, "notes_list": row["notes"]}
    return row


def _stored(place: str, item: Any) -> str | int | None:
    if isinstance(item, bool):
        return int(item)
    stored = item if isinstance(item, str) or item is None else json.dumps(item, ensure_ascii=False)
    if stored is not None and "\0" in stored:
        raise Unsupported(f"{place}: text with a NUL character", todo="take the character out")
    return stored


DEFAULTS: Final = {kind: encode(kind, {name: field.default for name, field in FIELDS[kind].items()}) for kind in TABLES}
"""The column values of a record at all its defaults, by record kind."""


def alike(kind: str, left: Doc, right: Doc) -> bool:
    """Tell whether two images mean the same."""
    return all(same(field, value(kind, left, name), value(kind, right, name)) for name, field in FIELDS[kind].items())


def _place(kind: str, name: str) -> Mapped:
    field = FIELDS[kind][name]
    fidelity = Fidelity.DERIVED if field.merge is Merge.DERIVED else Fidelity.NATIVE
    place = f"{TABLES[kind]}.{COLUMNS[kind][name]}"
    if name == "notes":
        return Mapped(fidelity, place, "a list of notes is in notes_list instead, as JSON")
    return Mapped(fidelity, place, "as JSON" if isinstance(field.default, list | dict) or name == "actor" else "")


PLACES: Final = {kind: {name: _place(kind, name) for name in FIELDS[kind]} for kind in TABLES}
"""Where each field lives, by record kind."""

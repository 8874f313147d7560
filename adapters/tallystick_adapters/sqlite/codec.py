"""Translation between canonical documents and the rows of a Tallystick database; pure.

A row is read as the document its view shows (`task_documents` and so on) and written column by column.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic.alias_generators import to_snake

from tallystick_contract.canonical import Doc, digest, normalise, normalise_text
from tallystick_contract.capabilities import Fidelity, Mapped
from tallystick_contract.errors import Invalid, Unsupported
from tallystick_contract.fields import FIELDS, Merge, instant, same, value
from tallystick_contract.models import EVENT_KINDS, PAYLOAD_LIMIT

TABLES: Final = {"task": "tasks", "evidence": "evidence", "event": "events"}
"""The table of each record kind."""

_RENAMED: Final = {"commit": "commit_hash"}  # a bare `commit` is a key word of SQL

_ID_LIMIT: Final = 512


def column(name: str) -> str:
    """Return the column that holds a field."""
    return _RENAMED.get(name, to_snake(name))


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise ValueError("must be text")  # noqa: TRY004 -- every wrong value is one kind of error here
    return normalise_text(raw)


def _optional(raw: Any) -> str | None:
    return _text(raw) or None


def _choice(*allowed: str) -> Callable[[Any], str]:
    def check(raw: Any) -> str:
        if raw not in allowed:
            raise ValueError(f"{raw!r} is not one of {', '.join(allowed)}")
        return str(raw)

    return check


def _matching(pattern: str, promise: str) -> Callable[[Any], str | None]:
    compiled = re.compile(pattern, re.ASCII)

    def check(raw: Any) -> str | None:
        text = _optional(raw)
        if text is not None and compiled.fullmatch(text) is None:
            raise ValueError(f"{text!r} is not {promise}")
        return text

    return check


def _instant(raw: Any) -> str | None:
    text = _optional(raw)
    if text is not None and instant(text) is None:
        raise ValueError(f"{text!r} is not an ISO 8601 instant")
    return text


def _kind(raw: Any) -> str:
    text = _text(raw)
    if text not in EVENT_KINDS and re.fullmatch(r"x(-[a-z0-9]+)+", text) is None:
        raise ValueError(f"{text!r} is neither a registered kind nor x-<name>")
    return text


def _id(raw: Any) -> str:
    text = _text(raw)
    if not 0 < len(text) <= _ID_LIMIT:
        raise ValueError(f"an id has 1 to {_ID_LIMIT} characters")
    return text


def _parent(raw: Any) -> str | None:
    return None if raw == "" else _id(raw)


def _list(read: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def check(raw: Any) -> list[Any]:
        if not isinstance(raw, list | tuple):
            raise ValueError("must be a JSON list")  # noqa: TRY004 -- as above
        return [read(item) for item in raw]

    return check


def _map(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise ValueError("must be a JSON object")  # noqa: TRY004 -- as above
    return dict(normalise(raw))


def _payload(raw: Any) -> dict[str, Any]:
    payload = _map(raw)
    if len(json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")) > PAYLOAD_LIMIT:
        raise ValueError(f"is larger than {PAYLOAD_LIMIT} bytes")
    return payload


def _notes(raw: Any) -> str | list[str] | None:
    return _optional(raw) if isinstance(raw, str) else _list(_text)(raw)


def _boolean(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError("must be 0 or 1")  # noqa: TRY004 -- as above
    return raw


def _gate(raw: Any) -> dict[str, bool]:
    flags = _map(raw)
    for name, flag in flags.items():
        if name not in {"noAutoClose", "requiresVerification", "requiresOperatorApproval"}:
            raise ValueError(f"{name!r} is not a flag of a gate")
        if not isinstance(flag, bool):
            raise ValueError(f"{name} must be true or false")  # noqa: TRY004 -- as above
    return {name: True for name, flag in flags.items() if flag}


def _criterion(raw: Any) -> dict[str, Any]:
    item = _map(raw)
    if not set(item) <= {"text", "done"} or not isinstance(item.get("done", False), bool) or not item.get("text"):
        raise ValueError('each criterion is {"text": "…", "done": true or false}')
    return {"text": _text(item["text"]), "done": item.get("done", False)}


def _result(raw: Any) -> dict[str, Any]:
    item = {"evidence": None, **_map(raw)}
    if not isinstance(item.get("criterion"), str) or not isinstance(item.get("status"), str):
        raise ValueError('each result is {"criterion": "…", "status": "…", "evidence": "…"}')  # noqa: TRY004 -- as above
    if not isinstance(item["evidence"], str | None):
        raise ValueError("the evidence of a result is text")  # noqa: TRY004 -- as above
    return item


def _actor(raw: Any) -> dict[str, str]:
    actor = _map(raw)
    if set(actor) != {"type", "id"} or actor["type"] not in ("operator", "agent", "engine", "external"):
        raise ValueError('is not {"type": operator, agent, engine or external, "id": "…"}')
    return {"type": actor["type"], "id": _id(actor["id"])}


_READ: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
    "task": {
        "title": _optional,
        "description": _optional,
        "status": _choice("planned", "in-progress", "blocked", "completed", "cancelled"),
        "priority": _matching(r"unset|p[0-9]{1,2}", "unset or p0 to p99"),
        "dependsOn": _list(_id),
        "owner": _optional,
        "decisionGate": _gate,
        "acceptanceCriteria": _list(_criterion),
        "labels": _list(_text),
        "milestone": _optional,
        "notes": _notes,
        "files": _list(_text),
        "parent": _parent,
        "due": _matching(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a date, YYYY-MM-DD"),
        "archived": _boolean,
        "extensions": _map,
        "deliveryState": _optional,
    },
    "evidence": {
        "target": _id,
        "targetType": _text,
        "status": _choice("passed", "failed", "partial", "skipped"),
        "method": _optional,
        "methodClass": _text,
        "timestamp": _instant,
        "summary": _optional,
        "artifacts": _list(_text),
        "criteriaResults": _list(_result),
        "commit": _optional,
        "extensions": _map,
    },
    "event": {
        "taskId": _parent,
        "kind": _kind,
        "atIso": _instant,
        "actor": _actor,
        "payload": _payload,
        "extensions": _map,
    },
}

_NEEDED: Final = {"task": (), "evidence": ("target",), "event": ("atIso", "actor")}


def clean(kind: str, doc: Doc) -> dict[str, Any]:
    """Return the document as the tables show it: sparse, normalised, every value of its right shape.

    Raises `Invalid` naming the first field that is wrong and what is allowed there.
    """
    image: dict[str, Any] = {}
    table = FIELDS[kind]
    for name, read in _READ[kind].items():
        default = table[name].default
        raw = doc.get(name, default)
        if raw is None or raw == default:
            continue
        try:
            item = read(raw)
        except ValueError as error:
            raise Invalid(f"{column(name)}: {error}") from error
        if item is not None and item != default:
            image[name] = item
    return image


def decode(kind: str, record_id: str, document: str) -> dict[str, Any]:
    """Return the image of a row from the document its view shows. Raises `Invalid` when it is not a valid record."""
    if len(record_id) > _ID_LIMIT or normalise_text(record_id) != record_id:
        raise Invalid(f"id: is not in normal form (NFC, line feeds only, at most {_ID_LIMIT} characters)")
    image = clean(kind, parse(document))
    if kind == "task" and "title" not in image and "description" not in image:
        raise Invalid("title: a task needs a title or a description")
    for name in _NEEDED[kind]:
        if name not in image:
            raise Invalid(f"{column(name)}: is missing")
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
        if name not in FIELDS[kind]:
            raise Unsupported(f"{name}: the tables have no column for it")
        row[column(name)] = _stored(column(name), item)
        if (kind, name) == ("task", "notes"):
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


def defaults(kind: str) -> dict[str, str | int | None]:
    """Return the column values of a record at all its defaults."""
    return encode(kind, {name: field.default for name, field in FIELDS[kind].items()})


def arranged(kind: str, fields: Doc, shown: Doc) -> dict[str, Any]:
    """Return the fields to write, sets in the order the row shows them, what is new at their end."""
    wanted = dict(fields)
    for name, item in fields.items():
        if FIELDS[kind][name].merge is Merge.SET:
            present = value(kind, shown, name)
            kept = [element for element in present if element in item]
            wanted[name] = kept + [element for element in item if element not in present]
    return wanted


def alike(kind: str, left: Doc, right: Doc) -> bool:
    """Tell whether two images mean the same."""
    return all(same(field, value(kind, left, name), value(kind, right, name)) for name, field in FIELDS[kind].items())


def _place(kind: str, name: str) -> Mapped:
    field = FIELDS[kind][name]
    fidelity = Fidelity.DERIVED if field.merge is Merge.DERIVED else Fidelity.NATIVE
    place = f"{TABLES[kind]}.{column(name)}"
    if name == "notes":
        return Mapped(fidelity, place, "a list of notes is in notes_list instead, as JSON")
    return Mapped(fidelity, place, "as JSON" if isinstance(field.default, list | dict) or name == "actor" else "")


PLACES: Final = {kind: {name: _place(kind, name) for name in FIELDS[kind]} for kind in TABLES}
"""Where each field lives, by record kind."""

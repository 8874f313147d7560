"""What each field of a row may hold: one reader per field, JSON value to canonical value; pure.

Every reader raises `ValueError` with what is allowed, whatever the wrong value is.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tallystick_contract.canonical import is_day, normalise, normalise_text
from tallystick_contract.fields import instant
from tallystick_contract.models import EVENT_KINDS, PAYLOAD_LIMIT

ID_LIMIT: Final = 512
"""Most characters an id may have."""


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


def _day(raw: Any) -> str | None:
    text = _optional(raw)
    if text is not None and not is_day(text):
        raise ValueError(f"{text!r} is no day of the calendar, written YYYY-MM-DD")
    return text


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
    if not 0 < len(text) <= ID_LIMIT:
        raise ValueError(f"an id has 1 to {ID_LIMIT} characters")
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


READERS: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
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
        "due": _day,
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
"""The reader of each field, by record kind."""

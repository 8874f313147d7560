"""JSON Schemas (2020-12) of every contract version and record kind, for authors in other languages.

The committed files under `schemas/` are what `render` returns. A schema judges a document as the models do, except for
what JSON Schema cannot say; these are all the exceptions:

* `format: instant` is a format of our own: any ISO 8601 instant that names a calendar date (`fields.instant`).
* An event's or intent's `payload` takes at most 65,536 bytes of JSON.
* The models also take snake_case member names; on the wire only camelCase is right.
* Members a record does not know are allowed where it has `extensions`: readers move them there.
"""

from typing import Any, Final

from pydantic import TypeAdapter

from tallystick_contract.fields import FIELDS
from tallystick_contract.models import EVENT_KINDS, DecisionGate, DeliveryState
from tallystick_contract.versions import RECORDS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

INSTANT_FORMAT: Final = "instant"
"""Name of the format of instants; validators that do not know it take any text."""

_TEXT = {"type": "string"}
_NAMED: Final = [{"properties": {name: _TEXT}, "required": [name]} for name in ("title", "description")]
_KIND: Final = [{"enum": list(EVENT_KINDS)}, {"pattern": "^x(-[a-z0-9]+)+$"}]
type Schema = dict[str, Any]


def kinds(version: str) -> list[str]:
    """Return the kinds that have a schema in a version."""
    return [*RECORDS[version], "decisionGate", "deliveryState"]


def render(version: str, kind: str) -> Schema:
    """Return the schema of one record kind (or of a gate or a delivery state) in one version."""
    if kind == "decisionGate":
        body = DecisionGate.model_json_schema(by_alias=True)
    elif kind == "deliveryState":
        body = TypeAdapter(DeliveryState | None).json_schema()
    else:
        body = _record(version, kind)
    return {"$schema": DIALECT, "$id": f"urn:tallystick:{version}:{kind}", **body}


def _record(version: str, kind: str) -> Schema:
    body = RECORDS[version][kind].model_json_schema(by_alias=True)
    properties = body["properties"]
    body["required"] = ["contractVersion", *body.get("required", [])]
    definitions = body["$defs"]
    if "Instant" in definitions:
        definitions["Instant"]["format"] = INSTANT_FORMAT
    if "EventKind" in definitions:
        definitions["EventKind"] = {"type": "string", "anyOf": _KIND}
    if "extensions" in properties:
        del body["additionalProperties"]
    for name, described in properties.items():
        field = FIELDS.get(kind, {}).get(name)
        if field is not None:
            described["description"] = field.promise
    if kind == "task":
        body["anyOf"] = _NAMED
    return body

"""The versions of the contract: reading documents of any known one, and moving between 1.0 and 1.1 without loss.

1.0 is the minimum the contract began with; what 1.1 added rides in a 1.0 document's `extensions` under `x-<field>`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, StrictInt, model_validator
from pydantic.functional_validators import AfterValidator

from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import FIELDS
from tallystick_contract.memory import Guidance, Proposal, SessionSummary
from tallystick_contract.models import (
    MODELS,
    VERSION,
    VERSIONS,
    Actor,
    DecisionGate,
    DeliveryState,
    EventKind,
    EvidenceStatus,
    Id,
    Instant,
    Intent,
    Payload,
    Priority,
    Record,
    Text,
    registered,
)


class Task10(Record):
    """A task of contract 1.0."""

    kind_name: ClassVar[str] = "task"

    contract_version: Literal["1.0"] = "1.0"
    id: Id
    title: Text | None = None
    description: Text | None = None
    status: Literal["planned", "in-progress", "blocked", "completed"] = "planned"
    priority: Priority = "unset"
    depends_on: tuple[Id, ...] = ()
    owner: Text | None = None
    decision_gate: DecisionGate = DecisionGate()
    extensions: dict[str, Any] = Field(default_factory=dict)
    delivery_state: DeliveryState | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.title is None and self.description is None:
            raise ValueError("a task needs a title or a description (K-011)")
        return self


class Event10(Record):
    """An event of contract 1.0; it is always about a task."""

    kind_name: ClassVar[str] = "event"

    contract_version: Literal["1.0"] = "1.0"
    id: Id
    task_id: Id
    kind: Annotated[EventKind, AfterValidator(registered)]
    at_iso: Instant
    actor: Actor
    payload: Payload = Field(default_factory=dict)
    extensions: dict[str, Any] = Field(default_factory=dict)


class Evidence10(Record):
    """Evidence of contract 1.0; only the artifacts are optional."""

    kind_name: ClassVar[str] = "evidence"

    contract_version: Literal["1.0"] = "1.0"
    id: Id
    target: Id
    status: EvidenceStatus
    method: Text
    timestamp: Instant
    summary: Text
    artifacts: tuple[Text, ...] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)


class Intent10(Record):
    """An intent of contract 1.0."""

    kind_name: ClassVar[str] = "intent"

    contract_version: Literal["1.0"] = "1.0"
    id: Id | None = None
    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9.-]*$")]
    version: Annotated[StrictInt, Field(ge=1)]
    mode: Id
    contract: Id
    task_id: Id | None = None
    payload: Payload = Field(default_factory=dict)


RECORDS: Final[Mapping[str, Mapping[str, type[Record]]]] = {
    "1.0": {"task": Task10, "event": Event10, "evidence": Evidence10, "intent": Intent10},
    "1.1": {**MODELS, "intent": Intent, "guidance": Guidance, "sessionSummary": SessionSummary, "proposal": Proposal},
}
"""The model of every record kind, by contract version."""


def parse(kind: str, document: Doc, where: str = "") -> Record:
    """Read a document of the version it states; a newer 1.x is read as 1.1, its unknown members kept in `extensions`.

    Raises `Invalid`: no version, an unknown major one, a kind the version does not have, a member that is wrong.
    """
    stated = document.get("contractVersion")
    if not isinstance(stated, str) or re.fullmatch(r"[0-9]+\.[0-9]+", stated) is None:
        raise Invalid(f"contractVersion: {stated!r} is no version", where, todo=f"known: {', '.join(VERSIONS)}")
    if stated not in RECORDS and not stated.startswith("1."):
        raise Invalid(f"contractVersion: {stated} is not known", where, todo=f"known: {', '.join(VERSIONS)}")
    version = stated if stated in RECORDS else VERSION
    models = RECORDS[version]
    if kind not in models:
        raise Invalid(f"contract {version} has no {kind}", where, todo=f"it has: {', '.join(models)}")
    return models[kind].parse({**document, "contractVersion": version}, where)


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that 1.0 cannot show in its own place: the field, the value, and what stands there instead."""

    field: str
    value: Any
    instead: Any = None


_INSTEAD: Final[Mapping[str, Mapping[str, Any]]] = {
    "task": {"status": "blocked"},
    "event": {"taskId": "project"},
    "evidence": {"method": "not stated", "timestamp": "0001-01-01T00:00:00Z", "summary": "not stated"},
}
"""What stands in a 1.0 document where 1.1 holds a value that 1.0 does not have: `cancelled`, or none at all."""


def _foreign(kind: str, name: str, item: Any) -> bool:
    """Tell whether 1.0 cannot hold this value in this field."""
    field = FIELDS[kind].get(name)
    if field is None or name == "extensions":
        return False
    if field.since == "1.1":
        return bool(item != field.default)
    return name in _INSTEAD[kind] and item in (None, "cancelled")


def _reserved(kind: str) -> re.Pattern[str]:
    names = [name for name, field in FIELDS[kind].items() if field.since == "1.1" or name in _INSTEAD[kind]]
    return re.compile(f"(x-)+({'|'.join(names)})")


def downgrade(kind: str, document: Doc) -> tuple[dict[str, Any], list[Loss]]:
    """Return a 1.1 document of kind task, event or evidence as a 1.0 document, and every value not in its own place.

    Nothing is gone: the values are in `extensions["x-<field>"]`, from where `upgrade` takes them back. An extension
    that has such a name already gets one more `x-` in front.
    """
    wire = parse(kind, document).wire()
    losses = [Loss(name, item, _INSTEAD[kind].get(name)) for name, item in wire.items() if _foreign(kind, name, item)]
    reserved = _reserved(kind)
    kept = {f"x-{name}" if reserved.fullmatch(name) else name: item for name, item in wire["extensions"].items()}
    rest = {name: item for name, item in wire.items() if FIELDS[kind].get(name) is None or _in_1_0(kind, name)}
    instead = {loss.field: loss.instead for loss in losses if loss.field in _INSTEAD[kind]}
    moved = {f"x-{loss.field}": loss.value for loss in losses}
    old = {**rest, **instead, "extensions": {**kept, **moved}, "contractVersion": "1.0"}
    return RECORDS["1.0"][kind].parse(old).wire(), losses


def _in_1_0(kind: str, name: str) -> bool:
    return FIELDS[kind][name].since == "1.0"


def upgrade(kind: str, document: Doc) -> dict[str, Any]:
    """Return a 1.0 document of kind task, event or evidence as a 1.1 document, moved values back in their places.

    Raises `Invalid` where a moved value is not one of its field.
    """
    wire = parse(kind, document).wire()
    reserved = _reserved(kind)
    kept = {name: item for name, item in wire["extensions"].items() if reserved.fullmatch(name) is None}
    # What still starts with `x-` after that is no field: the model puts it back among the extensions.
    back = {name.removeprefix("x-"): item for name, item in wire["extensions"].items() if name not in kept}
    return MODELS[kind].parse({**wire, **back, "extensions": kept, "contractVersion": VERSION}).wire()

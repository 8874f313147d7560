"""The canonical records as frozen models: what every adapter translates to and from (K-002, K-010 to K-061)."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from tallystick_contract.canonical import is_day, normalise_text
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import FIELDS, instant, sparse

VERSION = "1.1"
VERSIONS = ("1.0", "1.1")

PAYLOAD_LIMIT = 65_536
"""Most bytes of JSON an event's payload may take (K-025)."""


def _known_instant(text: str) -> str:
    if instant(text) is None:
        raise ValueError("is not an ISO 8601 instant")
    return text


def _bounded(payload: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")) > PAYLOAD_LIMIT:
        raise ValueError(f"is larger than {PAYLOAD_LIMIT} bytes")
    return payload


def _text(raw: Any) -> Any:
    return normalise_text(raw) if isinstance(raw, str) else raw


def _day(text: str) -> str:
    if not is_day(text):
        raise ValueError("is no day of the calendar")
    return text


type Text = Annotated[str, BeforeValidator(_text)]
type Id = Annotated[str, Field(min_length=1, max_length=512)]
type Instant = Annotated[str, AfterValidator(_known_instant)]
type Priority = Annotated[str, Field(pattern=r"^(unset|p[0-9]{1,2})$")]
type Date = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), AfterValidator(_day)]
type EventKind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
type Payload = Annotated[dict[str, Any], AfterValidator(_bounded)]
type Status = Literal["planned", "in-progress", "blocked", "completed", "cancelled"]
type EvidenceStatus = Literal["passed", "failed", "partial", "skipped"]
type DeliveryState = Literal["reported", "artifact-produced", "applied", "recovery-required"]

EVENT_KINDS = (
    "status-change", "field-change", "note", "note-rewritten", "progress", "evidence-attached", "gate-decision",
    "reopen", "rollback", "import", "conflict", "held", "stagnation", "rationale", "created", "deleted", "restored",
)  # fmt: skip
"""The registered event kinds (K-022); any other must start with `x-`."""


def registered(kind: str) -> str:
    """Return the event kind. Raises `ValueError` for one that is neither registered nor one's own."""
    if kind not in EVENT_KINDS and not kind.startswith("x-"):
        raise ValueError(f"kind {kind!r} is not registered; kinds of your own start with x-")
    return kind


class Record(BaseModel):
    """What all canonical records share: frozen, camelCase on the wire, unknown members kept in `extensions`."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="forbid")

    kind_name: ClassVar[str] = ""

    @model_validator(mode="before")
    @classmethod
    def _keep_unknown(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        known = {name for key, info in cls.model_fields.items() for name in (key, info.alias or key)}
        unknown = {key: item for key, item in data.items() if key not in known}
        if not unknown or "extensions" not in cls.model_fields:
            return data
        rest = {key: item for key, item in data.items() if key in known}
        kept = rest.get("extensions", {})
        return {**rest, "extensions": {**unknown, **kept}} if isinstance(kept, Mapping) else rest

    @classmethod
    def parse(cls, data: Mapping[str, Any], where: str = "") -> Self:
        """Build a record from wire data. Raises `Invalid` naming the first member that is wrong."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "document"
            raise Invalid(f"{place}: {first['msg']}", where=where or str(data.get("id", ""))) from error

    def wire(self) -> dict[str, Any]:
        """Return the record as JSON data with camelCase names, every field present."""
        return self.model_dump(mode="json", by_alias=True)

    def sparse(self) -> dict[str, Any]:
        """Return the wire data without `contractVersion`, `id` and the fields at their defaults."""
        wire = self.wire()
        wire.pop("contractVersion", None)
        wire.pop("id", None)
        return sparse(self.kind_name, wire)


class Actor(BaseModel):
    """Who did something (K-024). The type says what kind of identity it is, never how much it may do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["operator", "agent", "engine", "external"]
    id: Id

    @classmethod
    def named(cls, text: str) -> "Actor":
        """Read `type:id`, as the command line writes it. Raises `Invalid`."""
        match = re.fullmatch(r"(operator|agent|engine|external):(.+)", text)
        if match is None:
            raise Invalid(f"{text!r} is not an actor", todo="write operator:NAME, agent:NAME or external:NAME")
        return cls.model_validate({"type": match[1], "id": match[2]})


class DecisionGate(BaseModel):
    """What must be true before a task may be completed (K-050 to K-052)."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="forbid")

    no_auto_close: StrictBool = False
    requires_verification: StrictBool = False
    requires_operator_approval: StrictBool = False


class Criterion(BaseModel):
    """One acceptance criterion and whether it is ticked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[Text, Field(min_length=1)]
    done: StrictBool = False


class CriterionResult(BaseModel):
    """What a check found about one criterion (L-04); members beyond these are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    criterion: str
    status: str
    evidence: str | None = None


class Task(Record):
    """One piece of work."""

    kind_name: ClassVar[str] = "task"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    title: Text | None = None
    description: Text | None = None
    status: Status = "planned"
    priority: Priority = "unset"
    depends_on: tuple[Id, ...] = ()
    owner: Text | None = None
    decision_gate: DecisionGate = DecisionGate()
    acceptance_criteria: tuple[Criterion, ...] = ()
    labels: tuple[Text, ...] = ()
    milestone: Text | None = None
    notes: Text | tuple[Text, ...] | None = None
    files: tuple[Text, ...] = ()
    parent: Id | None = None
    due: Date | None = None
    archived: StrictBool = False
    extensions: dict[str, Any] = Field(default_factory=dict)
    delivery_state: DeliveryState | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.title is None and self.description is None:
            raise ValueError("a task needs a title or a description (K-011)")
        return self

    def sparse(self) -> dict[str, Any]:
        """Return the sparse document; the gate keeps only the flags that are set."""
        doc = super().sparse()
        flags = {name: True for name, on in doc.pop("decisionGate", {}).items() if on}
        return {**doc, "decisionGate": flags} if flags else doc


class Event(Record):
    """Something that happened; events are only ever added."""

    kind_name: ClassVar[str] = "event"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    task_id: Id | None = None
    kind: Annotated[EventKind, AfterValidator(registered)]
    at_iso: Instant
    actor: Actor
    payload: Payload = Field(default_factory=dict)
    extensions: dict[str, Any] = Field(default_factory=dict)


class Evidence(Record):
    """The result of one check."""

    kind_name: ClassVar[str] = "evidence"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    target: Id
    target_type: Text = "task"
    status: EvidenceStatus
    method: Text | None = None
    method_class: Literal["test", "command", "inspect", "other"] = "other"
    timestamp: Instant | None = None
    summary: Text | None = None
    artifacts: tuple[Text, ...] = ()
    criteria_results: tuple[CriterionResult, ...] = ()
    commit: Text | None = None
    extensions: dict[str, Any] = Field(default_factory=dict)


class Intent(Record):
    """A typed request to work on a task (K-030, K-031); unknown types and versions are refused, never guessed."""

    kind_name: ClassVar[str] = "intent"

    contract_version: Literal["1.1"] = "1.1"
    id: Id | None = None
    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9.-]*$")]
    version: Annotated[StrictInt, Field(ge=1)]
    mode: Id
    contract: Id
    task_id: Id | None = None
    payload: Payload = Field(default_factory=dict)


MODELS: Mapping[str, type[Record]] = {"task": Task, "event": Event, "evidence": Evidence}
"""Models of the kinds that spokes exchange, by record kind."""


def validated(kind: str, record_id: str, doc: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sparse document as the contract holds it. Raises `Invalid` naming record and member."""
    if set(doc) - set(FIELDS[kind]):
        stray = sorted(set(doc) - set(FIELDS[kind]))
        raise Invalid(f"{stray[0]}: is not a field of a {kind}", where=record_id)
    defaults = {name: field.default for name, field in FIELDS[kind].items() if field.default is not None}
    return MODELS[kind].parse({**defaults, **doc, "id": record_id}, where=record_id).sparse()

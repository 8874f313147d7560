"""Project memory records: guidance and session summaries, and inbox proposals (M-070 to M-077, K-121); a 1.1 draft."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tallystick_contract.models import Actor, Id, Instant, Record, Text


class Guidance(Record):
    """A rule, decision or fact proposed by anyone and activated only by a person (M-071, M-072)."""

    kind_name: ClassVar[str] = "guidance"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    type: Text
    domain: Text | None = None
    text: Annotated[Text, Field(min_length=1)]
    rationale: Text | None = None
    recall: tuple[Text, ...] = ()
    status: Literal["pending", "approved", "rejected", "archived"] = "pending"
    source: Literal["manual", "agent_proposal", "session_summary_derived"] = "agent_proposal"
    proposed_by: Actor
    proposed_at: Instant
    reviewed_by: Actor | None = None
    reviewed_at: Instant | None = None
    extensions: dict[str, Any] = Field(default_factory=dict)


class Digest(Record):
    """What the ledger saw change during a session (M-075)."""

    kind_name: ClassVar[str] = "digest"

    source: Literal["change_ledger"] = "change_ledger"
    entries_count: Annotated[int, Field(ge=0)]
    by_domain: dict[str, int] = Field(default_factory=dict)
    targets: tuple[Id, ...] = ()
    divergence: bool = False


class SessionSummary(Record):
    """What one session did, in words and as counted by the ledger (M-074)."""

    kind_name: ClassVar[str] = "sessionSummary"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    session_start: Instant
    session_end: Instant
    narrative: Annotated[Text, Field(min_length=1)]
    digest: Digest
    agent: Actor
    extensions: dict[str, Any] = Field(default_factory=dict)


class Proposal(Record):
    """An idea from the inbox with its origin; a person decides whether it becomes a task (K-121 to K-125)."""

    kind_name: ClassVar[str] = "proposal"

    contract_version: Literal["1.1"] = "1.1"
    id: Id
    source: Text
    locator: Text
    content_digest: Text
    captured_at: Instant
    captured_by: Actor
    task_draft: dict[str, Any]
    extensions: dict[str, Any] = Field(default_factory=dict)

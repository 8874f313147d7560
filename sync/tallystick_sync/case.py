"""What the planner is given and what it answers: cases in, decisions out, all of it plain data."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tallystick_contract.adapter import Change, Finding, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Capabilities
from tallystick_sync.policy import Policy

PRESENCE: Final = "presence"
"""The name under which the question is asked whether a record shall exist at all."""

IDENTITY: Final = "id"
"""The name under which the question is asked whether two records are the same one."""


@dataclass(slots=True)
class Copy:
    """A record on one spoke.

    `base` is what spoke and hub last agreed on (None: nothing yet), `seen` what it shows now where that differs
    (None: as the base), `gone` that a complete listing lacks it, `since` the run each open field was first seen in,
    `unreadable` that it is there but quarantined.
    """

    base: Doc | None = None
    seen: Doc | None = None
    native: str = ""
    revision: str = ""
    gone: bool = False
    unreadable: bool = False
    since: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Case:
    """One record to be planned: the hub's document (None: new), whether it was deleted, and every known copy."""

    key: Key
    hub: Doc | None
    copies: dict[str, Copy]
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Spoke:
    """A spoke as the planner sees it: what it can hold, how it would show a document, whether it may be written.

    `complete` is false when its listing may have holes.
    """

    capabilities: Capabilities
    image: Callable[[Key, Doc], Doc]
    writable: bool = True
    complete: bool = True


@dataclass(frozen=True, slots=True)
class World:
    """All that a plan depends on beyond its cases.

    `spokes` are those in this run, `absent` the configured ones that are not. `evidence` and `claims` answer from the
    hub by task id; `namesake` returns the id of a live record with the same text that the spoke does not have;
    `dependencies` returns every live task's; `approved` tells whether a receipt covers completing this document;
    `known` whether the hub holds a record; `repeats` how often a spoke has made this very move before.
    What the `adopting` show is history: they take part for the first time. `yes` takes what is missing as deleted and
    look-alikes as different, instead of asking.
    """

    run: int
    now: str
    spokes: Mapping[str, Spoke]
    policy: Policy = field(default_factory=Policy)
    gate_default: Collection[str] = ()
    evidence: Callable[[str], Mapping[str, Doc]] = lambda _task: {}
    claims: Callable[[str], Collection[str]] = lambda _task: ()
    approved: Callable[[str, Doc], bool] = lambda _task, _doc: False
    namesake: Callable[[str, str, Doc], str | None] = lambda _spoke, _task, _doc: None
    dependencies: Callable[[], Mapping[str, Sequence[str]]] = dict
    known: Callable[[Key], bool] = lambda _key: False
    repeats: Callable[[Key, "Edit"], int] = lambda _key, _edit: 0
    absent: frozenset[str] = frozenset()
    adopting: frozenset[str] = frozenset()
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """One question only a person can answer; `values` holds every value on offer, by where it stands."""

    key: Key
    field: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """A move that a gate, a bad dependency or the mirror rule keeps out of the hub for now."""

    key: Key
    field: str
    value: Any
    spokes: Sequence[str]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class Edit:
    """One accepted change of one hub field, and the spoke that brought it ('' where the hub derived it)."""

    field: str
    before: Any
    after: Any
    spoke: str
    revision: str = ""


@dataclass(slots=True)
class Decision:
    """What shall become of one record.

    `hub` is the document afterwards (None: leave it as it is), `copies` the copies afterwards (None: forget the link),
    `changes` the writes by spoke, `waiting` the spokes that must be tried again next time.
    """

    key: Key
    hub: Doc | None = None
    deleted: bool = False
    copies: dict[str, Copy | None] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    events: dict[Key, Doc] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    gaps: list[tuple[str, str]] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)
    problem: str = ""
    frozen: dict[str, set[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Plan:
    """Every decision of a run, in the order they will be carried out."""

    decisions: list[Decision] = field(default_factory=list)

    def changes(self, spoke: str) -> list[Change]:
        """Return one spoke's writes: tasks before what hangs on them, deletions last."""
        found = [decision.changes[spoke] for decision in self.decisions if spoke in decision.changes]
        return sorted(found, key=lambda change: (change.op == "delete", change.op, _RANK[change.key.kind]))


_RANK: Final = {"task": 0, "evidence": 1, "event": 2}

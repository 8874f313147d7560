"""The adapter port: what the engine asks of a spoke, and the data that crosses.

An adapter satisfies the `Adapter` protocol; there is no base class, so nothing above an adapter can call back down.
One adapter instance serves one run. All times are UTC, all texts normalised (see `canonical`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Capabilities
from tallystick_contract.errors import TallystickError

type SpokeState = Mapping[str, Any]
"""What an adapter remembers between runs: opaque JSON, empty on the first run, saved by the engine."""

type Op = Literal["create", "update", "delete"]


class Key(NamedTuple):
    """Names one record: its kind (`task`, `event`, `evidence`) and its id."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth a person's attention that stops nothing; `code` is a D-number or a word of the adapter."""

    code: str
    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """A record as a spoke shows it now.

    `native` is the spoke's own handle (a path, a row, an issue number); `revision` changes whenever this record's
    own content on the spoke changes, and only then. `image` holds the fields the spoke supports, sparse.
    """

    key: Key
    native: str
    revision: str
    image: Doc


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that is there but cannot be read: named, counted as present, its base left alone."""

    native: str
    reason: str
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Pull:
    """What changed on a spoke since the state it was given.

    `observed` holds every record that is new or differs; `gone` the keys that were listed before and are not now;
    `total` counts the records present, quarantined ones included; `complete` is false when the listing may have
    holes, and then nothing may be concluded from absence. `counts` are figures for `tally doctor`, with `full` only.
    """

    observed: Sequence[Observed] = ()
    gone: Sequence[Key] = ()
    total: int = 0
    complete: bool = True
    quarantined: Sequence[Quarantined] = ()
    findings: Sequence[Finding] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One planned write to one spoke.

    `expect` is the revision the record must still have (None for a create: it must not be there);
    `fields` are the fields to change, each with its new value (default included);
    `image` is the whole image the record shall show afterwards.
    `intended` is when an earlier run set out to do this create and never heard what became of it: the adapter then
    looks whether it was done, by listing, before it does it (again).
    """

    op: Op
    key: Key
    expect: str | None
    fields: Doc
    image: Doc
    native: str = ""
    intended: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change: `shown` is the record as the spoke now shows it (None after a delete), or `error`."""

    key: Key
    shown: Observed | None = None
    error: TallystickError | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """What `tally check` says of a spoke: whether it can be used, and what is missing."""

    ready: bool
    messages: Sequence[str] = field(default=())


class Adapter(Protocol):
    """One spoke. Built by its factory from a name and validated settings; see `AdapterFactory`."""

    def capabilities(self) -> Capabilities:
        """Return what this spoke can hold; the same answer for the whole run."""
        ...

    def scope(self) -> str:
        """Return a text that changes when what is listed changes: path, repository, filters, account."""
        ...

    def check(self) -> Health:
        """Look, without writing, whether the spoke can be used."""
        ...

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List what changed since `state`; with `full`, everything that is there.

        Raises `Broken` when the spoke as a whole cannot be read; nothing may then be concluded about any record.
        """
        ...

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the hub's document as this spoke would show it after a write; pure, a fixpoint of itself."""
        ...

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write the changes, each only if its precondition holds; one outcome per change, in their order.

        One record's failure (`Stale`, `Refused`, `Unsupported`, `Unknown`) is in its outcome and stops no other.
        `Broken` and `Throttled` end the push. Raised, they say that nothing of it was done; once something was, they
        are the outcome of every change that was not tried.
        """
        ...

    def state(self) -> SpokeState:
        """Return what to remember, pulls and pushes of this run included."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a run cost on the wire: requests, those answered `not modified`, bytes both ways, seconds waited."""

    requests: int = 0
    unmodified: int = 0
    received: int = 0
    sent: int = 0
    waited: float = 0.0


@runtime_checkable
class Networked(Protocol):
    """What an adapter may tell besides, whose spoke is a server: what it cost, and how long writes will take."""

    def traffic(self) -> Traffic:
        """Return what this instance has cost so far."""
        ...

    def forecast(self, changes: Sequence[Change]) -> float:
        """Return how many seconds the spoke's budgets will make these writes take."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """A move people made on a spoke that a gate holds: the field, what they set, what stays, and what is missing."""

    key: Key
    field: str
    value: Any
    kept: Any
    missing: Sequence[str]


@runtime_checkable
class Answering(Protocol):
    """What an adapter may do besides, whose spoke people talk on."""

    def answer(self, waiting: Sequence[Waiting]) -> None:
        """Tell people, once for each move that waits here, what is missing. `waiting` is all there are now."""
        ...


class AdapterFactory(Protocol):
    """The object an entry point of group `tallystick.adapters` names."""

    def __call__(self, name: str, settings: Mapping[str, Any], root: str) -> Adapter:
        """Build the spoke `name`. `root` is the folder relative paths start from. Raises `Invalid`."""
        ...

"""The spokes of the machine: what each can hold, what disturbs it, and a log of all that was asked of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tallystick_conformance.reference import Reference
from tallystick_contract.adapter import Adapter, Change, Key, Observed, Outcome, Pull, Quarantined, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Stale
from tests.sync.faults import Killed, Push, Wrapped
from tests.sync.rig import Place

type Trouble = Callable[[Push, Sequence[Change]], Sequence[Outcome]]


class Quick(Reference):
    """The reference spoke, which looks at a record only once as long as nobody touches it."""

    def __init__(self, site: "Site") -> None:
        super().__init__(site.store, gaps=site.gaps, absence=site.absence, kinds=site.kinds)
        self._site = site

    def _observed(self, key: Key) -> Observed:
        record, native = self.store.records[key], self.store.natives.get(key, key.id)
        known = self._site.looked.get(key)
        if known is None or known[0] is not record or known[1].native != native:
            known = self._site.looked[key] = record, super()._observed(key)
        return known[1]


class Tracker(Quick):
    """A spoke that numbers its records itself and makes one more for every create, as issue trackers do."""

    def __init__(self, site: "Site") -> None:
        super().__init__(site)
        self._capabilities = replace(self._capabilities, atomicity="record", deletes=site.deletes)

    def _apply(self, change: Change) -> Outcome:
        natives = self.store.natives
        if change.op == "create":
            self._site.numbers += 1
            if change.key in self.store.records:
                self._site.doubles.append(change.key)
                return Outcome(change.key, self._observed(change.key))
            natives[change.key] = f"#{self._site.numbers}"
        elif natives.get(change.key, change.key.id) != change.native:
            return Outcome(change.key, error=Stale("has moved", where=change.native))
        return super()._apply(change)


@dataclass
class Site(Place):
    """A place with troubles and a log.

    `turns` holds, for every reading since `begin`, the writes that followed with their outcomes (None: no reply).
    `on_push` disturbs the next write, `on_pull` happens before the next reading of a run, `hidden` records are on a
    page that is lost, `nameless` says that what cannot be read does not tell its id either, `backwards` that
    everything is listed the other way round, and `dies` that the process ends before it remembers what it read here.
    `doubles` are the records a tracker came to hold twice, `looked` spares
    looking twice at a record that is still the same object.
    """

    tracker: bool = False
    deletes: bool = True
    audit: Callable[[Sequence[Change]], None] = lambda _changes: None
    turns: list[list[tuple[Change, Outcome | None]]] = field(default_factory=list)
    on_push: Trouble | None = None
    on_pull: Callable[[], None] | None = None
    hidden: set[Key] = field(default_factory=set)
    nameless: bool = False
    backwards: bool = False
    at_work: bool = False
    dies: bool = False
    numbers: int = 0
    doubles: list[Key] = field(default_factory=list)
    looked: dict[Key, tuple[Doc, Observed]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.wrap = lambda inner: Witness(inner, self)

    def adapter(self) -> Reference:
        return Tracker(self) if self.tracker else Quick(self)

    def begin(self) -> None:
        """From here on a run is really at work."""
        self.turns, self.at_work = [], True

    def end(self) -> None:
        """The run is over, and with it what happened while it was reading."""
        self.on_pull, self.at_work = None, False
        self.hidden.clear()

    def mend(self) -> None:
        """Let the spoke work as it should."""
        self.on_push, self.on_pull, self.nameless, self.backwards = None, None, False, False
        self.dies = False
        self.writable, self.store.broken, self.store.complete = True, "", True
        self.store.unreadable.clear()
        self.hidden.clear()

    def written(self) -> list[tuple[Change, Outcome | None]]:
        """Return everything written since `begin`."""
        return [write for turn in self.turns for write in turn]


class Witness(Wrapped):
    """An adapter that notes what is asked of it, and lets the troubles of its site happen."""

    def __init__(self, inner: Adapter, site: Site) -> None:
        super().__init__(inner)
        self._site = site
        self._begun = False

    def state(self) -> SpokeState:
        if self._begun and self._site.dies:
            self._site.dies = False
            raise Killed
        return self._inner.state()

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        site = self._site
        if site.at_work and site.on_pull is not None:
            act, site.on_pull = site.on_pull, None
            act()
        pull = self._inner.pull(state, full=full)
        self._begun = site.at_work
        site.turns.append([])
        return self._disturbed(pull)

    def _disturbed(self, pull: Pull) -> Pull:
        site = self._site
        seen = [item for item in pull.observed if item.key not in site.hidden]
        gone = [*pull.gone, *sorted(site.hidden - set(pull.gone))]
        bad = [Quarantined(item.native, item.reason, None if site.nameless else item.key) for item in pull.quarantined]
        if site.backwards:
            seen, gone, bad = seen[::-1], gone[::-1], bad[::-1]
        return replace(pull, observed=seen, gone=gone, quarantined=bad, complete=pull.complete and not site.hidden)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        site = self._site
        site.audit(changes)
        trouble, site.on_push = site.on_push, None
        answers: Sequence[Outcome | None] = [None] * len(changes)
        try:
            outcomes = self._inner.push(changes) if trouble is None else trouble(self._inner.push, changes)
            answers = outcomes
        finally:
            site.turns[-1] += zip(changes, answers, strict=True)
        return outcomes

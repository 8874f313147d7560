"""The bench: one spoke under test, its adapter built anew for every run, and two hands behind the adapter's back."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest

from tallystick_conformance.faults import FaultPlan, What
from tallystick_conformance.samples import plain
from tallystick_contract.adapter import Adapter, Change, Key, Observed, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Fidelity
from tallystick_contract.errors import TallystickError
from tallystick_contract.fields import FIELDS, same, sparse, value

type Build = Callable[[], Adapter]
type Plant = Callable[[Key, Doc | None], Key | None]
type Peek = Callable[[], Sequence[tuple[Key, Doc]]]
type Spoil = Callable[[Key], object]

HELD = frozenset({Fidelity.NATIVE, Fidelity.ENCODED})
"""The fidelities that promise both directions without loss."""

EACH_KIND = pytest.mark.parametrize("kind", list(FIELDS))
"""Runs a check for every kind of record."""

EACH_FIELD = pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(kind, name, id=f"{kind}.{name}") for kind in FIELDS for name in FIELDS[kind]]
)
"""Runs a check for every field of every kind."""


class Bench:
    """A spoke under test, and what an engine remembers of it.

    `build` returns a new adapter, as each run has one. `plant` puts a record on the spoke behind the adapter's back
    (or takes it away) and returns its key where the spoke chose another; `peek` returns every record as it stands.
    """

    def __init__(
        self, build: Build, plant: Plant, peek: Peek, trouble: FaultPlan | None = None, spoil: Spoil | None = None
    ) -> None:
        self.build, self._plant, self.peek = build, plant, peek
        self._trouble, self._spoil = trouble, spoil
        self.state: SpokeState = {}
        self.inapplicable = ""
        self._opened: list[Adapter] = []
        self.adapter = self.open()
        self.capabilities = self.adapter.capabilities()

    # Runs

    def open(self) -> Adapter:
        """Return a new adapter, closed when the test ends."""
        adapter = self.build()
        self._opened.append(adapter)
        return adapter

    def close(self) -> None:
        """Close every adapter that was opened."""
        for adapter in self._opened:
            adapter.close()

    @contextmanager
    def run(self) -> Iterator[Adapter]:
        """Work with a new adapter as one run does, and keep its state for the next one."""
        adapter = self.build()
        try:
            yield adapter
            self.state = as_json(adapter.state())
        finally:
            adapter.close()

    def pull(self, *, full: bool = False) -> Pull:
        """Return what one run that only reads would be told."""
        with self.run() as adapter:
            return adapter.pull(self.state, full=full)

    def push(self, *changes: Change) -> list[Outcome]:
        """Return what becomes of these changes in one run."""
        with self.run() as adapter:
            adapter.pull(self.state)
            return list(adapter.push(changes))

    def write(self, change: Change) -> Observed:
        """Carry out one change that must succeed, and return what the spoke then shows."""
        (outcome,) = self.push(change)
        assert outcome.error is None, f"the write was not done: {outcome.error}"
        assert outcome.shown is not None, "the write was done, but its outcome shows nothing"
        return outcome.shown

    def listed(self) -> dict[Key, Observed]:
        """Return everything the spoke shows to a run that knows nothing of it."""
        adapter = self.open()
        pull = adapter.pull({}, full=True)
        assert list(pull.quarantined) == [], f"good records were quarantined: {pull.quarantined}"
        found = {seen.key: seen for seen in pull.observed}
        assert len(found) == len(pull.observed), "a record was listed twice"
        return found

    # Behind the adapter's back

    def plant(self, key: Key, doc: Doc | None) -> Key:
        """Put a record on the spoke behind the adapter's back, or take it away; returns its key there."""
        try:
            return self._plant(key, doc) or key
        except TallystickError as error:
            if self.capabilities.takes(key.kind):
                raise
            self.skip(f"a record of kind {key.kind} cannot be planted: {error.what}")

    def there(self, key: Key) -> Doc | None:
        """Return a record as it really stands on the spoke, None where it does not; it must not stand there twice."""
        found = [doc for there, doc in self.peek() if there == key]
        assert len(found) <= 1, f"{key.kind} {key.id} stands there {len(found)} times"
        return sparse(key.kind, found[0]) if found else None

    def everything(self) -> dict[Key, Doc]:
        """Return every record as it really stands on the spoke; none may stand there twice."""
        found = self.peek()
        keys = [key for key, _ in found]
        assert len(keys) == len(set(keys)), "a record stands there twice"
        return {key: sparse(key.kind, doc) for key, doc in found}

    # Records and changes

    def plain(self, kind: str, number: int = 1, /, **fields: Any) -> tuple[Key, Doc]:
        """Return an ordinary record's key and as much of its document as the spoke declares it holds."""
        key, doc = plain(kind, number)
        return key, self.fit(kind, {**doc, **fields})

    def fit(self, kind: str, doc: Doc) -> Doc:
        """Return what of a document the spoke declares it holds both ways."""
        return sparse(kind, {name: item for name, item in doc.items() if self.holds(kind, name)})

    def settled(self, kind: str = "task", number: int = 1, /, **fields: Any) -> Observed:
        """Plant an ordinary record, let a run read it, and return it as it was shown."""
        key, doc = self.plain(kind, number, **fields)
        key = self.plant(key, doc)
        with self.run() as adapter:
            found = {seen.key: seen for seen in adapter.pull(self.state, full=True).observed}
        assert key in found, f"{key.kind} {key.id} is on the spoke, and was not listed"
        return found[key]

    @property
    def word(self) -> str:
        """Return the text field that ordinary edits are made in."""
        return next(name for name in ("description", "title") if self.holds("task", name))

    def holds(self, kind: str, name: str) -> bool:
        """Tell whether the spoke declares that it holds a field both ways."""
        mapped = self.capabilities.fields.get(kind, {}).get(name)
        return mapped is not None and mapped.fidelity in HELD

    def edit(self, seen: Observed, **fields: Any) -> None:
        """Let somebody change fields of a record on the spoke."""
        self.plant(seen.key, self.fit(seen.key.kind, {**seen.image, **fields}))

    def reword(self, seen: Observed, text: str) -> None:
        """Let somebody change the text of a task on the spoke."""
        self.edit(seen, **{self.word: text})

    def rewording(self, seen: Observed, text: str) -> Change:
        """Return the change that sets the text of a task as it was last shown."""
        return self.update(seen, **{self.word: text})

    def text_there(self, key: Key) -> str | None:
        """Return the text of a task as it really stands on the spoke, None where there is no such task."""
        found = self.there(key)
        return None if found is None else value("task", found, self.word)

    def differences(self, kind: str, left: Doc, right: Doc) -> list[str]:
        """Return the fields held both ways in which two documents differ."""
        return [
            f"{name}: {value(kind, left, name)!r} and {value(kind, right, name)!r}"
            for name, field in FIELDS[kind].items()
            if self.holds(kind, name) and not same(field, value(kind, left, name), value(kind, right, name))
        ]

    def creation(self, key: Key, doc: Doc) -> Change:
        """Return the change that creates a record, as the engine plans it."""
        image = self.adapter.image(key, doc)
        return Change("create", key, None, image, image)

    def update(self, seen: Observed, **fields: Any) -> Change:
        """Return the change that sets fields of a record as it was last shown."""
        image = sparse(seen.key.kind, {**seen.image, **fields})
        return Change("update", seen.key, seen.revision, fields, image, seen.native)

    @staticmethod
    def deletion(seen: Observed) -> Change:
        """Return the change that deletes a record as it was last shown."""
        return Change("delete", seen.key, seen.revision, {}, {}, seen.native)

    # What applies

    def skip(self, reason: str) -> NoReturn:
        """End the running check because it does not apply to what the spoke declares."""
        self.inapplicable = reason
        pytest.skip(reason)

    def needs_kind(self, kind: str, *, written: bool = False) -> None:
        """Go on only where records of this kind are held, and where asked, may be written."""
        if not self.capabilities.holds(kind):
            self.skip(f"declares no records of kind {kind}")
        if written and not self.capabilities.takes(kind):
            self.skip(f"declares records of kind {kind} read-only")

    def needs_field(self, kind: str, *names: str, written: bool = False) -> None:
        """Go on only where these fields are held both ways."""
        self.needs_kind(kind, written=written)
        for name in names:
            if not self.holds(kind, name):
                mapped = self.capabilities.fields[kind].get(name)
                self.skip(f"declares {kind}.{name} {mapped.fidelity if mapped else 'nowhere'}")

    def needs_tasks(self) -> None:
        """Go on only where tasks may be written."""
        self.needs_kind("task", written=True)

    def needs_deletion(self) -> None:
        """Go on only where records can be deleted."""
        self.needs_kind("task", written=True)
        if not self.capabilities.deletes:
            self.skip("declares that it deletes nothing")

    def spoiled(self, kind: str = "task", number: int = 1, /) -> Observed:
        """Let a record be read and then become unreadable, and return it as it was; needs the fixture `spoil`."""
        if self._spoil is None:
            self.skip("no fixture `spoil`: nothing makes a record unreadable")
        seen = self.settled(kind, number)
        self._spoil(seen.key)
        return seen

    def trouble(self, *whats: What) -> FaultPlan:
        """Return the fault plan of the author's backend; go on only where there is one that can do this."""
        if self._trouble is None:
            self.skip("no fixture `trouble`: the spoke has no fake backend that takes a fault plan")
        for what in whats:
            if what not in self._trouble.can:
                self.skip(f"the fake backend cannot do this: {what}")
        return self._trouble


def as_json(state: SpokeState) -> SpokeState:
    """Return the state as it comes back from the ledger, which keeps it as JSON."""
    found: SpokeState = json.loads(json.dumps(state, allow_nan=False))
    return found


def tuples_as_lists(state: Any) -> Any:
    """Return a state as JSON spells it: a tuple is a list there, and everything else must be what it is."""
    if isinstance(state, Mapping):
        return {name: tuples_as_lists(item) for name, item in state.items()}
    return [tuples_as_lists(item) for item in state] if isinstance(state, list | tuple) else state

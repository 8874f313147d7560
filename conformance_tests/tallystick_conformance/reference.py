"""The reference adapter: a spoke in memory, the executable specification of the port."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tallystick_contract.adapter import Change, Health, Key, Observed, Outcome, Pull, Quarantined, SpokeState
from tallystick_contract.canonical import Doc, canonical_json, digest, normalise
from tallystick_contract.capabilities import Capabilities, Fidelity, Mapped
from tallystick_contract.errors import Broken, Refused, Stale
from tallystick_contract.fields import DERIVED, FIELDS, arranged, sparse


@dataclass
class Store:
    """What outlives a run: the records, as a file or a server would hold them; `scope` names it.

    `natives` holds the handles of records that have one other than their id; giving a record another is moving it.
    """

    scope: str = "memory"
    records: dict[Key, dict[str, Any]] = field(default_factory=dict)
    natives: dict[Key, str] = field(default_factory=dict)
    broken: str = ""
    complete: bool = True
    unreadable: set[Key] = field(default_factory=set)


class Reference:
    """A spoke that holds every field but those named in `gaps`, and refuses every write whose revision has passed."""

    def __init__(
        self,
        store: Store,
        *,
        gaps: Collection[str] = (),
        absence: Literal["ask", "delete"] = "delete",
        kinds: Collection[str] = ("task", "evidence", "event"),
    ) -> None:
        self.store = store
        self._known: dict[Key, str] = {}
        self._fields = {
            kind: {
                name: Mapped(Fidelity.UNSUPPORTED if f"{kind}.{name}" in gaps else _fidelity(kind, name), name)
                for name in FIELDS[kind]
            }
            for kind in kinds
        }
        self._capabilities = Capabilities(self._fields, absence=absence, atomicity="batch", revisions="checked")

    def capabilities(self) -> Capabilities:
        """Return what this spoke can hold."""
        return self._capabilities

    def scope(self) -> str:
        """Return the store's name."""
        return self.store.scope

    def check(self) -> Health:
        """Tell whether the store can be read."""
        return Health(not self.store.broken, (self.store.broken,) if self.store.broken else ())

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List what differs from `state`, or everything."""
        if self.store.broken:
            raise Broken(self.store.broken, where=self.store.scope)
        known = {Key(*name.split("/", 1)): mark for name, mark in state.get("marks", {}).items()}
        now = {key: self._observed(key) for key in self.store.records if key not in self.store.unreadable}
        hidden = {key: known.get(key, "") for key in self.store.unreadable}
        self._known = hidden | {key: _mark(seen) for key, seen in now.items()}
        changed = [seen for key, seen in sorted(now.items()) if full or known.get(key) != _mark(seen)]
        gone = [key for key in sorted(known) if key not in self.store.records]
        bad = [Quarantined(self._native(key), "cannot be read", key) for key in sorted(self.store.unreadable)]
        return Pull(changed, gone, len(self.store.records), self.store.complete, bad)

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the fields this spoke holds."""
        shown = self._capabilities.shown(key.kind)
        image: Doc = normalise({name: item for name, item in doc.items() if name in shown})
        return image

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write each change whose precondition holds."""
        return [self._apply(change) for change in changes]

    def _apply(self, change: Change) -> Outcome:
        if change.key in self.store.unreadable:
            return Outcome(change.key, error=Refused("cannot be read", where=change.key.id))
        record = self.store.records.get(change.key)
        revision = None if record is None else self._observed(change.key).revision
        if change.op == "create" and record is not None and sparse(change.key.kind, record) == change.image:
            return Outcome(change.key, self._observed(change.key))
        if change.expect != revision:
            return Outcome(change.key, error=Stale("is not what it was", where=change.key.id))
        if change.op == "delete":
            del self.store.records[change.key]
            self._known.pop(change.key, None)
            return Outcome(change.key)
        self.store.records[change.key] = {**(record or {}), **arranged(change.key.kind, change.fields, record or {})}
        shown = self._observed(change.key)
        self._known[change.key] = _mark(shown)
        return Outcome(change.key, shown)

    def _observed(self, key: Key) -> Observed:
        image = sparse(key.kind, normalise(self.store.records[key]))
        return Observed(key, self._native(key), digest(canonical_json(image)), image)

    def _native(self, key: Key) -> str:
        return self.store.natives.get(key, key.id)

    def state(self) -> SpokeState:
        """Return where everything listed or written is, and its revision."""
        return {"marks": {f"{key.kind}/{key.id}": mark for key, mark in self._known.items()}}

    def close(self) -> None:
        """Nothing to release."""


def _mark(seen: Observed) -> str:
    return f"{seen.revision} {seen.native}"


def _fidelity(kind: str, name: str) -> Fidelity:
    return Fidelity.DERIVED if name in DERIVED[kind] else Fidelity.NATIVE

"""A project whose first spoke is of the kind under test; every command opens it anew, as a process of its own would."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

from tallystick_contract.adapter import Adapter, Change, Key, Outcome
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse
from tallystick_contract.models import Actor
from tallystick_sync import run, writes
from tallystick_sync.edits import Editor
from tallystick_sync.guards import Consent
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.history import Stamp, forget
from tallystick_sync.policy import Policy
from tallystick_sync.report import Report
from tallystick_sync.survey import Engine, Member
from tests.proof.places import PLACES, Place

NOW: Final = "2025-01-01T00:00:00Z"
"""The time is always the same, so that what a crash delays is still equal in the end."""

GROUP: Final = 2
"""So few records go into one group that scenarios of a handful of records cross groups."""

_PEOPLE: Final = Actor(type="operator", id="ana")
_KINDS: Final = {"E": "evidence", "V": "event"}


def key_of(ident: str) -> Key:
    """Return the record of an id: E-1 is evidence, V-1 an event, everything else a task."""
    return Key(_KINDS.get(ident[0], "task"), ident)


class Project:
    """A folder with a ledger and its spokes: `x` and `z` of the kind under test, others are reference spokes.

    `members` are the spokes that are configured, `closed` those of them that are not written to; `policy` and `gates`
    are the project's own, as in its configuration. `between` happens
    once, after a run has read the spokes and before it first writes to one; `meddling` tells that it happens just now.
    `watch` sees every adapter before a run does. `disturbed` tells that a command may have been done already, in part
    or whole, though nobody was told.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.places: dict[str, Place] = {
            name: PLACES[kind if name in "xz" else "reference"](name, folder) for name in "wxyz"
        }
        self.members = ["x", "y"]
        self.closed: set[str] = set()
        self.policy, self.gates = Policy(), tuple[str, ...]()
        self.between: Callable[[Project], object] | None = None
        self.watch: Callable[[str, Adapter], None] = lambda _name, _adapter: None
        self.disturbed = self.meddling = False

    @property
    def path(self) -> Path:
        """Return the ledger's file."""
        return self.folder / "ledger.db"

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """Hold the ledger open."""
        with closing(Ledger.open(self.path)) as ledger:
            yield ledger

    def sync(self, *only: str, yes: bool = False) -> Report:
        """Do one run."""
        adapters = {name: self.places[name].adapter() for name in self.members}
        try:
            for name, adapter in adapters.items():
                self._meddle_before_push(adapter)
                self.watch(name, adapter)
            with self.ledger() as ledger, mock.patch.object(writes, "GROUP", GROUP):
                members = [Member(name, adapter, name not in self.closed) for name, adapter in adapters.items()]
                options = run.Options(consent=Consent(99, 99), only=frozenset(only), yes=yes)
                engine = Engine(ledger, members, lambda: NOW, self.policy, self.gates)
                return run.sync(engine, options)
        finally:
            for adapter in adapters.values():
                adapter.close()

    def _meddle_before_push(self, adapter: Adapter) -> None:
        if self.between is not None and not self._meddled.exists():
            push = adapter.push

            def meddled(changes: Sequence[Change]) -> Sequence[Outcome]:
                self.meddle()
                return push(changes)

            adapter.push = meddled  # type: ignore[method-assign]

    @property
    def _meddled(self) -> Path:
        return self.folder / "meddled"

    def meddle(self) -> None:
        """Let happen what happens between reading and writing, if it has not yet."""
        if self.between is not None and not self._meddled.exists():
            self.meddling = True
            self.between(self)
            self._meddled.touch()
            self.meddling = False

    @contextmanager
    def editor(self) -> Iterator[Editor]:
        """Open the hub for the edits of one command."""
        with self.ledger() as ledger, Editor(ledger, _PEOPLE, "edit", NOW, self.gates) as editor:
            yield editor

    def adopt(self, spoke: str | None = None) -> None:
        """Forget what was agreed, as `tally adopt` does."""
        with self.ledger() as ledger, ledger.locked():
            number = ledger.start_run("adopt", NOW)
            forget(ledger, Stamp(number, NOW), spoke, gated=bool(self.gates))
            ledger.finish_run(number, NOW, {})

    def put(self, spoke: str, ident: str, **fields: Any) -> None:
        """Let a person change fields of a record on a spoke, or write it there."""
        place, key = self.places[spoke], key_of(ident)
        shown = dict(place.peek()).get(key, {})
        place.plant(key, sparse(key.kind, {**shown, **fields}))

    def drop(self, spoke: str, *idents: str) -> None:
        """Let a person delete records on a spoke."""
        for ident in idents:
            self.places[spoke].plant(key_of(ident), None)

    def records(self, ledger: Ledger) -> dict[Key, Doc]:
        """Return the hub's live records."""
        rows = ledger.db.execute("SELECT kind, id, doc FROM records WHERE deleted IS NULL")
        return {Key(kind, ident): json.loads(doc) for kind, ident, doc in rows}

    def shown_fields(self, kind: str) -> dict[str, Collection[str]]:
        """Return, spoke by spoke, which fields of a kind it shows; spokes that do not take the kind are left out."""
        found: dict[str, Collection[str]] = {}
        for name in self.members:
            with closing(self.places[name].adapter()) as adapter:
                can = adapter.capabilities()
                if can.takes(kind):
                    found[name] = can.shown(kind)
        return found

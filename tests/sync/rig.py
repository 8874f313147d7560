"""A project of reference spokes in memory with a ledger on disk, driven run by run."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, Merge, sparse
from tallystick_contract.models import Actor
from tallystick_sync.answers import resolve
from tallystick_sync.edits import Editor
from tallystick_sync.guards import Consent
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.history import Stamp, forget, replay_differences
from tallystick_sync.policy import Policy
from tallystick_sync.report import Report
from tallystick_sync.run import Options, sync
from tallystick_sync.summary import conflicts, held
from tallystick_sync.survey import Engine, Member

START = datetime(2025, 1, 1)  # noqa: DTZ001 -- the zone is written by hand, as Z
OPERATOR = Actor(type="operator", id="ana")


@dataclass
class Place:
    """One spoke of the project: its store, and how its adapter is built anew for every run."""

    store: Store
    gaps: Collection[str] = ()
    absence: Literal["ask", "delete"] = "delete"
    kinds: Collection[str] = ("task", "evidence", "event")
    writable: bool = True
    wrap: Callable[[Reference], Adapter] = field(default=lambda adapter: adapter)

    def adapter(self) -> Reference:
        """Build the spoke's adapter as the reference makes it, without the wrapper."""
        return Reference(self.store, gaps=self.gaps, absence=self.absence, kinds=self.kinds)


class Rig:
    """Spokes, a ledger, and a clock that moves on by a second every time it is asked."""

    def __init__(self, folder: Path, names: str, *, policy: Policy | None = None, gates: Sequence[str] = ()) -> None:
        self.folder = folder
        self.places = {name: Place(Store(scope=name)) for name in names.split()}
        self.policy = policy or Policy()
        self.gates = gates
        self.ledger = Ledger.open(self.path)
        self._seconds = 0
        self.pauses: list[float] = []

    @property
    def path(self) -> Path:
        """Return the ledger's file."""
        return self.folder / "ledger.db"

    def join(self, name: str) -> None:
        """Configure one more spoke, empty."""
        self.places[name] = Place(Store(scope=name))

    def reopen(self) -> None:
        """Begin as a new process would."""
        self.ledger.close()
        self.ledger = Ledger.open(self.path)

    def now(self) -> str:
        """Return the next instant."""
        self._seconds += 1
        return f"{(START + timedelta(seconds=self._seconds)).isoformat()}Z"

    def skew(self, seconds: int) -> None:
        """Let the clock jump."""
        self._seconds += seconds

    def engine(self, order: Sequence[str] | None = None) -> Engine:
        """Return what a run works with; spokes in the given order."""
        places = {name: self.places[name] for name in order or self.places}
        members = [Member(name, place.wrap(place.adapter()), place.writable) for name, place in places.items()]
        return Engine(self.ledger, members, self.now, self.policy, self.gates)

    def sync(
        self, *only: str, deletions: int = 0, changes: int = 0, order: Sequence[str] | None = None, **options: Any
    ) -> Report:
        """Do one run."""
        consent = Consent(deletions, changes)
        return sync(
            self.engine(order), Options(consent=consent, only=frozenset(only), pause=self.pauses.append, **options)
        )

    def put(self, spoke: str, ident: str, of: str = "task", /, **fields: Any) -> None:
        """Edit a record on a spoke as a person would; a field set to its default goes away."""
        records = self.places[spoke].store.records
        key = Key(of, ident)
        records[key] = sparse(of, {**records.get(key, {}), **fields})

    def drop(self, spoke: str, *idents: str, kind: str = "task") -> None:
        """Delete records on a spoke."""
        for ident in idents:
            del self.places[spoke].store.records[Key(kind, ident)]

    def shown(self, spoke: str, ident: str, kind: str = "task") -> dict[str, Any] | None:
        """Return a record as a spoke shows it, None where it does not."""
        record = self.places[spoke].store.records.get(Key(kind, ident))
        return None if record is None else sparse(kind, record)

    def everywhere(self, ident: str, name: str, kind: str = "task") -> list[Any]:
        """Return one field's value in the hub and on every spoke; `missing` where there is no record.

        Sets come sorted: every spoke keeps an order of its own.
        """
        docs = [self.hub(ident, kind), *(self.shown(spoke, ident, kind) for spoke in self.places)]
        values = ["missing" if doc is None else doc.get(name) for doc in docs]
        is_set = FIELDS[kind][name].merge is Merge.SET
        return [sorted(item) if is_set and isinstance(item, list) else item for item in values]

    def hub(self, ident: str, kind: str = "task") -> dict[str, Any] | None:
        """Return the hub's live record."""
        found = self.records(kind).get(ident)
        return None if found is None else dict(found)

    def records(self, kind: str = "task") -> Mapping[str, Doc]:
        """Return every live record of a kind by id."""
        query = "SELECT id, doc FROM records WHERE kind = ? AND deleted IS NULL"
        return {ident: _loads(doc) for ident, doc in self.ledger.db.execute(query, (kind,))}

    @contextmanager
    def editor(self) -> Iterator[Editor]:
        """Open the hub for edits by a person."""
        with Editor(self.ledger, OPERATOR, "edit", self.now(), self.gates) as editor:
            yield editor

    def answer(self, ident: str, field: str, **how: Any) -> None:
        """Settle one open question about a task."""
        with self.editor() as editor:
            resolve(editor, Key("task", ident), field, **how)

    def adopt(self, spoke: str | None = None) -> None:
        """Forget what was agreed, as `tally adopt` does."""
        run = self.ledger.start_run("adopt", self.now())
        forget(self.ledger, Stamp(run, self.now()), spoke)
        self.ledger.finish_run(run, self.now(), {})

    def asked(self) -> set[tuple[str, str]]:
        """Return id and field of every open conflict."""
        return {(item["id"], item["field"]) for item in conflicts(self.engine())}

    def waiting(self) -> set[tuple[str, str]]:
        """Return id and field of every held move."""
        return {(item["id"], item["field"]) for item in held(self.engine())}

    def dirty(self) -> set[str]:
        """Return the ids some spoke waits for."""
        return {row[0] for row in self.ledger.db.execute("SELECT id FROM records WHERE dirty = 1")}

    def disagreements(self) -> list[str]:
        """Return where a spoke shows something else than the hub, open questions and held moves apart."""
        quiet = self.asked() | self.waiting()
        found = []
        for spoke, place in self.places.items():
            adapter = place.adapter()
            for kind in place.kinds:
                docs = self.records(kind)
                there = {key.id for key in place.store.records if key.kind == kind}
                unsettled = {ident for ident, name in quiet if name in {"presence", "id"}}
                found += [f"{spoke} {kind} {ident}: only on one side" for ident in (there ^ set(docs)) - unsettled]
                for ident in there & set(docs):
                    key = Key(kind, ident)
                    wanted, shown = adapter.image(key, docs[ident]), sparse(kind, place.store.records[key])
                    found += [
                        f"{spoke} {kind} {ident}.{name}: {shown.get(name)!r}, hub {wanted.get(name)!r}"
                        for name in sorted(set(wanted) | set(shown))
                        if not _alike(wanted.get(name), shown.get(name)) and (ident, name) not in quiet
                    ]
        return found

    def check_rest(self) -> None:
        """Hold the project to its promise: in step, nothing more to write, and the journal leads to the same hub."""
        again = self.sync()
        assert again.writes == 0, again.data()
        assert again.accepted == 0, again.data()
        assert self.disagreements() == []
        assert replay_differences(self.ledger) == []
        assert self.ledger.db.execute("SELECT count(*) FROM intents").fetchone() == (0,)


def _loads(text: str) -> Doc:
    doc: Doc = json.loads(text)
    return doc


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list) and all(isinstance(item, str) for item in left + right):
        return sorted(left) == sorted(right)
    return bool(left == right)

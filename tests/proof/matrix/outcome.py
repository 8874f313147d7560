"""How a project stands when all is said and done, and what must be true of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, instant, same, value
from tallystick_sync.ledger.history import replay_differences
from tallystick_sync.summary import conflicts, held
from tallystick_sync.survey import Engine
from tests.proof.matrix.project import NOW, Project, key_of
from tests.proof.matrix.scenario import Scenario


@dataclass(frozen=True)
class Outcome:
    """Hub, spokes as seen behind their adapters' backs, open questions, held moves, and records still waited for."""

    hub: Mapping[Key, Doc]
    deleted: frozenset[Key]
    spokes: Mapping[str, list[tuple[Key, Doc]]]
    asks: Mapping[tuple[str, str], Mapping[str, Any]]
    holds: Mapping[tuple[str, str], Any]
    waits: frozenset[Key]

    @classmethod
    def of(cls, project: Project) -> "Outcome":
        """Look at a project. Raises `AssertionError` for a ledger that contradicts itself."""
        with project.ledger() as ledger:
            assert replay_differences(ledger) == [], "the journal leads to another hub"
            left = ledger.db.execute("SELECT spoke, kind, id FROM intents").fetchall()
            assert left == [], f"intents are left: {left}"
            engine = Engine(ledger, (), lambda: NOW)
            dead = ledger.db.execute("SELECT kind, id FROM records WHERE deleted IS NOT NULL")
            waits = ledger.db.execute("SELECT kind, id FROM records WHERE dirty = 1")
            return cls(
                project.records(ledger),
                frozenset(Key(*row) for row in dead),
                {name: sorted(project.places[name].peek(), key=lambda one: one[0]) for name in project.members},
                {(item["id"], item["field"]): item["values"] for item in conflicts(engine)},
                {(item["id"], item["field"]): item["value"] for item in held(engine)},
                frozenset(Key(*row) for row in waits),
            )

    def check(self, scenario: Scenario, project: Project) -> None:
        """Hold the outcome to what the scenario says in its own words. Raises `AssertionError`."""
        assert self.asks == dict(scenario.asks), f"open questions: {self.asks}"
        assert self.holds == dict(scenario.holds), f"held moves: {self.holds}"
        for name, shown in self.spokes.items():
            keys = [key for key, _ in shown]
            assert len(keys) == len(set(keys)), f"{name} shows a record twice: {keys}"
        for ident, wanted in scenario.ends.items():
            self._check_record(key_of(ident), wanted, project)
        for ident, wanted_events in scenario.tells.items():
            self._check_events(ident, wanted_events)
        for name, records in scenario.shows.items():
            for ident, kept in records.items():
                found = self.hub.get(key_of(ident)) if name == "hub" else dict(self.spokes[name]).get(key_of(ident))
                assert (found is None) == (kept is None), f"{name} {ident}: {found}"
                for field, item in (kept or {}).items():
                    assert value(key_of(ident).kind, found or {}, field) == item, f"{name} {ident}.{field}: {found}"

    def _check_events(self, ident: str, wanted: Sequence[Doc]) -> None:
        """Hold the events of a task's moves to what is told of them; every one is an instant and has a place."""
        found = [doc for key, doc in self.hub.items() if key.kind == "event" and doc.get("taskId") == ident]
        moves = [doc for doc in found if "after" in value("event", doc, "payload")]
        assert all(instant(doc["atIso"]) for doc in moves), f"{ident} was moved, nobody knows when"
        told = [{name: doc[name] for name in ("kind", "payload", "actor")} for doc in moves]
        assert sorted(map(repr, told)) == sorted(map(repr, wanted)), f"{ident}: {told}"

    def _check_record(self, key: Key, wanted: Doc | None, project: Project) -> None:
        shows = {name: dict(found).get(key) for name, found in self.spokes.items()}
        if wanted is None:
            assert key not in self.hub, f"the hub still holds {key.id}"
            assert not [name for name, doc in shows.items() if doc is not None], f"{key.id} is still shown: {shows}"
            return
        places: dict[str, tuple[Doc | None, Collection[str]]] = {"hub": (self.hub.get(key), FIELDS[key.kind].keys())}
        places |= {
            name: (shows[name], shown)
            for name, shown in project.shown_fields(key.kind).items()
            if self.asks.get((key.id, "presence"), {}).get(name) != "gone"
        }
        for place, (doc, shown) in places.items():
            assert doc is not None, f"{key.id} is not in {place}"
            for field, item in wanted.items():
                if field in shown and (place == "hub" or (key.id, field) not in {*self.asks, *self.holds}):
                    found = value(key.kind, doc, field)
                    assert same(FIELDS[key.kind][field], found, item), f"{place} {key.id}.{field}: {found!r}"

    def differences(self, other: "Outcome") -> list[str]:
        """Return in words where the other one is not the same."""
        return [
            f"{field.name}: {getattr(self, field.name)!r} became {getattr(other, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(other, field.name)
        ]

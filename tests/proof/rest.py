"""Rest: when everything works and nobody does anything more, everything is in step, and no word is lost."""

from collections.abc import Iterator
from typing import Any

from hypothesis.stateful import precondition, rule

from tallystick_contract.adapter import Key
from tallystick_contract.fields import FIELDS, Merge, same, value
from tallystick_contract.gates import delivery_state, missing
from tallystick_sync.report import Report
from tests.proof.expectation import distinct
from tests.proof.snapshot import Snapshot, differences, take
from tests.proof.vocabulary import tokens
from tests.proof.weather import Weather


class Rest(Weather):
    """The world comes to rest now and then."""

    @precondition(lambda self: not self.at_rest)
    @rule()
    def rest(self) -> None:
        """Mend everything, let it settle, and look."""
        for site in self.sites.values():
            site.mend()
        self.mend_nonsense()
        for _ in range(5):
            before, report = take(self.rig), self.reported()
            if not report.writes and not report.problems and take(self.rig) == before:
                break
        else:
            raise AssertionError(f"it does not come to rest: {report.data()}")
        self.check_quiet()
        now = take(self.rig)
        for check in (check_in_step, check_questions, check_derived):
            check(self, now)
        self.check_words(now)
        self.at_rest = True

    def reported(self) -> Report:
        """Do a run that nothing may stop."""
        report = self.carry_out()
        assert isinstance(report, Report), f"the run ended with {report}"
        return report

    def check_quiet(self) -> None:
        """One run more reads nothing new, writes nothing, changes nothing, and waits for nothing."""
        before = take(self.rig)
        report = self.reported()
        assert (report.writes, report.accepted, report.amended, report.replayed) == (0, 0, 0, 0), report.data()
        assert sum(spoke.read for spoke in report.spokes.values()) == 0, report.data()
        assert not (moved := differences(before, take(self.rig))), moved
        doubted = {said["hub"] for (_, name), said in before.conflicts.items() if name == "id"}
        assert self.rig.dirty() <= doubted, f"{self.rig.dirty()} is still due somewhere"
        assert self.rig.ledger.db.execute("SELECT count(*) FROM intents").fetchone() == (0,)

    def check_words(self, now: Snapshot) -> None:
        """Every word is in the hub, in an open question, or was replaced by somebody who had seen it."""
        places = now.conflicts.keys() | now.held.keys()
        for key, live in self.live.items():
            found = tokens(key.kind, now.docs.get(key, {}))
            for (other, name), said in now.conflicts.items():
                if other == key and name not in ("presence", "id"):
                    found = found.union(*(tokens(key.kind, {name: item}) for item in said.values()))
            for (other, name), moves in now.held.items():
                if other == key:
                    found = found.union(*(tokens(key.kind, {name: item}) for item, _ in moves))
            if {(key, "presence"), (key, "id")} & places:
                there = (now.buried, *now.shown.values())  # a tombstone keeps every word as long as it is asked about
                found = found.union(*(tokens(key.kind, docs.get(key, {})) for docs in there))
            lost = {token for token in live - found if not self.given_up(key, token[0])}
            assert not lost, f"{key.id}: {sorted(lost)} is nowhere"
            self.live[key] = live & found
        unsettled = {key for key, _ in places}
        self.unseen = {key: names for key, names in self.unseen.items() if key in unsettled}
        self.writers = {place: who for place, who in self.writers.items() if place[0] in unsettled}
        self.vanished = {key for key in self.vanished if (key, "presence") in places}

    def given_up(self, key: Key, name: str) -> bool:
        """Tell whether a word may be gone: deleted unseen, or outdone where the rule is not to ask."""
        asks = key.kind != "event" and self.rig.policy.preset == "team" and name not in self.rig.policy.fields
        return name in self.unseen.get(key, ()) or (not asks and len(self.writers.get((key, name), ())) > 1)

    def settle_down(self) -> None:
        """Begin from rest, with spokes that work as they should."""
        if not self.at_rest:
            self.rest()
        for site in self.sites.values():
            site.mend()


def open_places(now: Snapshot) -> set[tuple[Key, str]]:
    """Return the fields about which somebody is asked or waits."""
    return now.conflicts.keys() | now.held.keys()


def check_in_step(machine: Rest, now: Snapshot) -> None:
    """Every spoke shows the hub, but for what is asked or held with the very value it shows."""
    found = []
    for spoke, site in machine.sites.items():
        adapter = site.adapter()
        for key in now.docs.keys() | now.shown[spoke].keys():
            if (
                not adapter.capabilities().holds(key.kind)
                or (key, "presence") in now.conflicts
                or (key, "id") in now.conflicts
            ):
                continue
            if key not in now.docs or key not in now.shown[spoke]:
                kept = key in now.buried and not site.deletes
                found += [] if kept or _twin(now, key) else [f"{spoke} {key.id}: only on one side"]
                continue
            wanted, shown = adapter.image(key, now.docs[key]), now.shown[spoke][key]
            assert adapter.image(key, wanted) == wanted, "an image is not its own image"
            for name in wanted.keys() | shown.keys():
                item = value(key.kind, shown, name)
                excused = _is_said(now, key, name, spoke, item)
                if not same(FIELDS[key.kind][name], value(key.kind, wanted, name), item) and not excused:
                    found.append(f"{spoke} {key.id}.{name}: {item!r}, hub {wanted.get(name)!r}")
    assert not found, found


def _twin(now: Snapshot, key: Key) -> bool:
    """Tell whether the record waits because it may be the same as another."""
    return any(name == "id" and said.get("hub") == key.id for (_, name), said in now.conflicts.items())


def _is_said(now: Snapshot, key: Key, name: str, spoke: str, item: Any) -> bool:
    """Tell whether what a spoke shows of a field is on the table; of combined values, whether it is part of one."""
    asked, whole = now.conflicts.get((key, name), {}), FIELDS[key.kind][name].merge not in (Merge.SET, Merge.MAP)
    held = [kept for kept, movers in now.held.get((key, name), ()) if spoke in movers]
    return (spoke in asked and asked[spoke] == item) or (bool(held) and (not whole or item in held))


def check_questions(machine: Rest, now: Snapshot) -> None:
    """A question is open as long as somebody disagrees, offers what stands there, and is asked once."""
    for (key, name), said in now.conflicts.items():
        if name == "presence":
            there = [key in shown for spoke, shown in now.shown.items() if spoke in said]
            assert (key in now.buried and any(there)) or not all(there), f"{key.id}: what is the question?"
        elif name != "id":
            spec = FIELDS[key.kind][name]
            assert len(distinct(spec, list(said.values()))) > 1, f"{key.id}.{name}: all agree on {said}"
            for spoke in said.keys() - {"hub"}:
                assert value(key.kind, now.shown[spoke].get(key, {}), name) == said[spoke], f"{spoke} says otherwise"
            assert said.get("hub", value(key.kind, now.docs[key], name)) == value(key.kind, now.docs[key], name)
    for (key, name), moves in now.held.items():
        for spoke in (spoke for _, movers in moves for spoke in movers):
            item = value(key.kind, now.shown[spoke].get(key, {}), name)
            hub = value(key.kind, now.docs[key], name)
            assert not same(FIELDS[key.kind][name], item, hub), f"{key.id}.{name} is held, though {spoke} agrees"
        if name == "status" and machine.rig.policy.preset != "canonical-plus-mirror":
            proofs = [doc for other, doc in now.docs.items() if other.kind == "evidence"]
            task = now.docs[key]
            gated = {
                **task,
                "decisionGate": value("task", task, "decisionGate") or dict.fromkeys(machine.rig.gates, True),
            }
            lowered = (key, "decisionGate") in now.held
            assert lowered or missing(gated, key.id, "completed", proofs), f"{key.id} is held for nothing"


def check_derived(_machine: Rest, now: Snapshot) -> None:
    """What the hub derives follows from what it holds."""
    for key, doc in now.docs.items():
        if key.kind == "task":
            proofs = [other for name, other in now.docs.items() if name.kind == "evidence"]
            events = _events(now, key)
            claimed = any(event.get("kind") == "progress" for event in events)
            wanted = delivery_state(doc, key.id, proofs, claimed=claimed)
            assert doc.get("deliveryState") == wanted, f"{key.id} is {doc.get('deliveryState')}, not {wanted}"


def _events(now: Snapshot, task: Key) -> Iterator[Any]:
    return (doc for key, doc in now.docs.items() if key.kind == "event" and doc.get("taskId") == task.id)

"""Whatever people, crashes and broken spokes do in whatever order: spokes end in step, and no word is lost."""

import shutil
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tallystick_contract.adapter import Key
from tallystick_contract.fields import DERIVED, FIELDS, Field, Merge, same, value
from tallystick_contract.gates import delivery_state, missing
from tallystick_sync.ledger import Ledger
from tallystick_sync.report import Report
from tests.proof.expectation import ASKED, distinct, expected
from tests.proof.people import acts, keys, spokes
from tests.proof.snapshot import Snapshot, differences, take
from tests.proof.vocabulary import change, tokens
from tests.proof.weather import Weather

MEANING = frozenset({"status", "decisionGate", "dependsOn", "archived"})
"""Fields with rules of their own beyond how edits combine."""


class Convergence(Weather):
    """Every history ends in rest, and in rest everything is in step."""

    def teardown(self) -> None:
        """Bring the history to rest."""
        try:
            self.rest()
            self.lose_the_ledger()
        finally:
            self.rig.ledger.close()
            shutil.rmtree(self.folder)

    # Rest

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
                found = found.union(*(tokens(key.kind, shown.get(key, {})) for shown in now.shown.values()))
            lost = {token for token in live - found if not self.given_up(key, token[0])}
            assert not lost, f"{key.id}: {sorted(lost)} is nowhere"
            self.live[key] = live & found
        self.unseen.clear()
        self.writers = {place: who for place, who in self.writers.items() if place in places}
        self.vanished = {key for key in self.vanished if (key, "presence") in places}

    def given_up(self, key: Key, name: str) -> bool:
        """Tell whether a word may be gone: deleted unseen, or outdone where the rule is not to ask."""
        asks = key.kind != "event" and self.rig.policy.preset == "team" and name not in self.rig.policy.fields
        return name in self.unseen.get(key, ()) or (not asks and len(self.writers.get((key, name), ())) > 1)

    # What people who all saw the same come to

    @rule(key=keys, name=st.integers(0, 99), some=st.lists(st.tuples(spokes, acts), min_size=2, max_size=3),
          apart=st.booleans())  # fmt: skip
    def agree(self, key: Key, name: int, some: list[tuple[str, int]], *, apart: bool) -> None:
        """From rest, several people edit a record; one run later it is what their edits come to, or they are asked."""
        if not self.at_rest:
            self.rest()
        now = take(self.rig)
        if key not in now.docs or any(place[0] == key for place in now.conflicts.keys() | now.held.keys()):
            return
        if self.rig.policy.preset == "canonical-plus-mirror":
            some = [("a", act) for _, act in some[:1]]
        for site in self.sites.values():
            site.mend()
        names = sorted(FIELDS[key.kind].keys() - DERIVED[key.kind] - MEANING)
        edits: dict[str, dict[str, Any]] = {}
        for number, (spoke, act) in enumerate(dict(some).items()):
            field = names[(name + 3 * number * apart) % len(names)]
            if key in now.shown[spoke] and self.holds(spoke, key, field):
                before = value(key.kind, now.shown[spoke][key], field)
                item = change(key.kind, field, before, act, self.word())
                self.write(spoke, key, field, item)
                edits.setdefault(field, {})[spoke] = item
        self.carry_out()
        after = take(self.rig)
        for field, said in edits.items():
            self.check_agreed(FIELDS[key.kind][field], key, said, now, after)
        others = {place for place in after.conflicts if place[0] == key and place[1] not in edits}
        assert not others, f"{others} was asked though nobody spoke of it"

    def check_agreed(self, spec: Field, key: Key, said: dict[str, Any], before: Snapshot, after: Snapshot) -> None:
        """Compare one field with what it must come to."""
        base = value(key.kind, before.docs[key], spec.name)
        wanted, now = expected(spec, base, list(said.values())), value(key.kind, after.docs[key], spec.name)
        if wanted is ASKED and key.kind == "event":
            assert any(same(spec, now, item) for item in said.values())
            return
        if wanted is ASKED:
            wanted = self.preferred(spec, {**said, "hub": base})
        if wanted is ASKED:
            asked = after.conflicts[key, spec.name]
            moved = [item for item in said.values() if not same(spec, item, base)]
            assert len(distinct(spec, list(asked.values()))) == len(distinct(spec, [*moved, base])), asked
            assert same(spec, now, base), "decided instead of asked"
            for spoke, item in said.items():
                assert same(spec, value(key.kind, after.shown[spoke][key], spec.name), item), "repainted while asked"
            self.reached["clash asked"] += 1
        else:
            assert (key, spec.name) not in after.conflicts, f"{spec.name} was asked: {after.conflicts}"
            assert same(spec, now, wanted), f"{key.id}.{spec.name}: {said} over {base!r} gave {now!r}, not {wanted!r}"
            self.reached[f"merged {spec.merge.value}" if len(said) > 1 else "taken"] += 1

    def preferred(self, spec: Field, said: dict[str, Any]) -> Any:
        """Return what the field's rule prefers, told a second time."""
        policy = self.rig.policy
        rule = policy.fields.get(spec.name, "ask" if policy.preset == "team" else f"prefer:{policy.authority}")
        chosen = rule.removeprefix("prefer:")
        moved = {spoke: item for spoke, item in said.items() if spoke != "hub" and not same(spec, item, said["hub"])}
        return moved.get(chosen, ASKED)

    # A ledger that is lost

    @precondition(lambda self: self.at_rest)
    @rule()
    def lose_the_ledger(self) -> None:
        """With everything in step, a lost ledger is rebuilt without a write."""
        before = take(self.rig)
        if (
            before.conflicts
            or before.held
            or any(before.buried.keys() & shown.keys() for shown in before.shown.values())
        ):
            return
        self.rig.ledger.close()
        for path in self.folder.glob("ledger.db*"):
            path.unlink()
        self.rig.ledger = Ledger.open(self.rig.path)
        self.relived = True
        report = self.reported()
        assert (report.writes, report.conflicts, report.held) == (0, [], []), report.data()
        after = take(self.rig)
        assert after.docs.keys() == before.docs.keys()
        for key, doc in after.docs.items():
            for spec in FIELDS[key.kind].values():
                was, now = value(key.kind, before.docs[key], spec.name), value(key.kind, doc, spec.name)
                assert same(spec, was, now), f"{key.id}.{spec.name} was {was!r}, and is {now!r}"
        self.reached["ledger rebuilt"] += 1


def check_in_step(machine: Convergence, now: Snapshot) -> None:
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
    assert found == []


def _twin(now: Snapshot, key: Key) -> bool:
    """Tell whether the record waits because it may be the same as another."""
    return any(name == "id" and said.get("hub") == key.id for (_, name), said in now.conflicts.items())


def _is_said(now: Snapshot, key: Key, name: str, spoke: str, item: Any) -> bool:
    """Tell whether what a spoke shows of a field is on the table; of combined values, whether it is part of one."""
    asked, whole = now.conflicts.get((key, name), {}), FIELDS[key.kind][name].merge not in (Merge.SET, Merge.MAP)
    held = [kept for kept, movers in now.held.get((key, name), ()) if spoke in movers]
    return (spoke in asked and asked[spoke] == item) or (bool(held) and (not whole or item in held))


def check_questions(machine: Convergence, now: Snapshot) -> None:
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


def check_derived(_machine: Convergence, now: Snapshot) -> None:
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

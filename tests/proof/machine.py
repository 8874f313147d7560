"""Whatever people, crashes and broken spokes do in whatever order: spokes end in step, and no word is lost.

Beside the random history stand scenes: from rest, people do something of which the outcome can be told beforehand.
"""

import shutil
from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tallystick_contract.adapter import Key
from tallystick_contract.fields import DERIVED, FIELDS, Field, Merge, same, value
from tallystick_sync.answers import resolve
from tallystick_sync.ledger import Ledger
from tests.proof.expectation import ASKED, distinct, expected
from tests.proof.people import KEYS, NAMES, acts, gone, keys, spokes, tasks
from tests.proof.rest import Rest, open_places
from tests.proof.sites import Site
from tests.proof.snapshot import Snapshot, take
from tests.proof.troubles import half_taken
from tests.proof.vocabulary import change

MEANING = frozenset({"status", "decisionGate", "dependsOn", "archived"})
"""Fields with rules of their own beyond how edits combine."""

MISSING: Final[dict[str, Callable[[Site, Key], object]]] = {
    "away": lambda _site, _key: None,
    "closed": lambda site, _key: setattr(site, "writable", False),
    "unplugged": lambda site, _key: setattr(site.store, "broken", "unplugged"),
    "unreadable": lambda site, key: site.store.unreadable.add(key),
}
"""Why a spoke may miss an edit, and how that comes about."""

INTRICATE: Final = (Merge.PROSE, Merge.CRITERIA)
"""Several people's edits of these combine in most ways: they are spoken of more often."""

voices = st.lists(st.tuples(spokes, acts), min_size=2, max_size=3)
"""Who speaks, and how he says it."""


class Convergence(Rest):
    """Every history ends in rest."""

    def teardown(self) -> None:
        """Bring the history to rest."""
        try:
            self.rest()
            self.lose_the_ledger()
        finally:
            self.rig.ledger.close()
            shutil.rmtree(self.folder)

    @rule(scenes=st.lists(st.tuples(keys, st.integers(0, 99), st.booleans(), voices), min_size=1, max_size=3))
    def agree(self, scenes: list[tuple[Key, int, bool, list[tuple[str, int]]]]) -> None:
        """From rest, several people edit a record; one run later it is what their edits come to, or they are asked."""
        for key, name, apart, some in scenes:
            self.settle_down()
            now = take(self.rig)
            settled = now.docs.keys() - {place[0] for place in open_places(now)}
            usable = [other for other in (key, *KEYS) if other in settled]
            if usable:
                self.speak(usable[0], name, some, apart=apart)

    def speak(self, key: Key, name: int, some: list[tuple[str, int]], *, apart: bool) -> None:
        """Let everybody edit one field, or each one of his own, and compare."""
        now = take(self.rig)
        if self.rig.policy.preset == "canonical-plus-mirror":
            some = [("a", act) for _, act in some[:1]]
        names = sorted(FIELDS[key.kind].keys() - DERIVED[key.kind] - MEANING)
        names += [name for name in names if FIELDS[key.kind][name].merge in INTRICATE] * 2
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
            assert any(same(spec, now, item) for item in (base, *said.values())), "nobody said so"
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

    @rule(key=tasks, spoke=spokes, edited=gone, act=acts)
    def let_go(self, key: Key, spoke: str, edited: str, act: int) -> None:
        """From rest, somebody deletes a task: it goes everywhere, or a person is asked and nothing goes."""
        self.settle_down()
        now, site = take(self.rig), self.sites[spoke]
        if key not in now.docs or key not in now.shown[spoke] or any(place[0] == key for place in open_places(now)):
            return
        rival = edited not in ("", spoke) and key in now.shown[edited]
        unseen = edited == spoke  # at first, as the listing has holes
        if rival:
            self.edit(edited, key, "title", max(act, 1))
        site.store.complete = not unseen
        self.delete(spoke, key)
        self.carry_out()
        if unseen:
            assert key in take(self.rig).docs, "deleted by a page that was lost"
            site.mend()
            self.carry_out()
        self.check_let_go(key, spoke, edited if rival else "")

    def check_let_go(self, key: Key, spoke: str, rival: str) -> None:
        """A deletion is taken where nobody objects and the spoke means it, and else a person is asked."""
        after, site = take(self.rig), self.sites[spoke]
        if rival or site.absence == "ask" or self.rig.policy.mirrors(spoke):
            said = after.conflicts[key, "presence"]
            assert key in after.docs, "deleted without being asked"
            assert said[spoke] == "gone", said
            assert not rival or said[rival] == "edited", said
            self.reached["deletion asked"] += 1
        else:
            kept = {name for name, shown in after.shown.items() if key in shown and self.sites[name].deletes}
            assert key in after.buried, "the deletion was not taken"
            assert not kept, f"{kept} still show it"
            self.reached["deletion taken"] += 1

    @rule(key=tasks, spoke=spokes, gate=st.sampled_from([{}, {"requiresVerification": True}, {"noAutoClose": True}]),
          proof=st.sampled_from(["", "", "passed", "failed"]))  # fmt: skip
    def finish(self, key: Key, spoke: str, gate: dict[str, bool], proof: str) -> None:
        """From rest, somebody completes a task that may have a gate, maybe with evidence of the same run."""
        self.settle_down()
        if key not in take(self.rig).docs or any(place[0] == key for place in open_places(take(self.rig))):
            return
        with self.command() as editor:
            editor.set_fields(key, {"decisionGate": gate})
        self.carry_out()
        now = take(self.rig)
        if key not in now.shown[spoke] or value("task", now.docs[key], "status") == "completed":
            return
        if proof:
            self.replace_record("a", KEYS[3], {"target": key.id, "status": proof, "method": "pytest"})
        self.write(spoke, key, "status", "completed")
        self.carry_out()
        self.check_finished(key, spoke, take(self.rig))

    def check_finished(self, key: Key, spoke: str, after: Snapshot) -> None:
        """A gate that is unmet holds the move and repaints nothing; else it is taken everywhere."""
        wanted = set(value("task", after.docs[key], "decisionGate") or self.rig.gates)
        proofs = [doc for other, doc in after.docs.items() if other.kind == "evidence"]
        proven = any(doc["target"] == key.id and doc.get("status") == "passed" for doc in proofs)
        unmet = wanted - ({"requiresVerification"} if proven else set())
        done = value("task", after.docs[key], "status") == "completed"
        if unmet or self.rig.policy.mirrors(spoke):
            assert not done, f"{key.id} was completed against {unmet}"
            assert ("completed", [spoke]) in after.held[key, "status"]
            assert after.shown[spoke][key]["status"] == "completed", "a held move was repainted"
            self.reached["completion held"] += 1
        else:
            assert done, f"{key.id} is kept open by nothing"
            assert all(shown[key]["status"] == "completed" for shown in after.shown.values() if key in shown)
            self.reached["completion taken"] += 1

    @rule(spoke=st.sampled_from(["a", "b", "c"]), other=st.sampled_from(["a", "b"]))
    def die_unremembered(self, spoke: str, other: str) -> None:
        """From rest, a run dies when all is written but not what it read; then somebody deletes what it brought."""
        self.settle_down()
        if spoke == other or self.rig.policy.mirrors(other):
            return
        key = Key("task", f"Z-{self.word()}")
        self.replace_record(other, key, {"title": self.word()})
        self.sites[spoke].dies = True
        assert self.carry_out() is None, "the process did not die"
        assert self.shown(spoke, key) is not None, "died before it was written"
        self.delete(spoke, key)
        self.carry_out()
        self.check_let_go(key, spoke, "")
        self.reached["deleted after a death"] += 1

    @rule(key=tasks, spoke=spokes, other=spokes, acts=st.tuples(st.integers(1, 5), st.integers(0, 5)))
    def take_half(self, key: Key, spoke: str, other: str, acts: tuple[int, int]) -> None:
        """From rest, a spoke leaves out one of two fields without a word: the next run brings it."""
        self.settle_down()
        now = take(self.rig)
        if spoke == other or self.rig.policy.mirrors(other) or any(place[0] == key for place in open_places(now)):
            return
        if key not in now.shown[spoke] or key not in now.shown[other]:
            return
        self.edit(other, key, "title", acts[0])
        self.edit(other, key, "priority", acts[1])
        self.sites[spoke].on_push = half_taken
        self.carry_out()
        self.carry_out()
        shown = [(self.shown(name, key) or {}) for name in (spoke, other)]
        for name in ("title", "priority"):
            one, two = (value("task", doc, name) for doc in shown)
            assert one == two, f"{spoke} left out {name} of {key.id}, and never got it"
        self.reached["left out"] += 1

    @rule(key=tasks, spoke=spokes, other=spokes, what=st.sampled_from(sorted(MISSING)), act=st.integers(1, 5))
    def miss(self, key: Key, spoke: str, other: str, what: str, act: int) -> None:
        """From rest, a spoke cannot take what is edited elsewhere: it is left alone meanwhile, and gets it later."""
        self.settle_down()
        now, site = take(self.rig), self.sites[spoke]
        if spoke == other or self.rig.policy.mirrors(other) or any(place[0] == key for place in open_places(now)):
            return
        if key not in now.shown[spoke] or key not in now.shown[other]:
            return
        before = site.store.records[key]
        MISSING[what](site, key)
        self.edit(other, key, "title", act)
        self.carry_out(only={*NAMES} - {spoke} if what == "away" else None)
        assert not [change for change, _ in site.written() if change.key == key], f"{spoke} is {what}, and was written"
        assert site.store.records[key] == before, f"{spoke} is {what}, and was changed"
        site.mend()
        self.carry_out()
        assert self.shown(spoke, key) is not None, f"{spoke} was {what}, and lost {key.id}"
        wanted, found = self.shown(other, key), self.shown(spoke, key)
        assert (wanted or {}).get("title") == (found or {}).get("title"), f"{spoke} was {what}, and never got it"
        self.reached[f"missed: {what}"] += 1

    @rule(one=st.sampled_from(["a", "b"]), two=st.sampled_from(["a", "b", "c"]), later=st.booleans(), yes=st.booleans())
    def meet(self, one: str, two: str, *, later: bool, yes: bool) -> None:
        """From rest, two people begin the same task under two ids: a person is asked before there are two of it."""
        self.settle_down()
        title, first, second = self.word(), Key("task", f"X-{self.word()}"), Key("task", f"Y-{self.word()}")
        if one == two or self.rig.policy.preset == "canonical-plus-mirror":
            return
        self.replace_record(one, first, {"title": title})
        if later:
            self.carry_out(only={one})
        self.replace_record(two, second, {"title": title})
        self.carry_out(yes=yes)
        after = take(self.rig)
        if yes:
            assert after.docs.keys() >= {first, second}, "told to keep both"
            return
        assert after.conflicts[second, "id"] == {two: second.id, "hub": first.id}
        assert second not in after.docs, "two of one"
        assert [spoke for spoke in NAMES if second in after.shown[spoke]] == [two], "doubled before it was answered"
        assert first not in after.shown[two], "doubled before it was answered"
        with self.command() as editor:
            resolve(editor, second, "id", chosen=second.id)
        self.carry_out()
        after = take(self.rig)
        assert all({first, second} <= shown.keys() for shown in after.shown.values()), "answered, and not carried out"
        self.reached["look-alike"] += 1

    # A ledger that is lost

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

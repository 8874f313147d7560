"""Runs, and what befalls them: lost replies, lost pages, other writers, refusals, death, and clocks that jump."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from sqlite3 import Connection
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tallystick_contract.adapter import Change, Key
from tallystick_contract.errors import Stopped
from tallystick_sync.case import Plan
from tallystick_sync.guards import Consent
from tallystick_sync.report import Report
from tallystick_sync.run import Options, preview, sync
from tallystick_sync.survey import Engine
from tests.proof import troubles
from tests.proof.desk import Desk
from tests.proof.history import check_history, check_sources
from tests.proof.passage import CHECKS, Passage
from tests.proof.people import NAMES, acts, keys, places, spokes
from tests.proof.snapshot import Snapshot, take
from tests.sync.faults import Killed

ANYTHING = Consent(deletions=99, changes=99)

type Edit = tuple[str, Key, str, int]
"""Where, what and how somebody edits."""

orders = st.permutations(NAMES)
kinds = st.sampled_from([
    "edited", "edited", "deleted", "edited while read", "page lost", "interrupted", *sorted(troubles.KINDS),
])  # fmt: skip
edits = st.tuples(spokes, places, acts).map(lambda edit: (edit[0], *edit[1], edit[2]))


class Weather(Desk):
    """Runs under all conditions, each watched from outside."""

    # What befalls spokes

    @rule(spoke=spokes, key=keys, what=st.sampled_from(["broken", "holes", "closed", "unreadable", "nameless"]))
    def toggle(self, spoke: str, key: Key, what: str) -> None:
        """Let something stay wrong with a spoke, or right again."""
        site, store = self.sites[spoke], self.sites[spoke].store
        if what == "broken":
            store.broken = "" if store.broken else "unplugged"
        elif what == "holes":
            store.complete = not store.complete
        elif what == "closed":
            site.writable = not site.writable
        elif key in store.unreadable:
            store.unreadable.discard(key)
        elif key in store.records:
            store.unreadable.add(key)
            site.nameless = what == "nameless" and not site.tracker  # a tracker's marker is read without the rest
        self.at_rest = False

    # Runs

    @rule(order=orders, only=st.sets(spokes), how=st.sampled_from(["", "", "yes", "twice"]), hours=st.integers(-24, 24))
    def run(self, order: Sequence[str], only: set[str], how: str, hours: int) -> None:
        """Run with some spokes or all, at a time that jumps back and forth."""
        self.rig.skew(hours * 3600)
        self.carry_out(order, only, yes=how == "yes")
        if how == "twice":
            self.carry_out(order)

    @rule(order=orders, some=st.lists(st.tuples(edits, spokes, kinds, edits), min_size=1, max_size=3))
    def run_into_trouble(self, order: Sequence[str], some: list[tuple[Edit, str, str, Edit]]) -> None:
        for edit, spoke, kind, again in some:
            where, target = self.apart(edit, spoke)
            self.run_into(order, (where, *edit[1:]), target, kind, again)

    def apart(self, edit: Edit, spoke: str) -> tuple[str, str]:
        """Return where to edit so that another spoke has to be written, and that spoke; as given where nothing can."""
        where, key, name, act = edit
        able = [other for other in NAMES if self.holds(other, key, name) and self.shown(other, key) is not None]
        if len(able) < 2:
            return where, spoke
        where = where if where in able else able[act % len(able)]
        others = [other for other in able if other != where]
        return where, spoke if spoke in others else others[act % len(others)]

    def run_into(self, order: Sequence[str], edit: Edit, spoke: str, kind: str, again: Edit) -> None:
        """Let something happen while a spoke is written or read."""
        site, asked = self.sites[spoke], iter([False] * (again[3] // 2 if kind == "interrupted" else 99))
        if kind == "edited while read":
            site.on_pull = lambda: self.edit_there(*again)
        elif kind == "page lost":
            site.hidden |= {edit[1], again[1]}
        elif kind == "edited":
            site.on_push = troubles.meddling(lambda: self.edit_there(*again))
        elif kind == "deleted":
            site.on_push = troubles.meddling(lambda: self.delete(spoke, edit[1]))
        elif kind != "interrupted":
            site.on_push = troubles.KINDS[kind](site)
        self.edit_there(*edit)
        self.carry_out(order, interrupted=lambda: next(asked, True))
        self.reached[kind] += site.on_push is None

    @rule(order=orders, edit=edits, after=st.integers(0, 8), moment=st.sampled_from(["before", "within", "after"]))
    def run_and_die(self, order: Sequence[str], edit: Edit, after: int, moment: str) -> None:
        """Die at a boundary of a transaction."""
        self.edit_there(*edit)
        left = [after]
        whole = self.rig.ledger.transaction

        @contextmanager
        def transaction() -> Iterator[Connection]:
            left[0] -= 1
            if left[0] < 0 and moment == "before":
                raise Killed
            with whole() as db:
                yield db
                if left[0] < 0 and moment == "within":
                    raise Killed
            if left[0] < 0:
                raise Killed

        self.rig.ledger.transaction = transaction  # type: ignore[method-assign]
        self.carry_out(order)
        self.rig.reopen()

    def edit_there(self, spoke: str, key: Key, name: str, act: int) -> None:
        """Let somebody edit a record where there is one."""
        if self.shown(spoke, key) is not None:
            self.edit(spoke, key, name, act)

    def carry_out(
        self, order: Sequence[str] = NAMES, only: set[str] | None = None, consent: Consent = ANYTHING, **how: Any
    ) -> Report | Stopped | None:
        """Print the plan, do the run, and hold what was done to what was printed."""
        for site in self.sites.values():
            site.store.unreadable &= set(site.store.records)
        now = self.rig.now()
        options = Options(consent=consent, only=frozenset(only or ()), **how)
        before = take(self.rig)
        plan, foreseen = self.foresee(order, options, now)
        quiet = all(site.on_pull is None for site in self.sites.values())
        for site in self.sites.values():
            site.begin()
            site.audit = self.auditor(site)
        report = self.attempt(lambda: sync(self.engine(order, now), options))
        after = take(self.rig)
        for site in self.sites.values():
            site.end()
        asked = options.only or frozenset(NAMES)
        passage = Passage(self.rig, self.sites, before, after, plan, foreseen, report, asked, quiet)
        for check in CHECKS:
            check(passage)
        check_history(self.rig, before, after, relived=self.relived)
        if passage.plain:
            check_sources(before, self.rig)
        self.check_burials(before, after, yes=options.yes)
        self.tell(passage)
        return report

    def attempt(self, act: Callable[[], Report]) -> Report | Stopped | None:
        """Return what a run says; None where it died, and the next begins as a new process."""
        try:
            return act()
        except Stopped as stop:
            return stop
        except Killed:
            self.rig.reopen()
            return None

    def engine(self, order: Sequence[str], now: str) -> Engine:
        """Return a new process's engine; its clock stands still."""
        return replace(self.rig.engine(order), now=lambda: now)

    def foresee(self, order: Sequence[str], options: Options, now: str) -> tuple[Plan | None, Report | Stopped]:
        """Return what is printed; the same comes of spokes in another order that list everything the other way."""
        before = take(self.rig)
        told = self.previewed(order, options, now)
        for site in self.sites.values():
            site.backwards = not site.backwards
        again = self.previewed(order[::-1], options, now)
        if told[0] is None or again[0] is None:
            assert str(told[1]) == str(again[1])
        else:
            assert _plain(told[0]) == _plain(again[0]), "the order of the spokes decides"
        assert take(self.rig) == before, "printing a plan changed something"
        return told

    def previewed(self, order: Sequence[str], options: Options, now: str) -> tuple[Plan | None, Report | Stopped]:
        """Return one plan, or why there is none."""
        try:
            return preview(self.engine(order, now), options)
        except Stopped as stop:
            return None, stop

    def auditor(self, site: Any) -> Callable[[Sequence[Change]], None]:
        """Return what looks at the ledger just before a write: all is down on disk, and nothing is locked."""
        name = next(name for name in NAMES if self.sites[name] is site)

        def audit(changes: Sequence[Change]) -> None:
            db = self.rig.ledger.db
            assert not db.in_transaction, "a spoke is written within a transaction"
            noted = {tuple(row) for row in db.execute("SELECT kind, id, op FROM intents WHERE spoke = ?", (name,))}
            assert {(*change.key, change.op) for change in changes} <= noted, "written without an intent"
            for change in changes:
                row = db.execute("SELECT deleted, dirty FROM records WHERE kind = ? AND id = ?", change.key).fetchone()
                assert row is not None, f"{change.key.id} is written before the hub has it"
                assert (row[0] is not None) == (change.op == "delete"), f"{change.key.id}: {change.op} against the hub"
                assert row[1], f"{change.key.id} is written without being marked as due"

        return audit

    def check_burials(self, before: Snapshot, after: Snapshot, *, yes: bool) -> None:
        """A run buries what somebody deleted where that means deletion, and never raises the dead."""
        for key in after.buried.keys() - before.buried.keys():
            assert yes or key in self.vanished, f"nobody deleted {key.id}"
            self.reached["tombstone"] += 1
            self.vanished.discard(key)
        risen = before.buried.keys() - after.buried.keys()
        assert not risen, f"{risen} came back by itself"

    def tell(self, passage: Passage) -> None:
        """Count what was reached, so that a search that reaches nothing shows."""
        report = passage.report
        after = passage.after
        said: dict[str, object] = {"died": report is None, "stopped": isinstance(report, Stopped)}
        said |= {"held": after.held, "asked": after.conflicts}
        said |= {f"{name} asked": True for _, name in after.conflicts if name in ("presence", "id")}
        if isinstance(report, Report):
            said |= {"quarantined": report.quarantined, "interrupted": report.interrupted, "gap": report.gaps}
            said |= {"policy": any(item["code"] == "policy" for item in report.findings), "amended": report.amended}
            said |= {"replayed": report.replayed, "problem": report.problems}
        for _, change, outcome in passage.written():
            self.reached[f"{change.op} {change.key.kind}"] += 1
            self.reached["no reply"] += outcome is None
        self.reached.update({name: 1 for name, there in said.items() if there})


def _plain(plan: Plan) -> dict[Key, tuple[Any, ...]]:
    """Return a plan without the order of its decisions."""
    return {
        made.key: (
            made.hub, made.deleted, made.copies, made.changes, _sorted(made.conflicts), _sorted(made.held), made.edits,
            made.frozen, made.waiting, sorted(made.gaps), made.problem, _sorted(made.findings),
        )
        for made in plan.decisions
    }  # fmt: skip


def _sorted(items: Sequence[Any]) -> list[str]:
    return sorted(repr(item) for item in items)

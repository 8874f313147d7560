"""Many tasks, and what must stop a run: too much gone, everything changed, another place listed, an older ledger.

How much is too much is told here a second time, in words of its own: nothing is asked of the guards themselves.
"""

import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest
from filelock import FileLock
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Stopped
from tallystick_sync.guards import Consent
from tallystick_sync.run import Options, preview
from tests.sync.rig import Rig

NAMES: Final = ("a", "b")
TABLES: Final = (
    "records",
    "copies",
    "intents",
    "conflicts",
    "held",
    "quarantine",
    "spokes",
    "journal",
    "writes",
    "meta",
)

spokes = st.sampled_from(NAMES)
counts = st.one_of(st.integers(1, 70), st.integers(4, 8))


def limit(linked: int) -> int:
    """Return how many of so many tasks may go without a person: five, or a tenth where that is more."""
    return max(5, linked // 10)


class Crowd(RuleBasedStateMachine):
    """A project in step before and after every rule: each makes one thing happen, and knows what must come of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.rig = Rig(self.folder, " ".join(NAMES))
        self.count = 0

    def teardown(self) -> None:
        """Remove everything, whatever happened."""
        self.rig.ledger.close()
        shutil.rmtree(self.folder)

    @initialize(size=st.one_of(st.integers(1, 80), st.sampled_from([5, 6, 49, 50, 59, 60, 70])))
    def fill(self, size: int) -> None:
        """Begin with so many tasks, in step."""
        for _ in range(size):
            self.count += 1
            self.rig.put("a", f"T-{self.count}", title=f"Task {self.count}")
        self.rig.sync()

    @property
    def live(self) -> list[str]:
        """Return the tasks there are."""
        return sorted(self.rig.records())

    def run_stopped(self, code: str, where: str, *, deletions: int = 0, changes: int = 0) -> None:
        """Run, and see it stop with this reason, announced by the plan, before anything was written."""
        before = self.moment()
        with pytest.raises(Stopped) as planned:
            preview(self.rig.engine(), Options(consent=Consent(deletions, changes)))
        with pytest.raises(Stopped) as stopped:
            self.rig.sync(deletions=deletions, changes=changes)
        assert (stopped.value.code, stopped.value.where) == (code, where)
        assert str(stopped.value) == str(planned.value)
        assert self.moment() == before, "written in a run that was stopped"

    def moment(self) -> list[Any]:
        """Return all that a stopped run must leave alone: the ledger but for its list of runs, and the spokes."""
        tables = [self.rig.ledger.db.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES]  # noqa: S608
        return [*tables, *({**place.store.records} for place in self.rig.places.values())]

    @rule(spoke=spokes, count=counts)
    def lose(self, spoke: str, count: int) -> None:
        """Let tasks vanish from a spoke: a few are deletions, many are asked about, and nobody says less than it is."""
        linked = self.live
        count = min(count, len(linked))
        assume(linked)
        self.rig.drop(spoke, *linked[:count])
        if count == len(linked) or count > limit(len(linked)):
            code = "emptied" if count == len(linked) else "deletions"
            self.run_stopped(code, spoke)
            self.run_stopped(code, spoke, deletions=count - 1)
            self.rig.sync(deletions=count)
        else:
            self.rig.sync()
        assert self.live == linked[count:]
        self.check_rest()

    @rule(count=counts)
    def bury(self, count: int) -> None:
        """Delete tasks by command: what would go from the spokes is asked about as well."""
        linked = self.live
        count = min(count, len(linked))
        with self.rig.editor() as editor:
            for ident in linked[:count]:
                editor.bury(Key("task", ident))
        if count > limit(len(linked)):
            self.run_stopped("deletions", "a")
            self.run_stopped("deletions", "a", deletions=count - 1)
            self.rig.sync(deletions=count)
        else:
            self.rig.sync()
        assert self.live == linked[count:]
        self.check_rest()

    @rule(spoke=spokes, count=counts)
    def change(self, spoke: str, count: int) -> None:
        """Edit tasks on a spoke: when every one has changed, somebody is asked."""
        live = self.live
        count = min(count, len(live))
        for ident in live[:count]:
            self.count += 1
            self.rig.put(spoke, ident, owner=f"w{self.count}")
        wanted = {ident: self.rig.shown(spoke, ident) for ident in live}
        if count == len(live) > 5:
            self.run_stopped("all-changed", spoke)
            self.run_stopped("all-changed", spoke, changes=count - 1)
            self.rig.sync(changes=count)
        else:
            self.rig.sync()
        assert self.rig.records() == wanted
        self.check_rest()

    @rule(spoke=spokes)
    def list_another_place(self, spoke: str) -> None:
        """Point a spoke at something else: nothing is concluded from what is there."""
        store = self.rig.places[spoke].store
        records, store.records = store.records, {}
        store.scope = "elsewhere"
        self.run_stopped("scope-changed", spoke, deletions=99, changes=99)
        store.scope, store.records = spoke, records
        self.check_rest()

    @rule(spoke=spokes, count=counts)
    def lose_a_page(self, spoke: str, count: int) -> None:
        """Show listings with holes, then a whole one with records that cannot be read: all of them are still there."""
        live, store = self.live, self.rig.places[spoke].store
        whole = dict(store.records)
        self.rig.drop(spoke, *live[: min(count, len(live))])
        store.complete = False
        for _ in range(2):  # the second time the spoke is listed from scratch
            self.rig.sync(deletions=99)
            assert self.live == live
        lost = set(whole) - set(store.records)
        store.records, store.complete, store.unreadable = whole, True, lost
        self.rig.sync(deletions=99)
        assert self.live == live
        store.unreadable = set()
        self.check_rest()

    @rule(spoke=spokes)
    def unplug(self, spoke: str) -> None:
        """Make a spoke unreadable: whatever it held is there, and comes back with it."""
        live, store = self.live, self.rig.places[spoke].store
        store.broken = "unplugged"
        report = self.rig.sync(deletions=99)
        assert report.spokes[spoke].error
        assert self.live == live
        store.broken = ""
        self.check_rest()

    @rule()
    def compete(self) -> None:
        """Let another process be at work."""
        with FileLock(f"{self.rig.path}.lock"):
            before = self.moment()
            with pytest.raises(Stopped) as stopped:
                self.rig.sync()
            assert stopped.value.code == "locked"
            assert self.moment() == before

    @rule(spoke=spokes, also=st.booleans())
    def roll_back(self, spoke: str, *, also: bool) -> None:
        """Put an older copy of the ledger back: it is noticed, and adopting takes the spokes as they are."""
        live = self.live
        assume(live)
        old = self.folder / "old"
        with sqlite3.connect(old) as copy:
            self.rig.ledger.db.backup(copy)
        copy.close()
        for ident in live[: 2 if also else 1]:
            self.count += 1
            self.rig.put(spoke, ident, owner=f"w{self.count}")
        self.rig.sync(changes=2)
        wanted = self.rig.records()
        self.rig.ledger.close()
        for path in (self.rig.path, *self.folder.glob("ledger.db-*")):
            path.unlink(missing_ok=True)
        old.rename(self.rig.path)
        self.rig.reopen()
        self.run_stopped("rolled-back", str(self.rig.path))
        with pytest.raises(Stopped), self.rig.editor():
            pass
        self.rig.adopt()
        self.rig.sync()
        assert self.rig.records() == wanted
        self.check_rest()

    def check_rest(self) -> None:
        """Nothing is left to do, and every spoke shows what the hub holds."""
        self.rig.check_rest()
        assert self.rig.dirty() == set()
        assert self.rig.asked() | self.rig.waiting() == set()

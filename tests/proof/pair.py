"""Two engines, each with a ledger and a clock of its own, on the same spokes: nothing is told twice or rewritten."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_sync.report import Report
from tests.proof.people import MEMORY
from tests.sync.rig import Rig

NAMES: Final = ("a", "b")
KINDS: Final = ("task", "event")
STATES: Final = ("planned", "in-progress", "blocked", "cancelled")

spokes, tasks = st.sampled_from(NAMES), st.sampled_from(["T-1", "T-2"])


class Pair(RuleBasedStateMachine):
    """People move and edit tasks on two spokes, and whoever of two colleagues comes along runs his engine."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tally-pair-", dir=MEMORY))
        self.rigs = [self._rig("one"), self._rig("two")]
        self.rigs[1].places = self.rigs[0].places
        self.rigs[1].skew(3600)
        self.count = 0

    def _rig(self, name: str) -> Rig:
        folder = self.folder / name
        folder.mkdir()
        return Rig(folder, " ".join(NAMES))

    def teardown(self) -> None:
        """Let both engines come to rest, and compare."""
        try:
            self.settle()
        finally:
            for rig in self.rigs:
                rig.ledger.close()
            shutil.rmtree(self.folder)

    @initialize()
    def fill(self) -> None:
        """Begin with two tasks that both engines know."""
        for ident in ("T-1", "T-2"):
            self.rigs[0].put("a", ident, title=ident)
        for which in (0, 1):
            self.run(which)

    @rule(spoke=spokes, task=tasks, state=st.sampled_from(STATES), which=st.integers(0, 1))
    def move(self, spoke: str, task: str, state: str, which: int) -> None:
        """Let somebody move a task; one of the two engines sees it first, and the other sees what came of it."""
        self.rigs[0].put(spoke, task, status=state)
        self.settle(first=which)

    @rule(spoke=spokes, task=tasks, which=st.integers(0, 1))
    def name(self, spoke: str, task: str, which: int) -> None:
        """Let somebody rename a task."""
        self.count += 1
        self.rigs[0].put(spoke, task, title=f"w{self.count}")
        self.run(which)

    @rule(which=st.integers(0, 1))
    def run(self, which: int) -> None:
        """Let one of the two run."""
        self.carry_out(which)

    def carry_out(self, which: int) -> Report:
        """Do a run of one engine; what has happened is never written otherwise."""
        before = self.events()
        report = self.rigs[which].sync(changes=99)
        after = self.events()
        for place, event in before.items():
            assert after.get(place) == event, f"{place} was {event}, and is {after.get(place)}"
        return report

    def events(self) -> dict[tuple[str, Key], Doc]:
        """Return every event that a spoke shows."""
        return {
            (name, key): {**doc}
            for name, place in self.rigs[0].places.items()
            for key, doc in place.store.records.items()
            if key.kind == "event"
        }

    def settle(self, first: int = 0) -> None:
        """Run one after the other until nobody has anything to write; then both hold the same."""
        for turn in range(6):
            if not self.carry_out((first + turn) % 2).writes and turn:
                break
        else:
            raise AssertionError("two engines go on writing for each other")
        asked = {ident for rig in self.rigs for ident, _ in rig.asked()}  # each knows of edits the other never saw
        one, two = (
            {kind: {ident: doc for ident, doc in rig.records(kind).items() if ident not in asked} for kind in KINDS}
            for rig in self.rigs
        )
        assert one == two, f"{one} is not {two}"
        assert [rig.disagreements() for rig in self.rigs] == [[], []]

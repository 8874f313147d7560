"""Gates: a gate set on a task stays set, and a completion on the spoke waits for what the gate wants."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import SPOKE, carried_out, decided, moved, planned
from tallystick_conformance.samples import FLAGS
from tallystick_contract.adapter import Observed
from tallystick_contract.fields import value

EACH_FLAG = pytest.mark.parametrize("flag", FLAGS)


class Gates:
    """The checks of the level."""

    @EACH_FLAG
    def test_a_gate_is_read(self, bench: Bench, flag: str) -> None:
        """Each flag on the spoke is read. A gate is never guessed and never dropped."""
        assert value("task", _gated(bench, flag).image, "decisionGate") == {flag: True}

    @EACH_FLAG
    def test_a_gate_is_written(self, bench: Bench, flag: str) -> None:
        """Each flag is written to the spoke."""
        bench.needs_field("task", "decisionGate", written=True)
        shown = bench.write(bench.update(bench.settled(), decisionGate={flag: True}))
        for found in (shown.image, bench.there(shown.key) or {}):
            assert value("task", found, "decisionGate") == {flag: True}

    def test_all_flags_stand_together(self, bench: Bench) -> None:
        """Several flags of one gate are kept together."""
        bench.needs_field("task", "decisionGate", written=True)
        gate = dict.fromkeys(FLAGS, True)
        shown = bench.write(bench.update(bench.settled(), decisionGate=gate))
        assert value("task", bench.there(shown.key) or {}, "decisionGate") == gate

    @EACH_FLAG
    def test_a_completion_on_the_spoke_is_held(self, bench: Bench, flag: str) -> None:
        """A gated task completed on the spoke is shown so, held by the plan, and not painted back."""
        made = decided(bench, moved(bench, _gated(bench, flag), status="completed"))
        assert [(move.field, move.value, list(move.spokes)) for move in made.held] == [("status", "completed", [SPOKE])]
        assert value("task", made.hub or {"status": "in-progress"}, "status") == "in-progress"
        assert made.changes == {}

    def test_other_edits_pass_a_held_one(self, bench: Bench) -> None:
        """An edit made along with a held completion is taken."""
        case = moved(bench, _gated(bench), status="completed", **{bench.word: "Edited by somebody else."})
        made = decided(bench, case)
        assert (made.hub or {})[bench.word] == "Edited by somebody else."
        assert [move.field for move in made.held] == ["status"]

    def test_a_write_leaves_a_held_move(self, bench: Bench) -> None:
        """A write to a task with a held completion leaves the status on the spoke as somebody set it."""
        bench.needs_field("task", "owner", written=True)
        case = moved(bench, _gated(bench), status="completed")
        case.hub = {**(case.hub or {}), "owner": "ana"}
        carried_out(bench, planned(bench, case))
        there = bench.there(case.key) or {}
        assert (there["owner"], there["status"]) == ("ana", "completed")

    def test_an_approved_completion_is_taken(self, bench: Bench) -> None:
        """With an operator's receipt the completion is taken."""
        made = decided(bench, moved(bench, _gated(bench), status="completed"), approved=True)
        assert (made.held, value("task", made.hub or {}, "status")) == ([], "completed")

    def test_a_gate_lowered_with_the_completion_holds(self, bench: Bench) -> None:
        """Taking the gate away in the same edit does not let the completion through."""
        made = decided(bench, moved(bench, _gated(bench), status="completed", decisionGate={}))
        assert {move.field for move in made.held} == {"status", "decisionGate"}

    def test_a_lowered_gate_is_told(self, bench: Bench) -> None:
        """A gate taken away on the spoke is seen and named in a finding."""
        made = decided(bench, moved(bench, _gated(bench), decisionGate={}))
        assert "gate-lowered" in [finding.code for finding in made.findings]

    def test_no_gate_lets_a_completion_through(self, bench: Bench) -> None:
        """Without a gate a completion is taken as it is seen."""
        bench.needs_field("task", "status")
        made = decided(bench, moved(bench, bench.settled("task", 1, status="in-progress"), status="completed"))
        assert (made.held, value("task", made.hub or {}, "status")) == ([], "completed")

    def test_cancelling_asks_no_gate(self, bench: Bench) -> None:
        """A gate keeps tasks from completion, not from being cancelled."""
        made = decided(bench, moved(bench, _gated(bench), status="cancelled"))
        assert (made.held, value("task", made.hub or {}, "status")) == ([], "cancelled")

    def test_a_gate_survives_another_field_s_update(self, bench: Bench) -> None:
        """An update of a text leaves the gate set."""
        bench.needs_tasks()
        shown = bench.write(bench.rewording(_gated(bench), "Written by the engine."))
        assert value("task", bench.there(shown.key) or {}, "decisionGate") == {"noAutoClose": True}

    def test_a_gate_can_be_taken_away(self, bench: Bench) -> None:
        """A gate the hub took away is taken off the spoke."""
        bench.needs_tasks()
        shown = bench.write(bench.update(_gated(bench), decisionGate={}))
        assert value("task", bench.there(shown.key) or {}, "decisionGate") == {}

    def test_a_status_survives_a_change_of_its_gate(self, bench: Bench) -> None:
        """Setting a gate leaves the status."""
        bench.needs_field("task", "status", "decisionGate", written=True)
        seen = bench.settled("task", 1, status="blocked")
        shown = bench.write(bench.update(seen, decisionGate={"noAutoClose": True}))
        assert value("task", bench.there(shown.key) or {}, "status") == "blocked"


def _gated(bench: Bench, flag: str = "noAutoClose") -> Observed:
    """Return a task in progress with a gate; go on only where both are held."""
    bench.needs_field("task", "status", "decisionGate")
    return bench.settled("task", 1, status="in-progress", decisionGate={flag: True})

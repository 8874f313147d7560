"""Evidence: what was checked, and what was found, kept exactly; only `passed` opens a gate."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import at_rest, carried_out, decided, moved, of_hub, planned
from tallystick_conformance.samples import RESULTS
from tallystick_contract.adapter import Key
from tallystick_contract.fields import value

EACH_RESULT = pytest.mark.parametrize("result", RESULTS)


class Evidence:
    """The checks of the level."""

    @EACH_RESULT
    def test_a_result_is_read_as_it_is(self, bench: Bench, result: str) -> None:
        """Each result on the spoke is read as itself. What is not understood is never `passed`."""
        bench.needs_field("evidence", "status")
        assert value("evidence", bench.settled("evidence", 1, status=result).image, "status") == result

    @EACH_RESULT
    def test_a_result_is_written_as_it_is(self, bench: Bench, result: str) -> None:
        """Each result is written as itself."""
        bench.needs_field("evidence", "status", written=True)
        key, doc = bench.plain("evidence", 1, status=result)
        shown = bench.write(bench.creation(key, doc))
        for found in (shown.image, bench.there(key) or {}):
            assert value("evidence", found, "status") == result

    @EACH_RESULT
    def test_only_passed_evidence_opens_a_gate(self, bench: Bench, result: str) -> None:
        """A task that requires verification is completed by passed evidence from the spoke, and by no other."""
        bench.needs_field("evidence", "status", "target")
        bench.needs_field("task", "status", "decisionGate")
        task = bench.settled("task", 1, status="in-progress", decisionGate={"requiresVerification": True})
        proof = bench.settled("evidence", 1, status=result)
        made = planned(bench, moved(bench, task, status="completed"), at_rest(proof))
        (decision,) = [one for one in made.decisions if one.key == task.key]
        assert bool(decision.held) is (result != "passed")

    def test_evidence_of_both_sides_is_united(self, bench: Bench) -> None:
        """Evidence the hub has and evidence the spoke has both stand there afterwards, once each."""
        bench.needs_kind("evidence", written=True)
        bench.settled("task", 1)
        theirs = bench.settled("evidence", 1)
        ours, doc = bench.plain("evidence", 2)
        carried_out(bench, planned(bench, at_rest(theirs), of_hub(ours, doc)))
        assert {key for key in bench.everything() if key.kind == "evidence"} == {theirs.key, ours}
        assert bench.differences("evidence", bench.there(theirs.key) or {}, theirs.image) == []

    def test_evidence_leaves_its_task_alone(self, bench: Bench) -> None:
        """Adding evidence to a task changes neither the task nor its revision."""
        bench.needs_tasks()
        bench.needs_kind("evidence", written=True)
        task = bench.settled()
        bench.write(bench.creation(*bench.plain("evidence")))
        assert bench.listed()[task.key] == task

    def test_evidence_found_leaves_its_task_alone(self, bench: Bench) -> None:
        """Evidence that somebody put on the spoke is listed alone, without its task."""
        bench.needs_kind("task")
        bench.needs_kind("evidence")
        bench.settled()
        key = bench.plant(*bench.plain("evidence"))
        assert [seen.key for seen in bench.pull().observed] == [key]

    def test_evidence_told_twice_stands_once(self, bench: Bench) -> None:
        """Creating the same evidence again, as after a lost reply, adds nothing."""
        bench.needs_kind("evidence", written=True)
        change = bench.creation(*bench.plain("evidence"))
        first = bench.write(change)
        bench.state = {}
        assert bench.write(change) == first
        assert bench.there(change.key) is not None

    def test_results_by_criterion_are_kept(self, bench: Bench) -> None:
        """Results by criterion keep their order, their words and members the contract does not know."""
        bench.needs_field("evidence", "criteriaResults", written=True)
        results = [
            {"criterion": "It closes", "status": "passed", "evidence": "log.txt"},
            {"criterion": "It opens", "status": "of course", "evidence": "a: b", "seen by": ["ana", {"at": 3}]},
        ]
        key, doc = bench.plain("evidence", 1, criteriaResults=results)
        shown = bench.write(bench.creation(key, doc))
        assert (shown.image["criteriaResults"], (bench.there(key) or {})["criteriaResults"]) == (results, results)

    def test_evidence_about_something_else_is_kept(self, bench: Bench) -> None:
        """Evidence about a phase, or a task the spoke does not have, is kept as well."""
        bench.needs_field("evidence", "target", "targetType", written=True)
        keys = {Key("evidence", "E-1"), Key("evidence", "E-2")}
        _, doc = bench.plain("evidence")
        bench.write(bench.creation(Key("evidence", "E-1"), {**doc, "target": "phase-2", "targetType": "phase"}))
        bench.write(bench.creation(Key("evidence", "E-2"), {**doc, "target": "T-404"}))
        assert set(bench.everything()) == set(bench.listed()) == keys

    def test_a_method_is_not_improved(self, bench: Bench) -> None:
        """A method stays the words somebody wrote; a class derived from it never makes it a test."""
        bench.needs_field("evidence", "method")
        seen = bench.settled("evidence", 1, method="Dogfooding, mostly")
        made = decided(bench, at_rest(seen))
        assert value("evidence", seen.image, "method") == "Dogfooding, mostly"
        assert value("evidence", made.hub or seen.image, "methodClass") == "other"

    def test_deleted_evidence_leaves_the_rest(self, bench: Bench) -> None:
        """Deleting one piece of evidence leaves its task and the others."""
        bench.needs_deletion()
        bench.needs_kind("evidence", written=True)
        task = bench.settled()
        first, second = bench.settled("evidence", 1), bench.settled("evidence", 2)
        (outcome,) = bench.push(bench.deletion(first))
        assert outcome.error is None, outcome.error
        assert set(bench.everything()) == {task.key, second.key}

    def test_evidence_survives_its_task(self, bench: Bench) -> None:
        """When a task is deleted its evidence stays on the spoke: it is never deleted along with something else."""
        bench.needs_deletion()
        bench.needs_kind("evidence", written=True)
        task = bench.settled()
        proof = bench.settled("evidence", 1)
        bench.push(bench.deletion(task))
        assert set(bench.everything()) == set(bench.listed()) == {proof.key}

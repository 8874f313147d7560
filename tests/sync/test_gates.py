"""Gates and lifecycle: what the hub takes from a spoke, what it holds, and when it lets go."""

from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_sync.policy import Policy
from tests.sync.conftest import Project
from tests.sync.rig import Rig


def started(project: Project, names: str = "a b", *, gates: tuple[str, ...] = (), **fields: Any) -> Rig:
    """Return a project in step, with one task under way."""
    rig = project(names, gates=gates)
    rig.put("a", "T-1", title="Build it", status="in-progress", **fields)
    rig.sync()
    rig.check_rest()
    return rig


@pytest.mark.parametrize(
    ("gate", "word"),
    [
        ("noAutoClose", "decision to close"),
        ("requiresVerification", "passed evidence"),
        ("requiresOperatorApproval", "approval"),
    ],
)
@pytest.mark.parametrize("by_default", [False, True])
def test_a_gate_holds_completion_and_delays_nothing_else(
    project: Project, gate: str, word: str, *, by_default: bool
) -> None:
    own: dict[str, Any] = {} if by_default else {"decisionGate": {gate: True}}
    rig = started(project, gates=(gate,) if by_default else (), **own)
    rig.put("a", "T-1", status="completed", owner="ana")
    report = rig.sync()
    assert [(item["field"], item["value"], item["spokes"]) for item in report.held] == [("status", "completed", ["a"])]
    assert word in report.held[0]["missing"][0]
    assert rig.everywhere("T-1", "status") == ["in-progress", "completed", "in-progress"]
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()
    assert rig.waiting() == {("T-1", "status")}
    assert rig.records("event") == {}


def test_an_edit_beside_a_held_move_goes_both_ways(project: Project) -> None:
    rig = started(project, decisionGate={"noAutoClose": True})
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.put("b", "T-1", title="Build it well", labels=["x"])
    rig.sync()
    rig.check_rest()
    assert rig.everywhere("T-1", "title") == ["Build it well"] * 3
    assert rig.everywhere("T-1", "status") == ["in-progress", "completed", "in-progress"]
    assert rig.waiting() == {("T-1", "status")}


def test_evidence_arriving_in_the_same_run_opens_the_gate(project: Project) -> None:
    rig = started(project, decisionGate={"requiresVerification": True})
    rig.put("a", "T-1", status="completed")
    rig.put("b", "E-1", "evidence", target="T-1", status="passed", method="pytest")
    report = rig.sync()
    assert report.held == []
    assert rig.everywhere("T-1", "status") == ["completed"] * 3
    assert rig.everywhere("T-1", "deliveryState") == ["applied"] * 3
    rig.check_rest()


@pytest.mark.parametrize("status", ["failed", "partial", "skipped"])
def test_evidence_that_did_not_pass_opens_nothing(project: Project, status: str) -> None:
    rig = started(project, decisionGate={"requiresVerification": True})
    rig.put("a", "T-1", status="completed")
    rig.put("b", "E-1", "evidence", target="T-1", status=status)
    rig.put("b", "E-2", "evidence", target="T-2", status="passed")
    rig.sync()
    assert rig.waiting() == {("T-1", "status")}


def test_a_held_move_goes_through_when_its_evidence_comes_later(project: Project) -> None:
    rig = started(project, decisionGate={"requiresVerification": True})
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.put("b", "E-1", "evidence", target="T-1", status="passed", method="pytest")
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["completed"] * 3
    assert rig.waiting() == set()
    rig.check_rest()


def test_evidence_that_breaks_the_contract_opens_no_gate(project: Project) -> None:
    rig = started(project, decisionGate={"requiresVerification": True})
    rig.put("a", "T-1", status="completed")
    rig.put("a", "E-1", "evidence", target="T-1", status="passed", timestamp="yesterday")
    report = rig.sync()
    assert [item["where"] for item in report.problems] == ["E-1"]
    assert rig.hub("T-1") == {
        "title": "Build it",
        "status": "in-progress",
        "decisionGate": {"requiresVerification": True},
    }
    assert rig.waiting() == {("T-1", "status")}


def test_a_held_move_that_is_withdrawn_is_forgotten(project: Project) -> None:
    rig = started(project, decisionGate={"noAutoClose": True})
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.put("a", "T-1", status="in-progress")
    report = rig.sync()
    assert (report.held, report.writes) == ([], 0)
    assert rig.waiting() == set()
    rig.check_rest()
    assert rig.ledger.db.execute("SELECT count(*) FROM copies WHERE seen IS NOT NULL").fetchone() == (0,)


def test_lowering_the_gate_and_completing_in_one_edit_does_not_pass(project: Project) -> None:
    rig = started(project, decisionGate={"noAutoClose": True})
    rig.put("a", "T-1", status="completed", decisionGate={})
    rig.sync()
    assert ("T-1", "status") in rig.waiting()
    rig.sync()
    rig.check_rest()
    assert rig.hub("T-1", "task") == {
        "title": "Build it", "status": "in-progress", "decisionGate": {"noAutoClose": True},
    }  # fmt: skip


def test_a_gate_raised_in_the_same_run_holds_already(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-1", status="completed")
    rig.put("b", "T-1", decisionGate={"noAutoClose": True})
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["in-progress", "completed", "in-progress"]
    rig.check_rest()


def test_two_spokes_completing_a_gated_task_are_both_held(project: Project) -> None:
    rig = started(project, "a b c", decisionGate={"noAutoClose": True})
    rig.put("a", "T-1", status="completed")
    rig.put("c", "T-1", status="completed")
    report = rig.sync()
    assert [item["spokes"] for item in report.held] == [["a", "c"]]
    rig.check_rest()


def test_a_held_move_stays_known_while_its_spoke_is_away(project: Project) -> None:
    rig = started(project, decisionGate={"noAutoClose": True})
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.places["a"].store.broken = "unplugged"
    rig.put("b", "T-1", owner="ana")
    rig.sync()
    assert rig.waiting() == {("T-1", "status")}
    rig.places["a"].store.broken = ""
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()


def test_what_is_seen_for_the_first_time_is_history(project: Project) -> None:
    rig = project("a b", gates=("noAutoClose",))
    rig.put("a", "T-1", title="Old", status="completed", archived=True)
    rig.put("a", "T-2", title="Older", status="completed", decisionGate={"requiresVerification": True})
    report = rig.sync()
    assert report.held == []
    assert rig.everywhere("T-1", "status") == ["completed"] * 3
    assert rig.everywhere("T-2", "deliveryState") == ["recovery-required"] * 3
    rig.check_rest()


def test_completion_without_gate_or_evidence_is_taken_and_marked(project: Project) -> None:
    rig = started(project)
    rig.put("b", "T-1", status="completed")
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["recovery-required"] * 3
    rig.check_rest()


def test_the_delivery_state_follows_evidence_and_nobody_sets_it(project: Project) -> None:
    rig = started(project)
    rig.put("a", "P-1", "event", taskId="T-1", kind="progress", atIso="2025-01-01T00:00:00Z",
            actor={"type": "agent", "id": "x"})  # fmt: skip
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["reported"] * 3
    rig.put("a", "E-1", "evidence", target="T-1", status="partial", artifacts=["report.txt"])
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["artifact-produced"] * 3
    rig.put("b", "T-1", deliveryState="applied")
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["artifact-produced"] * 3
    rig.put("b", "E-1", "evidence", status="passed", method="pytest -q")
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["applied"] * 3
    rig.put("b", "E-1", "evidence", target="T-9")
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["reported"] * 3
    rig.check_rest()


def test_evidence_for_a_task_that_arrives_later_counts_at_once(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "E-1", "evidence", target="T-1", status="passed", method="pytest")
    rig.sync()
    rig.put("b", "T-1", title="Late", status="completed", decisionGate={"requiresVerification": True})
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["applied"] * 3
    rig.check_rest()


@pytest.mark.parametrize(
    ("before", "after", "event"),
    [
        ("planned", "blocked", "status-change"),
        ("completed", "planned", "reopen"),
        ("completed", "in-progress", "rollback"),
    ],
)
def test_an_irregular_move_is_taken_as_observed_and_flagged(
    project: Project, before: str, after: str, event: str
) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="A", status=before)
    rig.sync()
    rig.put("a", "T-1", status=after)
    report = rig.sync()
    assert [item["code"] for item in report.findings] == ["D-03"]
    assert rig.everywhere("T-1", "status")[0::2] == [None if after == "planned" else after] * 2
    (made,) = rig.records("event").values()
    assert (made["kind"], made["payload"]["irregular"], made["actor"]["id"]) == (event, True, "a")
    rig.check_rest()


def test_the_same_move_made_twice_is_two_events(project: Project) -> None:
    rig = started(project)
    for _ in range(2):
        rig.put("a", "T-1", status="blocked")
        rig.sync()
        rig.put("a", "T-1", status="in-progress")
        report = rig.sync()
        assert report.amended == 0
    kinds = [made["payload"]["after"] for made in rig.records("event").values()]
    assert sorted(kinds) == ["blocked", "blocked", "in-progress", "in-progress"]
    rig.check_rest()


def test_a_record_that_breaks_the_contract_changes_nothing_and_makes_no_event(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-1", priority="urgent", status="blocked")
    for _ in range(2):
        report = rig.sync()
        assert [item["where"] for item in report.problems] == ["T-1"]
        assert (report.accepted, report.writes) == (0, 0)
    assert rig.records("event") == {}
    rig.put("a", "T-1", priority="p1")
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["blocked"] * 3
    rig.check_rest()


def test_a_held_completion_once_hid_the_move_it_had_outdone(project: Project) -> None:
    rig = project("a b c", policy=Policy("adapter-first", "b"), gates=("requiresVerification",))
    rig.put("a", "T-1", title="One")
    rig.sync()
    rig.put("b", "T-1", status="completed")
    rig.put("c", "T-1", status="blocked")
    report = rig.sync()
    assert sorted((item["value"], item["spokes"]) for item in report.held) == [("blocked", ["c"]), ("completed", ["b"])]
    assert rig.everywhere("T-1", "status") == [None, None, "completed", "blocked"]
    rig.answer("T-1", "status", take="c")
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["blocked"] * 4
    rig.check_rest()


def test_a_spoke_adopted_anew_that_agrees_with_the_hub_was_once_held_too(project: Project) -> None:
    rig = project("a b", gates=("requiresVerification",))
    rig.put("a", "T-1", title="One")
    rig.sync()
    rig.put("b", "T-1", status="completed")
    rig.adopt("a")
    report = rig.sync()
    assert [(item["value"], item["spokes"]) for item in report.held] == [("completed", ["b"])]
    rig.check_rest()


def test_a_progress_event_that_went_to_another_task_once_left_its_claim_behind(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    said = {"kind": "progress", "atIso": "2025-01-01T00:00:00Z", "actor": {"type": "agent", "id": "x"}}
    rig.put("a", "V-1", "event", taskId="T-1", **said)
    rig.sync()
    rig.put("a", "V-1", "event", taskId="T-2")
    rig.sync()
    assert [rig.everywhere(ident, "deliveryState") for ident in ("T-1", "T-2")] == [[None] * 3, ["reported"] * 3]
    rig.check_rest()


def test_evidence_changed_by_command_once_left_the_delivery_state_as_it_was(project: Project) -> None:
    rig = project("a")
    rig.put("a", "T-1", title="One")
    rig.put("a", "E-1", "evidence", target="T-1", status="failed", method="pytest")
    rig.sync()
    states = [(rig.hub("T-1") or {}).get("deliveryState")]
    with rig.editor() as editor:
        editor.set_fields(Key("evidence", "E-1"), {"artifacts": ["log.txt"]})
    states.append((rig.hub("T-1") or {}).get("deliveryState"))
    with rig.editor() as editor:
        editor.bury(Key("evidence", "E-1"))
    states.append((rig.hub("T-1") or {}).get("deliveryState"))
    assert states == ["reported", "artifact-produced", None]

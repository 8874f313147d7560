"""Ways around a gate that once worked: adopting, undoing, another id, a task born completed, answers."""

from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Refused
from tallystick_sync.answers import undo
from tests.sync.conftest import Project
from tests.sync.rig import Rig
from tests.sync.test_gates import started

GATE: dict[str, Any] = {"decisionGate": {"noAutoClose": True}}


def _held(project: Project) -> Rig:
    rig = started(project, **GATE)
    rig.put("a", "T-1", status="completed")
    rig.sync()
    assert rig.waiting() == {("T-1", "status")}
    return rig


def _refused(rig: Rig, field: str, take: str, ident: str = "T-1") -> None:
    with pytest.raises(Refused) as refusal:
        rig.answer(ident, field, take=take)
    assert refusal.value.code == "gate"


def test_adopting_does_not_let_a_held_completion_pass_as_history(project: Project) -> None:
    rig = _held(project)
    rig.adopt()
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["in-progress", "completed", "in-progress"]
    _refused(rig, "status", "a")
    rig.check_rest()


def test_adopting_does_not_let_a_held_completion_pass_though_no_other_spoke_contradicts(project: Project) -> None:
    rig = started(project, "a", **GATE)
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.adopt()
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["in-progress", "completed"]
    _refused(rig, "status", "a")


@pytest.mark.parametrize("spoke", ["a", "b"])
def test_losing_the_ledger_does_not_let_a_held_completion_pass(project: Project, spoke: str) -> None:
    first = started(project, **GATE)
    first.put(spoke, "T-1", status="completed")
    first.sync()
    second = project("a b")
    second.places = first.places
    second.sync()
    assert (second.hub("T-1") or {})["status"] == "in-progress"
    _refused(second, "status", spoke)
    second.check_rest()


def test_taking_a_run_back_passes_no_gate(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.put("a", "T-1", status="planned")
    reopened = rig.sync().run
    rig.put("a", "T-1", **GATE)
    rig.sync()
    with rig.editor() as editor:
        done, left = undo(editor, reopened)
    assert (done, len(left)) == (0, 1)
    assert "cannot be completed yet" in left[0]


def test_taking_a_run_back_lowers_no_gate(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-1", status="completed")
    rig.sync()
    rig.put("a", "T-1", status="planned", **GATE)
    run = rig.sync().run
    with rig.editor() as editor:
        done, left = undo(editor, run)
    assert (done, len(left)) == (0, 2)
    assert (rig.hub("T-1") or {})["decisionGate"] == {"noAutoClose": True}


def test_another_id_passes_no_gate_and_deletes_nothing_unasked(project: Project) -> None:
    rig = started(project, **GATE)
    rig.put("a", "T-2", title="Another")  # a listing without any task is stopped by a guard
    rig.sync()
    records = rig.places["a"].store.records
    records[Key("task", "T-9")] = {**records.pop(Key("task", "T-1")), "status": "completed"}
    rig.sync()
    assert rig.asked() == {("T-1", "presence"), ("T-9", "id")}
    assert rig.hub("T-1") is not None
    assert rig.shown("b", "T-9") is None
    with pytest.raises(Refused):
        rig.answer("T-9", "id", chosen="T-9")
    rig.check_rest()


def test_a_task_that_changed_its_id_is_the_same_again_when_it_is_put_back(project: Project) -> None:
    rig = started(project, labels=["x"])
    rig.put("a", "T-2", title="Another")  # a listing without any task is stopped by a guard
    rig.sync()
    records = rig.places["a"].store.records
    records[Key("task", "T-9")] = records.pop(Key("task", "T-1"))
    rig.sync()
    records[Key("task", "T-1")] = records.pop(Key("task", "T-9"))
    rig.sync()
    assert rig.asked() == set()
    assert rig.everywhere("T-1", "labels") == [["x"]] * 3
    rig.check_rest()


def test_a_task_born_completed_waits_at_its_gate(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-2", title="Done before it began", status="completed", **GATE)
    rig.sync()
    assert rig.waiting() == {("T-2", "status")}
    assert rig.everywhere("T-2", "status") == [None, "completed", None]
    rig.check_rest()
    assert rig.waiting() == {("T-2", "status")}
    rig.put("a", "T-2", status="in-progress")
    rig.sync()
    assert rig.everywhere("T-2", "status") == ["in-progress"] * 3
    rig.check_rest()


def test_a_completion_that_waits_lowers_no_gate_by_an_answer(project: Project) -> None:
    rig = started(project, **GATE)
    rig.put("a", "T-1", status="completed", decisionGate={})
    rig.sync()
    assert rig.waiting() == {("T-1", "status"), ("T-1", "decisionGate")}
    _refused(rig, "decisionGate", "a")
    assert (rig.hub("T-1") or {})["decisionGate"] == {"noAutoClose": True}


def test_a_lowered_gate_leaves_its_trace(project: Project) -> None:
    rig = started(project, **GATE)
    rig.put("a", "T-1", decisionGate={})
    assert [item for item in rig.sync().findings if item["code"] == "gate-lowered"] == [
        {"code": "gate-lowered", "what": "noAutoClose", "where": "T-1"}
    ]

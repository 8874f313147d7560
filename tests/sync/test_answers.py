"""What people answer, take back and change in the hub itself."""

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Invalid, Refused
from tallystick_sync.answers import resolve, undo
from tests.sync.conftest import Project, filled


def test_undo_takes_back_what_a_run_brought_and_tells_what_it_cannot(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", owner="ana", title="Renamed")
    rig.put("a", "T-2", labels=["x"])
    rig.put("a", "T-13", title="New")
    run = rig.sync().run
    rig.put("b", "T-1", title="Renamed again")
    rig.sync()
    with rig.editor() as editor:
        done, left = undo(editor, run)
    assert done == 2
    assert sorted(sentence.partition(":")[0] for sentence in left) == ["T-1", "T-13"]
    rig.sync()
    assert rig.everywhere("T-1", "owner") == [None] * 3
    assert rig.everywhere("T-1", "title") == ["Renamed again"] * 3
    assert rig.everywhere("T-2", "labels") == [None] * 3
    rig.check_rest()


def test_undo_brings_back_what_a_run_deleted(project: Project) -> None:
    rig = filled(project)
    rig.drop("a", "T-1", "T-2")
    run = rig.sync().run
    with rig.editor() as editor:
        assert undo(editor, run) == (2, [])
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Task 1"] * 3
    rig.check_rest()


@pytest.mark.parametrize("field", ["title", "deliveryState", "presence", "id"])
def test_an_answer_needs_a_question(project: Project, field: str) -> None:
    rig = filled(project)
    with pytest.raises(Invalid), rig.editor() as editor:
        resolve(editor, Key("task", "T-1"), field, chosen="delete")
    assert rig.hub("T-1") == {"title": "Task 1"}
    rig.check_rest()


def test_an_answer_about_a_status_leaves_its_event(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", status="in-progress")
    rig.put("b", "T-1", status="blocked")
    rig.sync()
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-1"), "status", take="a")
    rig.sync()
    (event,) = rig.records("event").values()
    assert event["payload"] == {"before": "planned", "after": "in-progress"}
    assert event["actor"] == {"type": "operator", "id": "ana"}
    rig.check_rest()


def test_an_answer_is_refused_while_its_gate_is_unmet(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", decisionGate={"requiresVerification": True}, status="in-progress")
    rig.sync()
    rig.put("a", "T-1", status="completed")
    rig.sync()
    with pytest.raises(Refused, match="cannot be completed"), rig.editor() as editor:
        resolve(editor, Key("task", "T-1"), "status", take="a")
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-1"), "status", take="hub")
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["in-progress"] * 3
    rig.check_rest()


def test_labels_set_in_another_order_keep_journal_and_hub_alike(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", labels=["x", "y"])
    rig.sync()
    with rig.editor() as editor:
        editor.set_fields(Key("task", "T-1"), {"labels": ["y", "x"], "owner": "ana"})
    rig.sync()
    rig.check_rest()


def test_an_answer_spelled_with_flags_that_are_off_keeps_journal_and_hub_alike(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One", decisionGate={"noAutoClose": True})
    rig.sync()
    rig.put("a", "T-1", decisionGate={}, extensions={"x": 1})
    rig.put("b", "T-1", extensions={"x": 2})
    rig.sync()
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-1"), "extensions", chosen={"x": 3})
        editor.set_fields(Key("task", "T-1"), {"decisionGate": {"noAutoClose": False, "requiresVerification": True}})
    rig.sync()
    assert rig.everywhere("T-1", "decisionGate") == [{"requiresVerification": True}] * 3
    rig.check_rest()


def test_a_status_taken_back_leaves_its_event(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Build it", status="planned")
    rig.sync()
    rig.put("a", "T-1", status="in-progress")
    run = rig.sync().run
    with rig.editor() as editor:
        assert undo(editor, run) == (1, [])
    rig.sync()
    assert sorted(doc["payload"]["after"] for doc in rig.records("event").values()) == ["in-progress", "planned"]
    rig.check_rest()


def test_a_task_stayed_proven_by_evidence_that_undo_gave_back_to_another(project: Project) -> None:
    rig = project("a b")
    for ident in ("T-1", "T-2"):
        rig.put("a", ident, title=ident)
    rig.put("a", "E-1", "evidence", target="T-1", status="passed", method="pytest")
    rig.sync()
    rig.put("b", "E-1", "evidence", target="T-2")
    run = rig.sync().run
    assert rig.everywhere("T-2", "deliveryState") == ["applied"] * 3
    with rig.editor() as editor:
        undo(editor, run)
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["applied"] * 3
    assert rig.everywhere("T-2", "deliveryState") == [None] * 3
    rig.check_rest()

"""What was deleted and comes back: tombstones, stale copies, restored tasks."""

import pytest

from tallystick_contract.adapter import Key
from tests.sync.conftest import Project, filled
from tests.sync.faults import Killed, lose_reply, mend


@pytest.mark.parametrize(("how", "left"), [("keep", ["Back"] * 3), ("delete", ["missing"] * 3)])
def test_a_stale_copy_that_returns_is_asked_about_and_the_answer_is_carried_out(
    project: Project, how: str, left: list[str]
) -> None:
    rig = filled(project, "a b")
    rig.drop("a", "T-1")
    rig.sync()
    rig.put("b", "T-1", title="Back")
    for _ in range(3):
        report = rig.sync()
        assert [item["values"] for item in report.conflicts] == [{"b": "present", "hub": "deleted"}]
        assert report.writes == 0
    rig.answer("T-1", "presence", chosen=how)
    for _ in range(2):
        rig.sync()
    if ("T-1", "title") in rig.asked():
        rig.answer("T-1", "title", take="b")
        rig.sync()
    assert rig.everywhere("T-1", "title") == left
    assert rig.asked() == set()
    rig.check_rest()


def test_a_returned_copy_that_goes_again_ends_the_question(project: Project) -> None:
    rig = filled(project, "a b")
    rig.drop("a", "T-1")
    rig.sync()
    rig.put("b", "T-1", title="Back")
    rig.sync()
    rig.drop("b", "T-1")
    rig.sync()
    assert rig.asked() == set()
    rig.check_rest()


def test_a_new_spoke_with_a_deleted_task_brings_nothing_back(project: Project) -> None:
    rig = filled(project, "a b")
    rig.drop("a", "T-1")
    rig.sync()
    rig.join("c")
    for number in range(1, 13):
        rig.put("c", f"T-{number}", title=f"Task {number}")
    rig.sync()
    assert rig.asked() == {("T-1", "presence")}
    assert rig.everywhere("T-1", "title") == ["missing", "missing", "missing", "Task 1"]
    rig.answer("T-1", "presence", chosen="delete")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_restore_brings_a_task_back_everywhere(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("a", "T-1")
    rig.sync()
    with rig.editor() as editor:
        editor.restore("T-1")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Task 1"] * 4
    rig.check_rest()


def test_restore_before_the_deletion_was_carried_out_writes_nothing(project: Project) -> None:
    rig = filled(project, "a b c")
    with rig.editor() as editor:
        editor.bury(Key("task", "T-1"))
    with rig.editor() as editor:
        editor.restore("T-1")
    assert rig.sync().writes == 0
    rig.check_rest()


def test_restore_while_one_spoke_still_has_it(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.places["c"].store.broken = "unplugged"
    rig.drop("a", "T-1")
    rig.sync()
    with rig.editor() as editor:
        editor.restore("T-1")
    rig.places["c"].store.broken = ""
    rig.put("c", "T-1", title="Task one")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Task one"] * 4
    rig.check_rest()


def test_a_deletion_in_the_hub_reaches_a_spoke_that_was_away(project: Project) -> None:
    rig = filled(project, "a b c")
    with rig.editor() as editor:
        editor.bury(Key("task", "T-1"))
    rig.places["c"].store.broken = "unplugged"
    rig.sync()
    rig.places["c"].store.broken = ""
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_restore_after_a_deletion_that_died_unnoted_stays(project: Project) -> None:
    rig = filled(project, "a b c")
    with rig.editor() as editor:
        editor.bury(Key("task", "T-1"))
    lose_reply(rig.places["a"], Killed())
    with pytest.raises(Killed):
        rig.sync()
    mend(rig.places["a"])
    rig.reopen()
    assert rig.shown("a", "T-1") is None
    with rig.editor() as editor:
        editor.restore("T-1")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Task 1"] * 4
    rig.check_rest()


def test_what_comes_back_is_judged_by_what_is_there_now(project: Project) -> None:
    rig = filled(project, "a b")
    rig.put("a", "T-1", status="completed")
    rig.put("a", "E-1", "evidence", target="T-1", method="pytest", status="passed")
    rig.sync()
    with rig.editor() as editor:
        editor.bury(Key("evidence", "E-1"))
        assert editor.doc(Key("task", "T-1"))["deliveryState"] == "recovery-required"
        editor.bury(Key("task", "T-1"))
        editor.restore("T-1")
        assert editor.doc(Key("task", "T-1"))["deliveryState"] == "applied"
    rig.sync()
    assert rig.everywhere("T-1", "deliveryState") == ["applied"] * 3
    rig.check_rest()

"""Deletions, tombstones, returns: nothing is lost by absence, nothing comes back by accident."""

import pytest

from tallystick_contract.adapter import Key
from tallystick_sync.policy import Policy
from tests.sync.conftest import Project, filled


def test_a_deletion_reaches_every_spoke_and_stays(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("b", "T-1")
    report = rig.sync()
    assert [report.spokes[name].deleted for name in "abc"] == [1, 0, 1]
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_absence_that_proves_nothing_is_asked_about(project: Project) -> None:
    rig = project("a b")
    rig.places["a"].absence = "ask"
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.drop("a", "T-1")
    for _ in range(3):
        report = rig.sync()
        assert [(item["field"], item["values"]["a"]) for item in report.conflicts] == [("presence", "gone")]
        assert report.writes == 0
    assert rig.everywhere("T-1", "title") == ["One", "missing", "One"]


@pytest.mark.parametrize(("how", "left"), [("keep", ["One"] * 3), ("delete", ["missing"] * 3)])
def test_an_answer_about_absence_is_carried_out(project: Project, how: str, left: list[str]) -> None:
    rig = project("a b")
    rig.places["a"].absence = "ask"
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.drop("a", "T-1")
    rig.sync()
    rig.answer("T-1", "presence", chosen=how)
    rig.sync()
    assert rig.everywhere("T-1", "title") == left
    assert rig.asked() == set()
    rig.check_rest()


def test_a_vanished_record_that_shows_up_again_ends_the_question(project: Project) -> None:
    rig = project("a b")
    rig.places["a"].absence = "ask"
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.drop("a", "T-1")
    rig.sync()
    rig.put("a", "T-1", title="One again")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["One again"] * 3
    rig.check_rest()


@pytest.mark.parametrize("fields", [{"title": "Edited"}, {"notes": "was empty before"}, {"owner": None}])
def test_a_deletion_never_beats_an_edit(project: Project, fields: dict[str, str | None]) -> None:
    rig = filled(project, "a b c")
    rig.put("a", "T-1", owner="ana")
    rig.sync()
    rig.drop("a", "T-1")
    rig.put("b", "T-1", **fields)
    for _ in range(3):
        rig.sync()
        assert rig.asked() == {("T-1", "presence")}
        assert rig.shown("a", "T-1") is None
        name, new = next(iter(fields.items()))
        assert [rig.everywhere("T-1", name)[place] for place in (0, 2, 3)] == [new] * 3
    rig.answer("T-1", "presence", chosen="delete")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_a_deletion_never_beats_an_edit_made_in_the_hub(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("a", "T-1")
    with rig.editor() as editor:
        editor.set_fields(Key("task", "T-1"), {"milestone": "M1"})
    for _ in range(2):
        rig.sync()
        assert rig.asked() == {("T-1", "presence")}
    rig.answer("T-1", "presence", take="hub")
    rig.sync()
    assert rig.everywhere("T-1", "milestone") == ["M1"] * 4
    rig.check_rest()


def test_a_deletion_never_takes_an_edit_made_while_another_spoke_was_away(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("a", "T-1")
    rig.places["b"].store.broken = rig.places["c"].store.broken = "unplugged"
    rig.sync()
    rig.places["b"].store.broken = ""
    rig.put("b", "T-1", title="Worked on")
    rig.sync()
    assert rig.asked() == {("T-1", "presence")}
    rig.places["c"].store.broken = ""
    for _ in range(2):
        rig.sync()
        assert rig.shown("b", "T-1") == {"title": "Worked on"}
    rig.answer("T-1", "presence", chosen="keep")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Worked on"] * 4
    rig.check_rest()


def test_a_deletion_against_an_edit_it_cannot_show_is_asked_about_until_it_is_answered(project: Project) -> None:
    rig = filled(project, "a b")
    rig.places["b"].gaps = ("task.owner",)
    rig.drop("b", "T-1")
    rig.put("a", "T-1", owner="ana")
    for _ in range(3):
        rig.sync()
        assert rig.asked() == {("T-1", "presence")}
        assert rig.hub("T-1") == {"title": "Task 1", "owner": "ana"}


def test_a_field_the_spoke_cannot_show_is_no_edit_against_its_deletion(project: Project) -> None:
    rig = project("a b")
    rig.places["a"].gaps = ("task.notes",)
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.put("b", "T-1", notes="seen long before the deletion")
    rig.sync()
    rig.drop("a", "T-1")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 3
    rig.check_rest()


def test_deleting_a_task_with_an_open_conflict_asks_before_it_takes_anybody_s_words(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.put("a", "T-1", title="Mine")
    rig.put("b", "T-1", title="Yours")
    rig.sync()
    with rig.editor() as editor:
        editor.bury(Key("task", "T-1"))
    for _ in range(2):
        rig.sync()
        assert rig.asked() == {("T-1", "presence")}
    assert rig.everywhere("T-1", "title") == ["missing", "Mine", "Yours", "missing"]
    rig.answer("T-1", "presence", chosen="delete")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_a_conflicting_copy_that_is_deleted_asks(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.put("a", "T-1", title="Mine")
    rig.put("b", "T-1", title="Yours")
    rig.sync()
    rig.drop("a", "T-1")
    rig.sync()
    assert ("T-1", "presence") in rig.asked()
    rig.sync()
    assert rig.shown("b", "T-1") == {"title": "Yours"}
    rig.answer("T-1", "presence", chosen="keep")
    rig.sync()
    rig.sync()
    assert rig.asked() == set()
    assert rig.everywhere("T-1", "title") == ["Yours"] * 4
    rig.check_rest()


@pytest.mark.parametrize("kind", ["evidence", "event"])
def test_evidence_and_events_are_put_back(project: Project, kind: str) -> None:
    rig = filled(project, "a b c")
    fields: dict[str, dict[str, object]] = {
        "evidence": {"target": "T-1", "status": "passed"},
        "event": {"taskId": "T-1", "atIso": "2025-01-01T00:00:00Z", "actor": {"type": "agent", "id": "x"}},
    }
    rig.put("a", "X-1", kind, **fields[kind])
    rig.sync()
    rig.drop("b", "X-1", kind=kind)
    report = rig.sync()
    assert (report.spokes["b"].created, report.conflicts) == (1, [])
    assert rig.shown("b", "X-1", kind) == rig.hub("X-1", kind)
    rig.check_rest()


def test_a_quarantined_copy_is_left_alone_and_counted_as_present(project: Project) -> None:
    rig = filled(project, "a b c")
    bad = Key("task", "T-1")
    rig.places["b"].store.unreadable.add(bad)
    rig.put("a", "T-1", title="Changed meanwhile")
    report = rig.sync()
    assert [item["id"] for item in report.quarantined] == ["T-1"]
    assert report.partial
    assert rig.everywhere("T-1", "title") == ["Changed meanwhile", "Changed meanwhile", "Task 1", "Changed meanwhile"]
    rig.places["b"].store.unreadable.clear()
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Changed meanwhile"] * 4
    rig.check_rest()


def test_a_quarantined_copy_that_is_deleted_is_missed(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.places["b"].store.unreadable.add(Key("task", "T-1"))
    rig.sync()
    rig.places["b"].store.unreadable.clear()
    rig.drop("b", "T-1")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_a_deletion_waits_for_a_copy_that_cannot_be_read(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.places["b"].store.unreadable.add(Key("task", "T-1"))
    rig.drop("a", "T-1")
    rig.sync()
    assert Key("task", "T-1") in rig.places["b"].store.records
    rig.places["b"].store.unreadable.clear()
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()


def test_a_mirror_deletes_nothing_by_itself(project: Project) -> None:
    rig = project("a b", policy=Policy("canonical-plus-mirror", "a"))
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.drop("b", "T-1")
    rig.sync()
    assert rig.asked() == {("T-1", "presence")}
    assert rig.shown("a", "T-1") == {"title": "One"}


def test_a_record_that_vanished_behind_a_hole_before_it_was_agreed_on_is_missed(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Fix it")
    rig.put("a", "T-2", title="More")
    rig.put("b", "N-1", title="Fix it")
    rig.sync()
    assert rig.asked() == {("T-1", "id")}
    rig.places["a"].store.complete = False
    rig.drop("a", "T-1")
    rig.sync()
    rig.places["a"].store.complete = True
    rig.sync()
    assert rig.asked() == set()
    rig.check_rest()


def test_a_question_about_absence_outlives_runs_without_its_spoke(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("a", "T-1")
    rig.put("b", "T-1", title="Edited")
    rig.sync()
    assert rig.asked() == {("T-1", "presence")}
    rig.sync("b")
    assert rig.asked() == {("T-1", "presence")}
    rig.drop("b", "T-1")
    rig.sync("b")
    assert rig.asked() == {("T-1", "presence")}
    rig.answer("T-1", "presence", chosen="delete")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 4
    rig.check_rest()

"""Failures that other tools' users reported, as scenarios of spokes of our own."""

from collections.abc import Sequence

import pytest

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.errors import Broken, Refused, Stopped, Unknown
from tallystick_sync.answers import resolve
from tallystick_sync.policy import Policy
from tests.sync.conftest import Project
from tests.sync.faults import Killed, Meddled, Push, lose_reply, mend
from tests.sync.rig import Rig


def filled(project: Project, names: str = "a b c", count: int = 12) -> Rig:
    rig = project(names)
    for number in range(1, count + 1):
        rig.put("a", f"T-{number}", title=f"Task {number}")
    rig.sync()
    return rig


# Acceptance cases


def test_bc_003_what_one_spoke_mirrored_is_not_mirrored_back_by_the_next(project: Project) -> None:
    rig = project("a b c")
    rig.put("a", "T-30", title="Written by a person")
    for _ in range(4):
        rig.sync()
    note = {"kind": "note", "atIso": "2025-01-01T10:00:00Z", "actor": {"type": "operator", "id": "ana"}}
    rig.put("b", "N-1", "event", taskId="T-30", payload={"text": "a comment"}, **note)
    for _ in range(4):
        rig.sync()
    for place in rig.places.values():
        assert sorted(place.store.records) == [Key("event", "N-1"), Key("task", "T-30")]
    rig.check_rest()


@pytest.mark.parametrize("left", [0, 1])
def test_bc_005_a_spoke_suddenly_empty_deletes_nothing(project: Project, left: int) -> None:
    rig = filled(project)
    kept = dict(rig.places["b"].store.records)
    rig.drop("b", *(f"T-{number}" for number in range(1, 13 - left)))
    with pytest.raises(Stopped, match=str(12 - left)):
        rig.sync()
    assert all(len(rig.places[name].store.records) == 12 for name in "ac")
    rig.places["b"].store.records = kept
    assert rig.sync().writes == 0
    rig.check_rest()


def test_bc_005_another_folder_is_another_scope(project: Project) -> None:
    rig = filled(project)
    rig.places["b"].store.scope = "/elsewhere"
    with pytest.raises(Stopped, match="used to be b") as caught:
        rig.sync()
    assert caught.value.code == "scope-changed"


def test_bc_007_a_deletion_against_an_edit_pair_by_pair_keeps_the_text(project: Project) -> None:
    rig = filled(project)
    rig.drop("a", "T-7")
    rig.put("c", "T-7", title="Edited offline")
    rig.sync("a", "b")
    rig.sync("b", "c")
    for _ in range(3):
        rig.sync()
    assert rig.asked() == {("T-7", "presence")}
    assert rig.shown("c", "T-7") == {"title": "Edited offline"}
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-7"), "presence", chosen="delete")
    rig.sync()
    rig.join("d")
    rig.put("d", "T-7", title="Task 7")
    for _ in range(2):
        rig.sync()
    assert rig.everywhere("T-7", "title") == ["missing"] * 4 + ["Task 7"]
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-7"), "presence", chosen="delete")
    rig.sync()
    rig.put("a", "T-13", title="Task 7")
    rig.sync()
    assert rig.everywhere("T-13", "title") == ["Task 7"] * 5
    assert rig.everywhere("T-7", "title") == ["missing"] * 5
    rig.check_rest()


def test_bc_008_edits_of_different_fields_combine_and_of_one_field_are_asked_about(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-8", title="A", priority="p3", labels=["x"])
    rig.sync()
    rig.put("a", "T-8", priority="p1", labels=["x", "y"])
    rig.put("b", "T-8", title="B", labels=[])
    assert rig.sync().conflicts == []
    assert rig.hub("T-8") == {"title": "B", "priority": "p1", "labels": ["y"]}
    rig.check_rest()
    rig.put("a", "T-8", title="C")
    rig.put("b", "T-8", title="D")
    (question,) = rig.sync().conflicts
    assert (question["field"], question["values"]) == ("title", {"a": "C", "b": "D", "hub": "B"})
    assert rig.everywhere("T-8", "title") == ["B", "C", "D"]
    rig.put("a", "T-8", labels=["y", "z"])
    rig.put("b", "T-8", labels=["z", "y"])
    rig.sync()
    assert sorted((rig.hub("T-8") or {})["labels"]) == ["y", "z"]
    assert rig.asked() == {("T-8", "title")}
    rig.check_rest()


def test_bc_011_a_status_a_person_set_is_never_set_back(project: Project) -> None:
    rig = project("a b")
    for ident, status in (("T-11", "in-progress"), ("T-12", "cancelled"), ("T-13", "blocked"), ("T-14", "planned")):
        rig.put("a", ident, title=ident, status=status)
    rig.sync()
    rig.put("b", "T-11", status="cancelled")
    rig.sync()
    rig.put("a", "T-14", owner="ana")
    rig.sync()
    for _ in range(4):
        assert rig.sync().writes == 0
    assert [rig.everywhere(f"T-{number}", "status")[0] for number in (11, 12, 13)] == [
        "cancelled",
        "cancelled",
        "blocked",
    ]
    rig.put("b", "T-12", status="planned")
    rig.sync()
    assert rig.everywhere("T-12", "status") == [None] * 3
    rig.check_rest()


@pytest.mark.parametrize("how", ["one record", "a whole spoke", "interrupted"])
def test_bc_012_what_a_failed_run_did_not_reach_is_reached_by_the_next(project: Project, how: str) -> None:
    rig = filled(project, "a b", count=50)
    for number in range(1, 50):
        rig.put("a", f"T-{number}", owner="ana")
    if how == "one record":
        bad = Key("task", "T-31")

        def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
            done = {item.key: item for item in write([change for change in changes if change.key != bad])}
            return [done.get(change.key, Outcome(change.key, error=Unknown("500"))) for change in changes]

        rig.places["b"].wrap = lambda inner: Meddled(inner, push)
        assert rig.sync().partial
    elif how == "a whole spoke":
        lose_reply(rig.places["b"], Broken("page 2 failed"), keep=20)
        assert rig.sync().partial
    else:
        lose_reply(rig.places["b"], Killed(), keep=20)
        with pytest.raises(Killed):
            rig.sync()
        rig.reopen()
    mend(rig.places["b"])
    rig.sync()
    assert all(rig.everywhere(f"T-{number}", "owner") == ["ana"] * 3 for number in range(1, 50))
    rig.check_rest()


def test_bc_012_one_bad_record_is_named_every_run_and_stops_no_other(project: Project) -> None:
    rig = filled(project, "a b")
    rig.places["a"].store.unreadable.add(Key("task", "T-1"))
    for number in (2, 3):
        rig.put("a", f"T-{number}", owner="ana")
        report = rig.sync()
        assert [item["id"] for item in report.quarantined] == ["T-1"]
        assert rig.everywhere(f"T-{number}", "owner") == ["ana"] * 3


def test_bc_014_no_clock_decides(project: Project) -> None:
    rig = filled(project, "a b")
    rig.now = lambda: "1999-01-01T00:00:00Z"  # type: ignore[method-assign]
    rig.put("a", "T-1", title="Later by any clock", due="2031-01-01")
    rig.put("b", "T-1", title="Earlier by any clock")
    rig.sync()
    assert rig.asked() == {("T-1", "title")}
    rig.put("b", "T-2", title="An ordinary edit")
    rig.sync()
    assert rig.everywhere("T-2", "title") == ["An ordinary edit"] * 3


def test_bc_014_rewriting_the_same_content_writes_nothing(project: Project) -> None:
    rig = filled(project, "a b")
    for number in range(1, 13):
        rig.put("a", f"T-{number}", title=f"Task {number}", labels=[])
    report = rig.sync()
    assert (report.writes, report.accepted) == (0, 0)


# Public failures: duplicates


@pytest.mark.parametrize("error", [Unknown("read-back was rate-limited"), Broken("time-out"), Killed()])
def test_a_lost_create_reply_makes_no_second_record(project: Project, error: BaseException) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One")
    for number in range(3):
        rig.put("a", "T-1", title=f"Renamed {number}")
        lose_reply(rig.places["b"], error)
        if isinstance(error, Killed):
            with pytest.raises(Killed):
                rig.sync()
            rig.reopen()
        else:
            rig.sync()
        mend(rig.places["b"])
        rig.sync()
    assert len(rig.places["b"].store.records) == 1
    rig.check_rest()


def test_spokes_that_both_had_the_records_before_are_linked(project: Project) -> None:
    rig = project("a b")
    for spoke in "ab":
        for number in range(20):
            rig.put(spoke, f"T-{number}", title=f"Task {number}")
    assert rig.sync().writes == 0
    assert len(rig.records()) == 20


def test_two_engines_on_the_same_spokes_make_one_event_of_one_move(project: Project) -> None:
    one, two = project("a b"), project("a b")
    two.places = one.places
    one.put("a", "T-1", title="One")
    one.sync()
    two.sync()
    one.put("a", "T-1", status="in-progress")
    one.sync()
    two.sync()
    assert len(one.records("event")) == 1
    assert one.records("event") == two.records("event")
    for rig in (one, two):
        rig.check_rest()


def test_two_engines_that_see_a_move_at_once_settle_on_one_event(project: Project) -> None:
    """The other engine's event is not there yet when this one takes the move: the id makes them one."""
    one, two = project("a b"), project("a b")
    two.places = one.places
    two.now()
    one.places["a"].kinds = ("task",)
    one.put("a", "T-1", title="One")
    one.sync()
    two.sync()
    one.put("a", "T-1", status="in-progress")
    one.sync()
    two.sync("a")
    for _ in range(2):
        for rig in (one, two):
            rig.sync()
            assert rig.asked() == set()
    assert len(one.records("event")) == 1
    assert one.records("event") == two.records("event")
    for rig in (one, two):
        rig.check_rest()


# Public failures: lost updates


def test_a_closed_task_created_on_a_spoke_arrives_closed(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One", status="completed")
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["completed"] * 3


def test_stale_state_is_never_exported_over_fresh(project: Project) -> None:
    rig = filled(project, "a b")
    rig.put("a", "T-1", status="in-progress")
    rig.sync("a")
    rig.put("b", "T-1", status="cancelled")
    for order in (["a", "b"], ["b", "a"]):
        rig.sync(order=order)
        assert rig.shown("b", "T-1") == {"title": "Task 1", "status": "cancelled"}
    assert rig.asked() == {("T-1", "status")}


def test_a_field_the_other_side_has_not_got_is_not_emptied(project: Project) -> None:
    rig = project("a b")
    rig.places["b"].gaps = ("task.owner", "task.labels", "task.parent")
    rig.put("a", "T-1", title="One", owner="ana", labels=["x"], parent="T-0")
    rig.sync()
    for number in range(3):
        rig.put("b", "T-1", title=f"Renamed {number}")
        rig.sync()
    assert rig.shown("a", "T-1") == {"title": "Renamed 2", "owner": "ana", "labels": ["x"], "parent": "T-0"}
    rig.check_rest()


def test_a_label_removed_stays_removed(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One", labels=["x", "y"])
    rig.sync()
    rig.put("b", "T-1", labels=["y"])
    rig.sync()
    assert rig.everywhere("T-1", "labels") == [["y"]] * 3
    rig.check_rest()


def test_a_label_removed_stays_removed_though_another_reply_was_lost(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", labels=["x"])
    lose_reply(rig.places["b"], Unknown("no answer"))
    rig.sync()
    mend(rig.places["b"])
    rig.put("c", "T-1", labels=[])
    rig.sync()
    assert rig.everywhere("T-1", "labels") == [None] * 4
    rig.check_rest()


def test_one_oversize_item_does_not_stop_the_checkpoint(project: Project) -> None:
    rig = filled(project, "a b")

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        fits = [change for change in changes if len(str(change.image)) < 200]
        done = {item.key: item for item in write(fits)}
        return [done.get(change.key, Outcome(change.key, error=Refused("too large"))) for change in changes]

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    rig.put("a", "T-1", description="x" * 300)
    for number in range(2, 6):
        rig.put("a", f"T-{number}", owner="ana")
        rig.sync()
        assert rig.everywhere(f"T-{number}", "owner") == ["ana"] * 3
    rig.put("a", "T-1", description="short")
    rig.sync()
    mend(rig.places["b"])
    rig.check_rest()


# Public failures: deletions


def test_a_failed_service_completes_and_deletes_nothing(project: Project) -> None:
    rig = filled(project)
    rig.places["b"].store.broken = "503"
    kept, rig.places["b"].store.records = rig.places["b"].store.records, {}
    report = rig.sync()
    assert report.writes == 0
    rig.places["b"].store.broken, rig.places["b"].store.records = "", kept
    assert rig.sync().writes == 0
    rig.check_rest()


def test_a_record_removed_remotely_is_not_retried_for_ever(project: Project) -> None:
    rig = filled(project, "a b")
    rig.places["b"].absence = "ask"
    rig.drop("b", "T-1")
    rig.put("a", "T-1", owner="ana")
    reports = [rig.sync() for _ in range(3)]
    assert [report.writes for report in reports] == [0, 0, 0]
    assert all([item["field"] for item in report.conflicts] == ["presence"] for report in reports)
    assert all(report.problems == [] for report in reports)


def test_a_record_made_again_after_its_deletion_is_not_deleted_in_silence(project: Project) -> None:
    rig = filled(project, "a b")
    rig.drop("a", "T-1")
    rig.sync()
    rig.put("a", "T-1", title="The same id, another task")
    for _ in range(3):
        rig.sync()
        assert rig.shown("a", "T-1") == {"title": "The same id, another task"}
    assert rig.asked() == {("T-1", "presence")}


# Public failures: loops


@pytest.mark.parametrize("preset", ["team", "canonical-local", "adapter-first", "canonical-plus-mirror"])
def test_nothing_is_written_when_nothing_changed(project: Project, preset: str) -> None:
    rig = project("a b c", policy=Policy(preset, "a"))
    rig.put("a", "T-1", title="One", labels=["b", "a"], notes="x\n", acceptanceCriteria=[{"text": "t", "done": False}])
    rig.put("a", "E-1", "evidence", target="T-1", status="passed", timestamp="2025-01-01T10:00:00+02:00")
    rig.sync()
    for _ in range(5):
        report = rig.sync()
        assert (report.writes, report.accepted, sum(spoke.read for spoke in report.spokes.values())) == (0, 0, 0)
    rig.put("b", "T-1", labels=["a", "b"])
    rig.put("b", "E-1", "evidence", timestamp="2025-01-01T08:00:00Z")
    for _ in range(2):
        report = rig.sync()
        assert (report.writes, report.accepted) == (0, 0)

"""Failures that other tools' users reported: duplicates, lost updates, wrong deletions, loops."""

from collections.abc import Sequence

import pytest

from tallystick_contract.adapter import Change, Outcome
from tallystick_contract.errors import Broken, Refused, Unknown
from tallystick_sync.policy import Policy
from tests.sync.conftest import Project, filled
from tests.sync.faults import Killed, Meddled, Push, lose_reply, mend

# Duplicates


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


# Lost updates


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
    rig = filled(project, "a b c")
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


# Deletions


def test_a_failed_service_completes_and_deletes_nothing(project: Project) -> None:
    rig = filled(project, "a b c")
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


# Loops


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

"""Other writers between reading and writing, replies that never come, sudden death: nothing is lost or doubled."""

from dataclasses import replace

import pytest

from tallystick_conformance.reference import Reference
from tallystick_contract.adapter import Key, Pull, SpokeState
from tallystick_contract.errors import Broken, Throttled, Unknown
from tests.sync.conftest import Project, filled
from tests.sync.faults import Killed, before_push, lose_reply, mend

# Other writers


def test_an_edit_made_between_reading_and_writing_is_not_lost(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", owner="ana")
    before_push(rig.places["b"], lambda _changes: rig.put("b", "T-1", notes="meanwhile"))
    report = rig.sync()
    assert report.amended == 1
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    assert rig.everywhere("T-1", "notes") == ["meanwhile"] * 3
    rig.check_rest()


def test_an_edit_of_the_same_field_in_between_is_asked_about(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", title="From a")
    before_push(rig.places["b"], lambda _changes: rig.put("b", "T-1", title="From b"))
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["From a", "From a", "From b"]
    assert rig.asked() == {("T-1", "title")}
    rig.check_rest()


def test_a_record_created_in_between_under_the_same_id_is_merged(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-13", title="New", owner="ana")
    before_push(rig.places["b"], lambda _changes: rig.put("b", "T-13", title="New", notes="other"))
    rig.sync()
    assert rig.hub("T-13") == {"title": "New", "owner": "ana", "notes": "other"}
    rig.check_rest()


def test_a_record_edited_before_it_was_to_be_deleted_is_asked_about(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.drop("a", "T-1")
    before_push(rig.places["b"], lambda _changes: rig.put("b", "T-1", notes="still working"))
    rig.sync()
    for _ in range(2):
        assert rig.asked() == {("T-1", "presence")}
        assert rig.shown("b", "T-1") == {"title": "Task 1", "notes": "still working"}
        rig.sync()


def test_a_record_deleted_before_it_was_to_be_edited_is_asked_about(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", owner="ana")
    before_push(rig.places["b"], lambda _changes: rig.drop("b", "T-1"))
    rig.sync()
    assert rig.asked() == {("T-1", "presence")}
    assert rig.everywhere("T-1", "owner") == ["ana", "ana", "missing"]
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana", "ana", "missing"]


def test_a_record_that_never_holds_still_ends_the_run_with_a_sentence(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", owner="ana")
    count = iter(range(100))
    before_push(rig.places["b"], lambda _changes: rig.put("b", "T-1", notes=str(next(count))), times=50)
    report = rig.sync()
    assert [item["what"] for item in report.problems] == ["kept changing while it was written"]
    mend(rig.places["b"])
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()


def test_a_deletion_after_a_crash_is_noticed_though_another_spoke_ran_first(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-13", title="New")
    lose_reply(rig.places["b"], Killed(), keep=0)
    with pytest.raises(Killed):
        rig.sync()
    rig.reopen()
    mend(rig.places["b"])
    rig.sync("b")
    rig.drop("a", "T-13")
    rig.sync()
    assert rig.everywhere("T-13", "title") == ["missing"] * 3
    rig.check_rest()


def test_a_record_unreadable_after_a_crash_and_deleted_since_is_missed(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-13", title="New")
    lose_reply(rig.places["b"], Killed(), keep=0)
    with pytest.raises(Killed):
        rig.sync()
    rig.reopen()
    mend(rig.places["b"])
    rig.places["a"].store.unreadable.add(Key("task", "T-13"))
    rig.sync()
    rig.places["a"].store.unreadable.clear()
    rig.drop("a", "T-13")
    rig.sync()
    assert rig.everywhere("T-13", "title") == ["missing"] * 3
    rig.check_rest()


class Nameless(Reference):
    """A spoke that cannot tell which record it cannot read, only where it lies."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        return replace(pull, quarantined=[replace(bad, key=None) for bad in pull.quarantined])


def test_a_record_that_cannot_be_read_after_a_crash_is_not_taken_for_deleted(project: Project) -> None:
    rig = filled(project)
    place = rig.places["b"]
    lose_reply(rig.places["a"], Killed())
    rig.put("b", "T-2", owner="ana")
    with pytest.raises(Killed):
        rig.sync()
    mend(rig.places["a"])
    place.store.unreadable.add(Key("task", "T-1"))
    place.wrap = lambda _inner: Nameless(place.store)
    rig.sync()
    assert rig.shown("a", "T-1") == {"title": "Task 1"}
    place.store.unreadable.clear()
    rig.sync()
    rig.check_rest()


# Replies that never came, and sudden death


@pytest.mark.parametrize("error", [Broken("gone"), Unknown("no answer"), Throttled("wait"), Killed()])
@pytest.mark.parametrize("op", ["create", "update", "delete"])
@pytest.mark.parametrize("keep", [None, 1, 0])
def test_a_write_whose_reply_was_lost_is_neither_doubled_nor_forgotten(
    project: Project, error: BaseException, op: str, keep: int | None
) -> None:
    rig = filled(project)
    lose_reply(rig.places["b"], error, keep=keep)
    for number in (1, 2, 3):
        if op == "create":
            rig.put("a", f"N-{number}", title=f"New {number}")
        elif op == "update":
            rig.put("a", f"T-{number}", owner="ana", labels=["x"])
        else:
            rig.drop("a", f"T-{number}")
    if isinstance(error, Killed):
        with pytest.raises(Killed):
            rig.sync()
        rig.reopen()
    else:
        rig.sync()
    mend(rig.places["b"])
    report = rig.sync()
    assert report.replayed == 3
    assert report.conflicts == []
    rig.check_rest()
    assert len(rig.records()) == {"create": 15, "update": 12, "delete": 9}[op]


def test_an_interrupted_run_says_what_is_left_and_the_next_one_does_it(project: Project) -> None:
    rig = project("a b c")
    for number in range(450):
        rig.put("a", f"T-{number:03}", title=f"Task {number}")
    pushes = iter([False, True, True, True])
    report = rig.sync(interrupted=lambda: next(pushes))
    assert (report.interrupted, report.writes, report.left) == (True, 200, 700)
    assert rig.sync().writes == 700
    rig.check_rest()

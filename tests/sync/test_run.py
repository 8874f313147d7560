"""Spokes that are away, break or refuse: nobody else waits, and they catch up."""

from collections.abc import Sequence

import pytest

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.errors import Broken, Refused, Throttled
from tests.sync.conftest import Project, filled
from tests.sync.faults import Meddled, Push, before_push, mend


def test_a_broken_spoke_stops_nobody_and_catches_up(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.places["b"].store.broken = "disk gone"
    rig.put("a", "T-1", owner="ana")
    rig.put("c", "T-13", title="New")
    report = rig.sync()
    assert report.partial
    assert "disk gone" in report.spokes["b"].error
    assert rig.shown("c", "T-1") == {"title": "Task 1", "owner": "ana"}
    rig.sync()
    rig.places["b"].store.broken = ""
    report = rig.sync()
    assert (report.spokes["b"].created, report.spokes["b"].updated) == (1, 1)
    rig.check_rest()


def test_a_spoke_left_out_of_several_runs_still_gets_everything(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.put("a", "T-1", owner="ana")
    rig.drop("a", "T-2")
    for _ in range(3):
        rig.sync("a", "b")
    assert rig.shown("c", "T-1") == {"title": "Task 1"}
    rig.sync("c")
    assert rig.shown("c", "T-1") == {"title": "Task 1", "owner": "ana"}
    assert rig.shown("c", "T-2") is None
    rig.sync()
    assert rig.dirty() == set()
    rig.check_rest()


def test_a_hub_edit_reaches_a_spoke_that_missed_two_runs(project: Project) -> None:
    rig = filled(project, "a b")
    with rig.editor() as editor:
        editor.set_fields(Key("task", "T-1"), {"owner": "ana"})
    rig.sync("a")
    rig.sync("a")
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()


def test_a_new_spoke_gets_everything_at_once(project: Project) -> None:
    rig = filled(project)
    rig.join("c")
    assert rig.sync().spokes["c"].created == 12
    rig.check_rest()


def test_a_new_spoke_that_is_broken_at_first_gets_everything_later(project: Project) -> None:
    rig = filled(project)
    rig.join("c")
    rig.places["c"].store.broken = "not mounted"
    rig.sync()
    rig.places["c"].store.broken = ""
    assert rig.sync().spokes["c"].created == 12
    rig.check_rest()


@pytest.mark.parametrize("away", ["broken", "left out"])
def test_a_spoke_opened_for_writing_while_it_was_away_still_catches_up(project: Project, away: str) -> None:
    rig = filled(project)
    rig.join("c")
    rig.places["c"].writable = False
    rig.sync()
    rig.places["c"].writable = True
    if away == "broken":
        rig.places["c"].store.broken = "not mounted"
        rig.sync()
        rig.places["c"].store.broken = ""
    else:
        rig.sync("a", "b")
    assert rig.sync().spokes["c"].created == 12
    rig.check_rest()


def test_a_deletion_reaches_a_spoke_opened_for_writing_later(project: Project) -> None:
    rig = filled(project)
    rig.places["b"].writable = False
    rig.sync()
    rig.drop("a", "T-1")
    rig.sync()
    assert rig.shown("b", "T-1") is not None
    rig.places["b"].writable = True
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 3
    rig.check_rest()


@pytest.mark.parametrize("error", [Broken("unplugged"), Throttled("too many")])
def test_a_spoke_that_breaks_while_it_is_written_is_left_alone(project: Project, error: Exception) -> None:
    rig = project("a b c")
    for number in range(450):
        rig.put("a", f"T-{number:03}", title=f"Task {number}")
    tried = []

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        tried.append(len(changes))
        if len(tried) == 2:
            raise error
        return write(changes)

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    report = rig.sync()
    assert tried == [200, 200]
    assert report.spokes["b"].error
    assert (report.spokes["b"].created, report.spokes["c"].created) == (200, 450)
    mend(rig.places["b"])
    assert rig.sync().spokes["b"].created == 250
    rig.check_rest()


def test_a_refused_record_stops_no_other_and_is_tried_again(project: Project) -> None:
    rig = filled(project)

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        bad = {"T-1"}
        done = iter(write([change for change in changes if change.key.id not in bad]))
        refusal = Refused("is locked")
        return [Outcome(item.key, error=refusal) if item.key.id in bad else next(done) for item in changes]

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    rig.put("a", "T-1", owner="ana")
    rig.put("a", "T-2", owner="ana")
    for _ in range(2):
        report = rig.sync()
        assert [item["what"] for item in report.problems] == ["is locked"]
    assert rig.everywhere("T-2", "owner") == ["ana"] * 3
    mend(rig.places["b"])
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()


def test_a_spoke_that_took_less_than_it_was_given_is_written_again(project: Project) -> None:
    """A create that ignores the status leaves a difference, and a difference is never forgotten."""
    rig = project("a b")
    rig.put("a", "T-1", title="One", status="completed")

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        fields = [{name: item for name, item in change.fields.items() if name != "status"} for change in changes]
        return write([Change(c.op, c.key, c.expect, f, c.image) for c, f in zip(changes, fields, strict=True)])

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    report = rig.sync()
    assert rig.shown("b", "T-1") == {"title": "One", "deliveryState": "recovery-required"}
    assert report.partial
    mend(rig.places["b"])
    rig.sync()
    assert rig.everywhere("T-1", "status") == ["completed"] * 3
    rig.check_rest()


def test_a_record_on_the_page_that_was_missing_was_once_created_again(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One")
    rig.places["b"].store.complete = False
    asked: list[str] = []
    before_push(rig.places["b"], lambda changes: asked.extend(change.op for change in changes))
    rig.sync()
    assert asked == []
    assert rig.dirty() == {"T-1"}
    mend(rig.places["b"])
    rig.places["b"].store.complete = True
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["One"] * 3
    rig.check_rest()

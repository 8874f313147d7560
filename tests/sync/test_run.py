"""A run as a whole: guards, broken spokes, partial runs, other writers, lost ledgers."""

import shutil
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tallystick_conformance.reference import Reference
from tallystick_contract.adapter import Change, Key, Outcome, Pull, SpokeState
from tallystick_contract.errors import Broken, Invalid, Refused, Stopped, Throttled, Unknown
from tallystick_sync.answers import resolve, undo
from tallystick_sync.run import Options, preview
from tests.sync.conftest import Project
from tests.sync.faults import Killed, Meddled, Push, before_push, lose_reply, mend
from tests.sync.rig import Rig


def filled(project: Project, names: str = "a b", count: int = 12) -> Rig:
    """Return a project in step with `count` tasks, T-1 and so on."""
    rig = project(names)
    for number in range(1, count + 1):
        rig.put("a", f"T-{number}", title=f"Task {number}")
    rig.sync()
    rig.check_rest()
    return rig


def stop(rig: Rig, code: str, deletions: int = 0, changes: int = 0) -> str:
    """Expect a run to stop before it writes anything; returns what to do."""
    before = [dict(place.store.records) for place in rig.places.values()]
    hub = dict(rig.records())
    with pytest.raises(Stopped) as caught:
        rig.sync(deletions=deletions, changes=changes)
    assert caught.value.code == code
    assert [dict(place.store.records) for place in rig.places.values()] == before
    assert rig.records() == hub
    return caught.value.todo


# Guards


@pytest.mark.parametrize(("count", "gone", "stops"), [(12, 5, False), (12, 6, True), (80, 8, False), (80, 9, True)])
def test_more_than_five_records_and_a_tenth_do_not_vanish_unasked(
    project: Project, count: int, gone: int, *, stops: bool
) -> None:
    rig = filled(project, count=count)
    rig.drop("b", *(f"T-{number}" for number in range(1, gone + 1)))
    if stops:
        assert f"--accept-deletions {gone}" in stop(rig, "deletions")
        assert str(gone) in stop(rig, "deletions", deletions=gone - 1)
    assert rig.sync(deletions=gone if stops else 0).spokes["a"].deleted == gone
    rig.check_rest()


def test_an_emptied_listing_stops_whatever_its_size(project: Project) -> None:
    rig = filled(project, count=2)
    rig.drop("b", "T-1", "T-2")
    stop(rig, "emptied")
    stop(rig, "emptied", deletions=1)
    rig.sync(deletions=2)
    assert rig.records() == {}
    rig.check_rest()


def test_a_hub_deletion_of_many_stops_too(project: Project) -> None:
    rig = filled(project)
    with rig.editor() as editor:
        for number in range(1, 8):
            editor.bury(Key("task", f"T-{number}"))
    stop(rig, "deletions")
    rig.sync(deletions=7)
    rig.check_rest()


def test_everything_changed_at_once_stops(project: Project) -> None:
    rig = filled(project)
    for number in range(1, 13):
        rig.put("b", f"T-{number}", owner="somebody")
    assert "--accept-changes 12" in stop(rig, "all-changed")
    stop(rig, "all-changed", changes=11)
    rig.sync(changes=12)
    rig.check_rest()


def test_another_scope_stops_until_the_spoke_is_adopted(project: Project) -> None:
    rig = filled(project)
    rig.places["b"].store.scope = "another folder"
    rig.places["b"].store.records = {}
    stop(rig, "scope-changed")
    rig.adopt("b")
    rig.sync()
    rig.check_rest()
    assert len(rig.places["b"].store.records) == 12


def test_an_incomplete_listing_deletes_nothing_and_what_went_meanwhile_is_noticed_later(project: Project) -> None:
    rig = filled(project)
    rig.drop("b", "T-1")
    rig.places["b"].store.complete = False
    report = rig.sync()
    assert "incomplete" in [item["code"] for item in report.findings]
    assert rig.shown("a", "T-1") is not None
    rig.places["b"].store.complete = True
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["missing"] * 3
    rig.check_rest()


def test_a_record_first_seen_in_a_listing_with_holes_is_missed_when_it_goes(project: Project) -> None:
    rig = filled(project)
    rig.places["b"].store.complete = False
    rig.put("b", "T-13", title="New")
    rig.sync()
    rig.places["b"].store.complete = True
    rig.drop("b", "T-13")
    rig.sync()
    assert rig.everywhere("T-13", "title") == ["missing"] * 3
    rig.check_rest()


def test_a_preview_writes_nothing_and_says_what_a_run_does(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "T-1", owner="ana")
    rig.put("b", "T-13", title="New")
    planned, report = preview(rig.engine(), Options())
    assert rig.hub("T-1") == {"title": "Task 1"}
    assert [change.key.id for change in planned.changes("a")] == ["T-13"]
    assert [change.key.id for change in planned.changes("b")] == ["T-1"]
    done = rig.sync()
    assert (report.run, report.accepted) == (done.run, done.accepted)


# Spokes that are away


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


def test_the_lock_of_another_run_stops_this_one(project: Project) -> None:
    rig = filled(project)
    with rig.ledger.locked():
        stop(rig, "locked")
        with pytest.raises(Stopped, match="another run"), rig.editor():
            pass
    rig.check_rest()


# Ledgers lost and rolled back


def test_a_lost_ledger_is_rebuilt_without_a_write(project: Project) -> None:
    rig = filled(project)
    rig.put("a", "E-1", "evidence", target="T-1", status="passed", method="pytest")
    rig.put("a", "T-2", dependsOn=["T-1"], labels=["x"], status="blocked")
    rig.sync()
    hub, evidence = rig.records(), rig.records("evidence")
    rig.ledger.close()
    for path in rig.folder.glob("ledger.db*"):
        if not path.name.endswith((".head", ".lock")):
            path.unlink()
    rig.ledger = type(rig.ledger).open(rig.path)
    assert rig.sync().writes == 0
    assert (rig.records(), rig.records("evidence")) == (hub, evidence)
    rig.check_rest()


def test_a_ledger_put_back_from_a_copy_stops_until_it_is_adopted(project: Project) -> None:
    rig = filled(project)
    rig.ledger.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(rig.path, rig.folder / "copy.db")
    rig.put("a", "T-1", owner="ana")
    rig.drop("a", "T-2")
    rig.sync()
    rig.ledger.close()
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (rig.folder / name).unlink(missing_ok=True)
    shutil.copy(rig.folder / "copy.db", rig.path)
    rig.ledger = type(rig.ledger).open(rig.path)
    stop(rig, "rolled-back")
    with pytest.raises(Stopped), rig.editor():
        pass
    rig.adopt()
    report = rig.sync()
    assert (report.writes, report.conflicts) == (0, [])
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    assert rig.everywhere("T-2", "title") == ["missing"] * 3
    rig.check_rest()


# Undo and answers


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

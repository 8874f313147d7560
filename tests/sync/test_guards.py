"""Guards: what stops a run before its first write, and how it goes on."""

import shutil

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Stopped
from tallystick_sync.run import Options, preview
from tests.sync.conftest import Project, filled
from tests.sync.rig import Rig


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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"ledger": "x", "run": "y"}', '{"run": 1}'])
def test_a_head_that_nobody_can_read_was_a_bug_instead_of_a_stop(project: Project, text: str) -> None:
    rig = filled(project)
    rig.ledger.head.write_text(text)
    stop(rig, "rolled-back")
    rig.adopt()
    assert rig.sync().writes == 0
    rig.check_rest()

"""Neutral acceptance cases, as scenarios of spokes of our own."""

from collections.abc import Sequence

import pytest

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.errors import Broken, Stopped, Unknown
from tallystick_sync.answers import resolve
from tests.sync.conftest import Project, filled
from tests.sync.faults import Killed, Meddled, Push, lose_reply, mend


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
    rig = filled(project, "a b c")
    kept = dict(rig.places["b"].store.records)
    rig.drop("b", *(f"T-{number}" for number in range(1, 13 - left)))
    with pytest.raises(Stopped, match=str(12 - left)):
        rig.sync()
    assert all(len(rig.places[name].store.records) == 12 for name in "ac")
    rig.places["b"].store.records = kept
    assert rig.sync().writes == 0
    rig.check_rest()


def test_bc_005_another_folder_is_another_scope(project: Project) -> None:
    rig = filled(project, "a b c")
    rig.places["b"].store.scope = "/elsewhere"
    with pytest.raises(Stopped, match="used to be b") as caught:
        rig.sync()
    assert caught.value.code == "scope-changed"


def test_bc_007_a_deletion_against_an_edit_pair_by_pair_keeps_the_text(project: Project) -> None:
    rig = filled(project, "a b c")
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

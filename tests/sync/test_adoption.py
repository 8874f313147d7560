"""Spokes that were filled apart: equal ids link, differences are asked about, nothing is doubled."""

from typing import Any

import pytest

from tests.sync.conftest import Project


def test_equal_records_of_filled_spokes_link_without_a_write(project: Project) -> None:
    rig = project("a b")
    for spoke in "ab":
        rig.put(spoke, "T-1", title="One", owner="ana", labels=["x", "y"])
    rig.put("b", "T-1", labels=["y", "x"])
    report = rig.sync()
    assert (report.writes, report.conflicts) == (0, [])
    assert list(rig.records()) == ["T-1"]
    rig.check_rest()


def test_an_empty_field_takes_the_value_the_other_has(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One", owner="ana", notes="n")
    rig.put("b", "T-1", title="One", milestone="M1", labels=["x"])
    rig.sync()
    assert rig.hub("T-1") == {"title": "One", "owner": "ana", "notes": "n", "milestone": "M1", "labels": ["x"]}
    rig.check_rest()


@pytest.mark.parametrize(
    ("field", "one", "two"),
    [("title", "One", "Uno"), ("owner", "ana", "bob"), ("status", "planned", "completed"),
     ("due", "2025-01-01", "2025-01-02"),
     ("priority", "p1", "p2"), ("description", "text", "other text"), ("extensions", {"x": 1}, {"x": 2})],
)  # fmt: skip
def test_fields_that_differ_at_adoption_are_asked_about_and_nothing_else_waits(
    project: Project, field: str, one: Any, two: Any
) -> None:
    rig = project("a b c")
    rig.put("a", "T-1", **{"title": "T", "labels": ["x"], field: one})
    rig.put("b", "T-1", **{"title": "T", "labels": ["y"], field: two})
    for _ in range(3):
        rig.sync()
        assert rig.asked() == {("T-1", field)}
        assert rig.everywhere("T-1", "labels") == [["x", "y"]] * 4
        default = "planned" if field == "status" else None
        shown = rig.shown("a", "T-1") or {}, rig.shown("b", "T-1") or {}
        assert [doc.get(field, default) for doc in shown] == [one, two]
    rig.answer("T-1", field, take="b")
    rig.sync()
    assert rig.everywhere("T-1", field) == [two] * 4
    assert rig.asked() == set()
    rig.check_rest()


def test_a_question_of_adoption_ends_when_people_make_the_values_equal(project: Project) -> None:
    rig = project("a b c")
    rig.put("a", "T-1", title="One", owner="ana")
    rig.put("b", "T-1", title="One", owner="bob")
    rig.sync()
    rig.put("a", "T-1", owner="bob")
    rig.sync()
    assert rig.asked() == set()
    assert rig.everywhere("T-1", "owner") == ["bob"] * 4
    rig.check_rest()


def test_a_third_spoke_with_the_hub_s_record_joins_by_id(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One")
    rig.sync()
    rig.join("c")
    rig.put("c", "T-1", title="One", owner="ana")
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 4
    rig.check_rest()


def test_namesakes_are_asked_about_and_nothing_is_doubled(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Fix it")
    rig.put("b", "N-1", title="Fix it")
    rig.put("b", "N-2", title="Something else")
    for _ in range(2):
        rig.sync()
        assert rig.asked() == {("T-1", "id")}
        assert {key.id for key in rig.places["a"].store.records} == {"T-1", "N-2"}
        assert {key.id for key in rig.places["b"].store.records} == {"N-1", "N-2"}
    rig.answer("T-1", "id", chosen="T-1")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Fix it"] * 3
    assert rig.everywhere("N-1", "title") == ["Fix it"] * 3
    rig.check_rest()


def test_a_namesake_given_the_other_s_id_becomes_the_other(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Fix it")
    rig.put("b", "N-1", title="Fix it", owner="ana")
    rig.sync()
    rig.drop("a", "T-1")
    rig.put("a", "N-1", title="Fix it")
    rig.sync()
    assert rig.asked() == set()
    assert rig.everywhere("N-1", "owner") == ["ana"] * 3
    assert rig.everywhere("T-1", "title") == ["missing"] * 3
    rig.check_rest()


@pytest.mark.parametrize("absence", ["ask", "delete"])
def test_an_unanswered_namesake_that_vanishes_is_forgotten(project: Project, absence: str) -> None:
    rig = project("a b")
    for place in rig.places.values():
        place.absence = absence  # type: ignore[assignment]
    rig.put("a", "T-1", title="Fix it")
    rig.put("a", "T-2", title="More")
    rig.put("b", "N-1", title="Fix it")
    rig.sync()
    rig.drop("a", "T-1")
    report = rig.sync()
    assert (report.problems, report.conflicts) == ([], [])
    assert rig.asked() == set()
    assert rig.everywhere("N-1", "title") == ["Fix it"] * 3
    rig.check_rest()


def test_a_namesake_edited_into_something_else_is_a_record_of_its_own(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Fix it")
    rig.put("b", "N-1", title="Fix it")
    rig.sync()
    rig.put("a", "T-1", title="Fix the other")
    rig.sync()
    rig.check_rest()
    assert rig.asked() == set()
    assert rig.everywhere("T-1", "title") == ["Fix the other"] * 3


def test_two_tasks_of_one_spoke_may_have_the_same_words(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="Tidy up")
    rig.put("a", "T-2", title="Tidy up")
    assert rig.sync().conflicts == []
    rig.check_rest()

"""Decisions about several spokes at once: adoption, namesakes, policies, gaps, and that order never matters."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Key
from tallystick_sync.answers import resolve
from tallystick_sync.case import Case, Copy, Decision, Spoke, World
from tallystick_sync.plan import plan
from tallystick_sync.policy import Policy
from tests.sync.conftest import Project
from tests.sync.rig import Rig


def answer(rig: Rig, ident: str, field: str, **how: Any) -> None:
    with rig.editor() as editor:
        resolve(editor, Key("task", ident), field, **how)


# Adoption


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
    answer(rig, "T-1", field, take="b")
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
    answer(rig, "T-1", "id", chosen="T-1")
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


# Policies


def clash(project: Project, **options: Any) -> Rig:
    """Return a project in which a and b have just given one field two values."""
    rig = project("a b c", **options)
    rig.put("a", "T-1", title="Old")
    rig.sync()
    rig.put("a", "T-1", title="From a")
    rig.put("b", "T-1", title="From b", owner="ana")
    rig.sync()
    return rig


def test_ask_freezes_one_field_and_keeps_every_value(project: Project) -> None:
    rig = clash(project)
    rig.put("c", "T-1", notes="goes on")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Old", "From a", "From b", "Old"]
    assert rig.everywhere("T-1", "owner") == ["ana"] * 4
    assert rig.everywhere("T-1", "notes") == ["goes on"] * 4
    assert rig.asked() == {("T-1", "title")}
    rig.check_rest()


@pytest.mark.parametrize(("take", "title"), [("a", "From a"), ("b", "From b"), ("hub", "Old")])
def test_an_answer_is_written_everywhere(project: Project, take: str, title: str) -> None:
    rig = clash(project)
    answer(rig, "T-1", "title", take=take)
    rig.sync()
    assert rig.everywhere("T-1", "title") == [title] * 4
    rig.check_rest()


def test_an_answer_of_one_s_own_is_written_everywhere(project: Project) -> None:
    rig = clash(project)
    answer(rig, "T-1", "title", chosen="Agreed")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Agreed"] * 4
    rig.check_rest()


def test_a_conflict_ends_when_somebody_makes_the_values_equal(project: Project) -> None:
    rig = clash(project)
    rig.put("a", "T-1", title="From b")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["From b"] * 4
    assert rig.asked() == set()
    rig.check_rest()


def test_a_conflict_stays_open_while_one_of_its_spokes_is_away(project: Project) -> None:
    rig = clash(project)
    rig.put("c", "T-1", notes="n")
    rig.sync("a", "c")
    assert rig.asked() == {("T-1", "title")}
    assert rig.everywhere("T-1", "title") == ["Old", "From a", "From b", "Old"]
    rig.sync()
    rig.check_rest()


def test_an_answer_after_another_edit_keeps_that_edit(project: Project) -> None:
    """The answer settles what was asked; what somebody wrote after the question was put is a new edit."""
    rig = clash(project)
    rig.put("b", "T-1", title="From b, again")
    answer(rig, "T-1", "title", take="a")
    rig.sync()
    shown = rig.everywhere("T-1", "title")
    assert "From b, again" in shown
    rig.sync()
    rig.check_rest()


def test_the_authority_decides_where_the_preset_says_so(project: Project) -> None:
    rig = clash(project, policy=Policy("canonical-local", "b"))
    assert rig.everywhere("T-1", "title") == ["From b"] * 4
    assert rig.asked() == set()
    rig.check_rest()


def test_an_authority_that_said_nothing_decides_nothing(project: Project) -> None:
    rig = clash(project, policy=Policy("canonical-local", "c"))
    assert rig.asked() == {("T-1", "title")}


def test_a_field_may_prefer_a_spoke(project: Project) -> None:
    rig = clash(project, policy=Policy(fields={"title": "prefer:a"}))
    assert rig.everywhere("T-1", "title") == ["From a"] * 4
    rig.check_rest()


def test_latest_asks_within_one_run_and_takes_what_was_seen_in_a_later_one(project: Project) -> None:
    rig = clash(project, policy=Policy(fields={"title": "latest"}))
    assert rig.asked() == {("T-1", "title")}
    rig.put("b", "T-1", title="From b, later")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["From b, later"] * 4
    assert rig.asked() == set()
    rig.check_rest()


def test_latest_takes_the_spoke_that_was_away(project: Project) -> None:
    rig = project("a b", policy=Policy(fields={"title": "latest"}))
    rig.put("a", "T-1", title="Old")
    rig.sync()
    rig.put("a", "T-1", title="First")
    rig.sync("a")
    rig.put("b", "T-1", title="Second")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Second"] * 3
    rig.check_rest()


def mirrored(project: Project) -> Rig:
    """Return a project whose b and c only mirror a, with an edit made on b."""
    rig = project("a b c", policy=Policy("canonical-plus-mirror", "a"))
    rig.put("a", "T-1", title="One")
    rig.sync()
    rig.put("b", "T-1", title="Edited on the mirror")
    rig.sync()
    return rig


def test_an_edit_on_a_mirror_waits_and_is_not_overwritten(project: Project) -> None:
    rig = mirrored(project)
    assert rig.waiting() == {("T-1", "title")}
    rig.put("a", "T-1", owner="ana")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["One", "One", "Edited on the mirror", "One"]
    assert rig.everywhere("T-1", "owner") == ["ana"] * 4
    rig.check_rest()


def test_an_edit_on_a_mirror_ends_its_wait_when_the_authority_takes_it(project: Project) -> None:
    rig = mirrored(project)
    rig.put("a", "T-1", title="Edited on the mirror")
    rig.sync()
    assert rig.waiting() == set()
    assert rig.everywhere("T-1", "title") == ["Edited on the mirror"] * 4
    rig.check_rest()


def test_two_mirrors_that_edit_one_field_both_wait(project: Project) -> None:
    rig = mirrored(project)
    rig.put("c", "T-1", title="Edited on the other")
    report = rig.sync()
    assert sorted((item["value"], tuple(item["spokes"])) for item in report.held) == [
        ("Edited on the mirror", ("b",)), ("Edited on the other", ("c",)),
    ]  # fmt: skip
    answer(rig, "T-1", "title", take="c")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Edited on the other"] * 4
    rig.check_rest()


# Gaps


def test_what_a_spoke_cannot_hold_is_declared_and_not_lost(project: Project) -> None:
    rig = project("a b c")
    rig.places["b"].gaps = ("task.owner", "task.notes")
    rig.places["c"].kinds = ("task",)
    rig.put("a", "T-1", title="One", owner="ana", notes="n")
    rig.put("a", "E-1", "evidence", target="T-1", status="passed")
    report = rig.sync()
    assert report.gaps == {"b": {"task.owner": 1, "task.notes": 1}, "c": {"evidence": 1}}
    rig.put("b", "T-1", title="Uno")
    rig.sync()
    assert rig.hub("T-1") == {"title": "Uno", "owner": "ana", "notes": "n", "deliveryState": "reported"}
    rig.check_rest()


def test_a_spoke_that_is_only_read_is_never_written(project: Project) -> None:
    rig = project("a b")
    rig.places["b"].writable = False
    rig.put("b", "T-1", title="One")
    rig.sync()
    rig.put("a", "T-1", title="Uno")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Uno", "Uno", "One"]
    assert rig.shown("b", "T-2") is None
    assert rig.sync().writes == 0
    rig.put("b", "T-1", owner="ana")
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.places["b"].writable = True
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Uno"] * 3
    rig.check_rest()


# Order


_titles = st.sampled_from(["one", "two", "three"])
_docs = st.fixed_dictionaries(
    {"title": _titles},
    optional={
        "status": st.sampled_from(["in-progress", "completed"]),
        "labels": st.lists(st.sampled_from("xyz"), min_size=1, unique=True),
        "dependsOn": st.lists(st.sampled_from(["T-1", "T-2"]), min_size=1, unique=True),
        "decisionGate": st.just({"noAutoClose": True}),
    },
)
_copies = st.builds(
    Copy,
    base=st.none() | _docs,
    seen=st.none() | _docs,
    gone=st.booleans(),
    unreadable=st.booleans(),
    revision=st.just("r"),
)


def _cases(data: st.DataObject) -> list[Case]:
    return [
        Case(
            Key("task", ident),
            data.draw(st.none() | _docs),
            data.draw(st.dictionaries(st.sampled_from("abc"), _copies)),
        )
        for ident in ("T-1", "T-2")
    ]


def _copied(cases: list[Case], order: tuple[str, ...]) -> list[Case]:
    return [
        Case(case.key, case.hub, {spoke: case.copies[spoke] for spoke in order if spoke in case.copies}, case.deleted)
        for case in cases
    ]


def _decided(decision: Decision) -> tuple[Any, ...]:
    return (
        decision.hub, decision.deleted, sorted(decision.copies.items()), sorted(decision.changes.items()),
        decision.conflicts, decision.held, decision.edits, decision.waiting, decision.problem,
    )  # fmt: skip


@given(st.data())
def test_neither_the_order_of_spokes_nor_that_of_cases_matters(data: st.DataObject) -> None:
    cases = _cases(data)
    graph: dict[str, Any] = {case.key.id: case.hub for case in cases if case.hub is not None}
    spoke = Reference(Store())
    found = []
    for order in permutations("abc"):
        spokes = {name: Spoke(spoke.capabilities(), spoke.image) for name in order}
        world = World(
            5, "2025-01-01T00:00:00Z", spokes,
            dependencies=lambda: {ident: doc.get("dependsOn", ()) for ident, doc in graph.items()},
        )  # fmt: skip
        copied = _copied(cases, order)
        made = plan(copied if order[0] != "a" else copied[::-1], world)
        found.append({decision.key: _decided(decision) for decision in made.decisions})
    assert all(decided == found[0] for decided in found)

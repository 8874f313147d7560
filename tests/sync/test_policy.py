"""Who decides when two spokes want different things, and what a mirror may do."""

from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_sync.policy import Policy
from tallystick_sync.summary import held
from tests.sync.conftest import Project
from tests.sync.rig import Rig


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
    rig.answer("T-1", "title", take=take)
    rig.sync()
    assert rig.everywhere("T-1", "title") == [title] * 4
    rig.check_rest()


def test_an_answer_of_one_s_own_is_written_everywhere(project: Project) -> None:
    rig = clash(project)
    rig.answer("T-1", "title", chosen="Agreed")
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
    rig.answer("T-1", "title", take="a")
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
    assert held(rig.engine()) == report.held  # the ledger once kept only one of them
    rig.answer("T-1", "title", take="c")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Edited on the other"] * 4
    rig.check_rest()


def test_the_journal_once_named_another_spoke_than_the_one_whose_value_was_taken(project: Project) -> None:
    rig = clash(project, policy=Policy(fields={"title": "prefer:b"}))
    query = "SELECT after, spoke FROM journal WHERE field = 'title'"
    assert rig.ledger.db.execute(query).fetchall() == [('"From b"', "b")]


def test_a_held_dependency_once_spoke_for_the_mirror_too(project: Project) -> None:
    rig = project("a b", policy=Policy("canonical-plus-mirror", "a"))
    for ident in ("T-1", "T-2"):
        rig.put("a", ident, title=ident)
    rig.sync()
    rig.put("a", "T-1", dependsOn=["nobody"])
    rig.put("b", "T-1", dependsOn=["T-2"])
    report = rig.sync()
    assert sorted((item["value"], item["spokes"]) for item in report.held) == [(["T-2"], ["b"]), (["nobody"], ["a"])]
    assert len(held(rig.engine())) == 2


def test_a_question_that_latest_left_open_was_decided_by_a_run_in_which_nothing_happened(project: Project) -> None:
    rig = project("a b c", policy=Policy(fields={"owner": "latest"}))
    rig.put("a", "T-1", title="one", owner="ana")
    rig.sync()
    with rig.editor() as editor:
        editor.set_fields(Key("task", "T-1"), {"owner": "bo"})
    rig.put("a", "T-1", owner="bo")
    rig.put("b", "T-1", owner="cy")
    rig.put("c", "T-1", owner="bo")
    for _ in range(3):
        rig.sync()
        assert rig.asked() == {("T-1", "owner")}
        assert rig.everywhere("T-1", "owner") == ["bo", "bo", "cy", "bo"]
    rig.put("b", "T-1", owner="di")
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["di", "di", "di", "di"]
    rig.check_rest()

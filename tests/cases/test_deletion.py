"""What vanishes somewhere, and how little of that is meant (BC-005, BC-007)."""

import shutil
from collections.abc import Callable

import pytest

from tests.cases.team import Team

ALL = [f"T-{number}" for number in range(1, 13)]


def _empty_the_vault(team: Team) -> None:
    team.drop("vault", *ALL)


def _keep_one_note(team: Team) -> None:
    team.drop("vault", *ALL[1:])


def _empty_the_board(team: Team) -> None:
    team.board.write_text('{"tasks": []}\n')


def _move_the_vault(team: Team) -> None:
    team.edit(team.config, 'path = "vault"', 'path = "other"')
    (team.folder / "other").mkdir()


SPOILT: dict[str, tuple[Callable[[Team], None], str, str, str]] = {
    "another, empty vault": (_move_the_vault, "vault", "now it is ", "tally adopt --spoke vault"),
    "all notes gone": (_empty_the_vault, "vault", "none of its 12 tasks", "--accept-deletions 12"),
    "eleven notes gone": (_keep_one_note, "vault", "11 of its 12 tasks", "--accept-deletions 11"),
    "an empty board": (_empty_the_board, "board", "none of its 12 tasks", "--accept-deletions 12"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_bc_005_what_is_suddenly_empty_stops_the_run_until_a_person_names_the_number(team: Team, how: str) -> None:
    spoil, where, what, flag = SPOILT[how]
    good = team.texts()
    spoil(team)
    spoilt = team.files()
    for command in ("plan", "sync"):
        guard = team.data(command, code=3)["guard"]
        assert guard["where"] == where
        assert what in guard["what"]
        assert flag in guard["todo"]
    assert team.tally("sync", "--yes").code == 3, "--yes answers questions, never a guard"
    assert team.files() == spoilt
    team.check_out(good)
    assert team.sync()["writes"] == 0
    team.check_rest()


def test_bc_007_a_deletion_against_an_edit_is_asked_about_and_its_answer_holds(team: Team) -> None:
    shutil.copytree(team.folder / "board", team.folder / "clone")
    team.drop("board", "T-7")
    team.edit_task("vault", "T-7", title="Edited offline")
    team.sync("--spoke", "board", "--spoke", "db")
    team.sync("--spoke", "db", "--spoke", "vault")
    for _ in range(3):
        (question,) = team.sync()["conflicts"]
    assert (question["id"], question["field"]) == ("T-7", "presence")
    assert team.shown("T-7", "title", "board", "vault") == ["missing", "Edited offline"]
    team.check_rest()
    team.ok("resolve", "T-7", "--field", "presence", "--value", "delete")
    team.sync()
    assert team.shown("T-7", "title") == ["missing"] * 3
    team.config.write_text(team.config.read_text() + '[spokes.clone]\ntype = "project-json"\npath = "clone"\n')
    for _ in range(2):
        (question,) = team.sync()["conflicts"]
        assert question["values"] == {"clone": "present", "hub": "deleted"}
        assert team.shown("T-7", "title") == ["missing"] * 3
    team.ok("resolve", "T-7", "--field", "presence", "--value", "delete")
    team.sync()
    assert '"T-7"' not in (team.folder / "clone" / "tasks.json").read_text()
    team.check_rest()


def test_bc_007_a_deletion_that_counts_as_one_does_not_beat_an_edit(team: Team) -> None:
    team.drop("vault", "T-7")
    team.edit_task("board", "T-7", title="Edited offline")
    (question,) = team.sync()["conflicts"]
    assert question["values"] == {"vault": "gone", "board": "edited", "hub": "present"}
    assert team.shown("T-7", "title", "board", "vault") == ["Edited offline", "missing"]
    team.ok("resolve", "T-7", "--field", "presence", "--value", "keep")
    team.sync()
    assert team.shown("T-7", "title") == ["Edited offline"] * 3
    team.check_rest()


def test_bc_007_a_task_that_looks_like_a_deleted_one_is_a_task_of_its_own(team: Team) -> None:
    team.drop("vault", "T-7")
    team.drop("board", "T-7")
    team.ok("sync", "--yes")
    assert team.shown("T-7", "title") == ["missing"] * 3
    team.edit_task("board", "T-13", title="Task 7")
    team.sync()
    assert team.shown("T-13", "title") == ["Task 7"] * 3
    assert team.shown("T-7", "title") == ["missing"] * 3
    team.check_rest()


def test_bc_007_a_task_of_one_branch_is_not_deleted_on_another(team: Team) -> None:
    main = team.texts()
    team.edit_task("board", "T-20", title="Of this branch alone")
    team.sync()
    branch = team.texts()
    assert team.shown("T-20", "title") == ["Of this branch alone"] * 3
    team.check_out(main)
    (question,) = team.sync()["conflicts"]
    assert (question["id"], question["field"]) == ("T-20", "presence")
    assert team.shown("T-20", "title") == ["missing", "Of this branch alone", "missing"]
    team.check_out(branch)
    assert team.sync()["conflicts"] == []
    assert team.shown("T-20", "title") == ["Of this branch alone"] * 3
    team.check_rest()

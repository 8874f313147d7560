"""The product's promise on its own example: an edit anywhere arrives everywhere, alone, and nothing is lost."""

import json
import sqlite3
from itertools import permutations
from pathlib import Path

import pytest

from tests.e2e.project import Project


def _priority_in_database(project: Project, ident: str) -> str:
    with sqlite3.connect(project.folder / "tasks.db") as db:
        found: str = db.execute("SELECT priority FROM tasks WHERE id = ?", (ident,)).fetchone()[0]
    db.close()
    return found


def _set_in_database(project: Project, ident: str, column: str, item: str) -> None:
    with sqlite3.connect(project.folder / "tasks.db") as db:
        db.execute(f"UPDATE tasks SET {column} = ? WHERE id = ?", (item, ident))  # noqa: S608 -- the test's own word
    db.close()


def test_a_plan_is_what_a_sync_does_and_writes_nothing(fresh: Project) -> None:
    before = fresh.files()
    plan = fresh.data("plan")
    assert fresh.files() == before
    assert not (fresh.folder / ".tallystick").exists()
    done = fresh.data("sync")
    assert plan["changes"] == done["changes"]
    assert plan["spokes"] == done["spokes"]
    assert done["writes"] == 34


def test_a_plan_of_edits_says_what_each_spoke_shows_now_as_the_sync_does(project: Project) -> None:
    project.edit(project.config, "[project]", '[policy.fields]\npriority = "prefer:vault"\n\n[project]')
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    project.edit(project.board, '"priority": "p3",', '"priority": "p5",')
    plan = project.data("plan")
    fields = {spoke: items[0]["fields"] for spoke, items in plan["changes"].items()}
    assert fields == {"board": {"priority": ["p5", "p1"]}, "db": {"priority": ["p3", "p1"]}}
    assert project.data("sync")["changes"] == plan["changes"]


def test_a_second_run_has_nothing_to_do(project: Project) -> None:
    before = project.files()
    assert project.ok("plan") == project.ok("sync") == "in step, 0 writes\n"
    assert project.files() == before


def test_a_plan_leaves_the_ledger_s_runs_alone(project: Project) -> None:
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p5")
    before = project.data("log")
    assert "planned" in project.last_line("plan")
    assert project.data("log") == before


def test_a_priority_set_in_a_note_changes_one_line_of_the_board(project: Project) -> None:
    before = project.board.read_text()
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    assert project.ok("sync").splitlines() == [
        "board  update HARBOUR-19  priority: p3 -> p1",
        "db     update HARBOUR-19  priority: p3 -> p1",
        "in step, 2 writes",
    ]
    lines = zip(before.splitlines(), project.board.read_text().splitlines(), strict=True)
    different = [(old.strip(), new.strip()) for old, new in lines if old != new]
    assert different == [('"priority": "p3",', '"priority": "p1",')]
    assert _priority_in_database(project, "HARBOUR-19") == "p1"


def test_a_title_given_in_a_note_adds_one_line_to_the_board(project: Project) -> None:
    before = project.board.read_text().splitlines()
    project.edit(project.note("HARBOUR-19"), "status: planned\n", "status: planned\ntitle: Late arrivals\n")
    assert project.last_line("sync") == "in step, 2 writes"
    after = project.board.read_text().splitlines()
    added = [line for line in after if "Late arrivals" in line]
    assert [line.strip().rstrip(",") for line in added] == ['"title": "Late arrivals"']
    after.remove(added[0])
    assert after == before


def test_two_fields_edited_on_two_spokes_both_survive(project: Project) -> None:
    project.edit(project.note("HARBOUR-12"), "priority: p1", "priority: p4")
    _set_in_database(project, "HARBOUR-12", "owner", "ines")
    assert project.last_line("sync").startswith("in step")
    task = project.data("task", "show", "HARBOUR-12")["task"]
    assert (task["priority"], task["owner"]) == ("p4", "ines")
    board = next(item for item in json.loads(project.board.read_text())["tasks"] if item["id"] == "HARBOUR-12")
    assert (board["priority"], board["owner"]) == ("p4", "ines")
    assert "owner: ines" in project.note("HARBOUR-12").read_text()
    assert project.ok("sync") == "in step, 0 writes\n"


SPOKES = {
    "board": '[spokes.board]\ntype = "project-json"\npath = ".project"\n',
    "db": '[spokes.db]\ntype = "sqlite"\npath = "tasks.db"\n',
    "vault": '[spokes.vault]\ntype = "markdown"\npath = "vault"\n',
}


def _reordered(project: Project, order: tuple[str, ...]) -> None:
    project.config.write_text('[project]\nid = "harbour"\n' + "".join(SPOKES[name] for name in order))


@pytest.mark.parametrize("order", list(permutations(SPOKES)), ids="-".join)
def test_one_field_set_on_three_spokes_is_one_question_with_every_value(
    project: Project, order: tuple[str, ...]
) -> None:
    _reordered(project, order)
    project.edit(project.board, '"priority": "p3",', '"priority": "p5",')
    _set_in_database(project, "HARBOUR-19", "priority", "p6")
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p7")
    project.edit(project.note("HARBOUR-13"), "owner: sol", "owner: mika")
    done = project.data("sync")
    values = {"board": "p5", "db": "p6", "vault": "p7", "hub": "p3"}
    assert [item["values"] for item in done["conflicts"]] == [values]
    assert done["writes"] == 2, "the other edit was delayed"
    assert project.data("conflicts")["conflicts"] == done["conflicts"]
    assert project.tally("sync", "--strict").code == 5
    assert (_priority_in_database(project, "HARBOUR-19"), project.board.read_text().count('"p5"')) == ("p6", 1)
    project.ok("resolve", "our-19", "--field", "priority", "--take", "vault")
    assert sorted(project.data("sync")["changes"]) == ["board", "db"]
    assert _priority_in_database(project, "HARBOUR-19") == "p7"
    assert project.board.read_text().count('"priority": "p7"') == 1
    assert project.ok("sync", "--strict") == "in step, 0 writes\n"


def test_a_value_of_one_s_own_settles_a_question_on_every_spoke(project: Project) -> None:
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p7")
    _set_in_database(project, "HARBOUR-19", "priority", "p6")
    project.ok("sync")
    project.ok("resolve", "HARBOUR-19", "--field", "priority", "--value", "p0")
    assert sorted(project.data("sync")["changes"]) == ["board", "db", "vault"]
    assert "priority: p0" in project.note("HARBOUR-19").read_text()
    assert project.ok("sync", "--strict") == "in step, 0 writes\n"


def test_completing_a_gated_task_on_the_board_is_held_and_repainted_nowhere(project: Project) -> None:
    project.set_on_board("HARBOUR-14", status="completed")
    before = project.board.read_bytes()
    said = project.ok("sync")
    assert "held  HARBOUR-14  status: completed on board waits for an operator's decision to close" in said
    assert said.splitlines()[-1] == "not in step: 1 held move; 0 writes"
    assert project.data("held")["held"][0]["spokes"] == ["board"]
    assert "status: in-progress" in project.note("HARBOUR-14").read_text()
    assert project.board.read_bytes() == before


def test_a_note_deleted_in_the_vault_is_deleted_everywhere_it_may_be_and_can_be_restored(project: Project) -> None:
    project.note("HARBOUR-21").unlink()
    said = project.data("sync")
    assert [(item["op"], item["id"]) for item in said["changes"]["board"]] == [("delete", "HARBOUR-21")]
    assert "HARBOUR-21" not in project.board.read_text()
    project.ok("restore", "our-21")
    assert project.last_line("sync") == "in step, 3 writes"
    assert "HARBOUR-21" in project.board.read_text()
    assert project.note("HARBOUR-21").exists()


def test_undo_takes_a_run_back_on_every_spoke(project: Project) -> None:
    before = project.board.read_text()
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    run = project.data("sync")["run"]
    done = project.data("undo", str(run))
    assert done["undone"] == {"run": run, "takenBack": 1, "left": []}
    assert project.board.read_text() == before
    assert "priority: p3" in project.note("HARBOUR-19").read_text()
    assert _priority_in_database(project, "HARBOUR-19") == "p3"


def test_adopting_again_what_is_in_step_writes_nothing(project: Project) -> None:
    before = project.files()
    for arguments in (["adopt"], ["adopt", "--spoke", "vault"]):
        assert project.data(*arguments)["writes"] == 0
    assert project.files() == before


def test_a_lost_ledger_is_rebuilt_without_a_write(project: Project) -> None:
    before = project.files()
    for path in (project.folder / ".tallystick").iterdir():
        path.unlink()
    assert project.last_line("sync") == "in step, 0 writes"
    assert project.files() == before
    assert project.ok("replay") == "ledger: equal\ndb: equal\n"


def test_read_only_commands_leave_no_trace_in_a_folder_that_was_never_synced(fresh: Project) -> None:
    before = sorted(path.name for path in fresh.folder.rglob("*"))
    for arguments in (
        ["plan"], ["status"], ["conflicts"], ["held"], ["log"], ["task", "list"], ["evidence", "list"], ["replay"],
        ["check"], ["doctor"],
    ):  # fmt: skip
        fresh.ok(*arguments)
    assert sorted(path.name for path in fresh.folder.rglob("*")) == before


def test_without_a_configuration_nothing_is_created(tmp_path: Path) -> None:
    nowhere = Project(tmp_path)
    for arguments in (["plan"], ["sync"], ["status"], ["task", "add", "a"], ["adopt"]):
        assert nowhere.tally(*arguments).code == 2
    assert list(tmp_path.iterdir()) == []

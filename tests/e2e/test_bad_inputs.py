"""Every bad input of the product: what is said, with which exit code, and that nothing else is touched."""

import errno
import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.project import Project

GRAFT = '<<<<<<< HEAD\n      "priority": "p3",\n=======\n      "priority": "p4",\n>>>>>>> other\n'


def _board(text: str) -> Callable[[Project], None]:
    def write(project: Project) -> None:
        project.board.write_text(text)

    return write


def _in_board(before: str, after: str) -> Callable[[Project], None]:
    return lambda project: project.edit(project.board, before, after)


def _in_note(before: str, after: str) -> Callable[[Project], None]:
    return lambda project: project.edit(project.note("HARBOUR-19"), before, after)


def _truncate(project: Project) -> None:
    text = project.board.read_text()
    project.board.write_text(text[: len(text) // 3])


def _name_an_unknown_status(project: Project) -> None:
    head, middle, tail = project.board.read_text().partition('"id": "HARBOUR-19"')
    project.board.write_text(head + middle + tail.replace('"planned"', '"wip"', 1))


def _lose_the_vault(project: Project) -> None:
    (project.folder / "vault").rename(project.folder / "elsewhere")


def _break_the_database(project: Project) -> None:
    (project.folder / "tasks.db").write_bytes(b"this was a database" * 400)


CASES: dict[str, tuple[Callable[[Project], None], int, list[str]]] = {
    "not JSON": (_board("{ not json"), 4, ["board: tasks.json:1: is not valid JSON", "nothing was taken"]),
    "cut off": (_truncate, 4, ["board: tasks.json:", "is not valid JSON", "nothing was taken"]),
    "merge markers": (
        _in_board('      "priority": "p3",\n', GRAFT), 4,
        ["board: tasks.json:103: holds the conflict markers of a merge in lines 103, 105, 107", "finish the merge"],
    ),
    "a key twice": (
        _in_board('      "priority": "p3",\n', '      "priority": "p3",\n      "priority": "p4",\n'), 4,
        ["the key 'priority' is there twice in one record (lines 103, 104)"],
    ),
    "emptied file": (_board(""), 4, ["tasks.json: is empty, and held 10 records before", "bring it back"]),
    "file gone": (lambda project: project.board.unlink(), 4, ["tasks.json: is gone, and held 10 records before"]),
    "no tasks": (_board("{}"), 4, ["has not one list tasks", "another tool's format, or damaged"]),
    "tasks no list": (_board('{"tasks": {"HARBOUR-1": {}}}'), 4, ["has not one list tasks"]),
    "another tool's object": (_board('{"issues": [{"key": "A-1"}]}'), 4, ["(found: issues)", "another tool's format"]),
    "another tool's list": (_board('[{"title": "x"}]'), 4, ["board: tasks.json:1: is not valid JSON: an object"]),
    "another tool's tasks": (_board('{"tasks": [{"key": "A-1", "name": "x"}]}'), 4, ["none of its records has an id"]),
    "emptied list": (
        _board('{"tasks": []}'), 3, ["no longer shows 10 of its 13 tasks", "where: board", "--accept-deletions 10"],
    ),
    "an id twice": (
        _in_board('"id": "HARBOUR-20"', '"id": "HARBOUR-19"'), 4,
        ["quarantined  board: tasks.json:99: HARBOUR-19: this id is there twice (lines 99 and 108)"],
    ),
    "dependency circle": (
        _in_board('"id": "HARBOUR-15",\n', '"id": "HARBOUR-15",\n      "depends_on": ["HARBOUR-13"],\n'), 4,
        ["held  HARBOUR-15  dependsOn: HARBOUR-13 on board waits for an end to the circle"],
    ),
    "unknown dependency": (
        _in_board('"id": "HARBOUR-15",\n', '"id": "HARBOUR-15",\n      "depends_on": ["NOPE"],\n'), 4,
        ["held  HARBOUR-15  dependsOn: NOPE on board waits for a task with the id NOPE"],
    ),
    "unknown status on the board": (
        _name_an_unknown_status, 4,
        ["quarantined  board: tasks.json:99: HARBOUR-19: status: 'wip' is not known; allowed: planned, in-progress"],
    ),
    "unknown status in a note": (
        _in_note("status: planned", "status: wip"), 4,
        ["quarantined  vault: HARBOUR-19.md: line 3: status: 'wip' is not a status"],
    ),
    "frontmatter that is no YAML": (
        _in_note("status: planned", "status: ["), 4, ["quarantined  vault: HARBOUR-19.md: line", "is not YAML"],
    ),
    "vault gone": (_lose_the_vault, 4, ["vault: ", "/vault: is gone", "put the vault back, or correct its path"]),
    "no database": (_break_the_database, 4, ["tasks.db: is damaged or no SQLite database", "nothing was touched"]),
    "database gone": (
        lambda project: (project.folder / "tasks.db").unlink(), 3,
        ["shows none of its 13 tasks any more", "where: db", "--accept-deletions 13"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_bad_input_is_named_and_touches_nothing(project: Project, name: str) -> None:
    spoil, code, sentences = CASES[name]
    spoil(project)
    before = project.files()
    said = project.tally("sync")
    assert said.code == code, said
    for sentence in sentences:
        assert sentence in said.out + said.err
    assert project.files() == before
    document = project.data("sync", code=code)
    assert (document["guard"] is not None) == (code == 3)
    assert document["writes"] == 0
    assert project.files() == before


@pytest.mark.parametrize("name", [name for name, (_, code, _) in CASES.items() if code == 4])
def test_a_bad_input_delays_nothing_else_and_heals_with_its_repair(project: Project, name: str) -> None:
    good = project.files()
    CASES[name][0](project)
    broken = project.files()
    spoilt = {path for path in good if good[path] != broken.get(path)}
    where = _spoke(min(spoilt))
    if where == "vault":
        project.edit(project.folder / ".project" / "verification.json", '"partial"', '"failed"')
        others = {"db"}
    else:
        project.edit(project.note("HARBOUR-13"), "owner: sol", "owner: mika")
        others = {"board", "db"} - {where}
    assert others <= set(project.data("sync", code=4)["changes"])
    for path in spoilt:
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / path).write_bytes(good[path])
    assert project.last_line("sync", "--strict").startswith("in step")
    assert project.ok("sync", "--strict") == "in step, 0 writes\n"


def _spoke(path: str) -> str:
    return {".project": "board", "tasks.db": "db", "vault": "vault"}[path.partition("/")[0]]


def test_consent_to_a_number_lets_a_guarded_deletion_through(project: Project) -> None:
    (project.folder / "vault").joinpath("HARBOUR-19.md").unlink()
    for number in (12, 13, 15, 16, 17, 18):
        project.note(f"HARBOUR-{number}").unlink()
    assert project.tally("sync", "--accept-deletions", "6").code == 3
    assert project.tally("plan").code == 3
    assert project.data("plan", code=3)["guard"]["code"] == "deletions"
    done = project.data("sync", "--accept-deletions", "7")
    assert sum(item["op"] == "delete" and item["kind"] == "task" for item in done["changes"]["board"]) == 7


def test_a_read_only_board_is_named_and_the_others_go_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.board.chmod(0o444)

    def access(path: Path, mode: int) -> bool:  # as it answers anyone but root
        return mode != os.W_OK or bool(os.stat(path).st_mode & stat.S_IWUSR)  # noqa: PTH116 -- stands in for os.access

    monkeypatch.setattr(os, "access", access)
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    said = project.tally("sync")
    assert said.code == 4
    assert "/.project/tasks.json: is read-only (make it writable, or leave this spoke out)" in said.out
    assert said.out.splitlines()[-1] == "not in step: 1 problem; 1 write"
    project.board.chmod(0o644)
    assert project.ok("sync").splitlines()[0] == "board  update HARBOUR-19  priority: p3 -> p1"


def test_bc_038_a_full_disk_leaves_whole_files_and_is_caught_up_later(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    before = project.board.read_bytes()

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        said = project.tally("sync")
    assert said.code == 4
    assert "tasks.json: cannot be written: No space left on device (nothing was changed)" in said.out
    assert project.board.read_bytes() == before
    assert not [path for path in project.files() if Path(path).name.startswith(".")]
    assert project.ok("sync").splitlines()[0] == "board  update HARBOUR-19  priority: p3 -> p1"


def test_bc_039_a_locked_database_is_named_and_the_others_go_on(project: Project) -> None:
    project.edit(project.config, 'path = "tasks.db"\n', 'path = "tasks.db"\ntimeout = 0.05\n')
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    holder = sqlite3.connect(project.folder / "tasks.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    said = project.tally("sync")
    assert said.code == 4
    assert "tasks.db: is locked by another program (waited 0.05 s)" in said.out
    assert said.out.splitlines()[-1] == "not in step: 1 problem; 1 write"
    holder.execute("COMMIT")
    holder.close()
    assert project.ok("sync").splitlines()[0] == "db  update HARBOUR-19  priority: p3 -> p1"


def test_bc_040_a_damaged_ledger_is_named_with_what_to_do(project: Project) -> None:
    (project.folder / ".tallystick" / "ledger.db").write_bytes(b"no database" * 1000)
    said = project.tally("sync")
    assert said.code == 4
    assert "the ledger cannot be read" in said.err
    assert "move it away and run tally sync: it is rebuilt from the spokes" in said.err


def test_a_ledger_put_back_from_an_older_copy_stops_every_edit(project: Project) -> None:
    ledger = project.folder / ".tallystick" / "ledger.db"
    older = ledger.read_bytes()
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    project.ok("sync")
    ledger.write_bytes(older)
    calls: list[list[str]] = [["sync"], ["plan"], ["task", "set", "our-19", "owner=mika"], ["adopt", "--spoke", "db"]]
    for arguments in calls:
        said: Any = project.tally(*arguments)
        assert said.code == 3, said
        assert "its head says run" in said.err
    assert project.data("adopt")["writes"] == 0
    assert project.ok("sync") == "in step, 0 writes\n"

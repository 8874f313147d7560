"""Boards that are wrong: each says what, in which file and line, and nothing of it is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Broken, Stale
from tests.adapters.project_json.boards import age, board, create, images, one, push_one, task, update, write

GOOD = {"tasks": [task("T-1"), task("T-2")]}


def broken(root: Path) -> str:
    """Return what is said of a board that cannot be used, by a pull and by a look alike."""
    with pytest.raises(Broken) as error:
        board(root).pull({})
    assert str(error.value) in board(root).check().messages
    assert not board(root).check().ready
    return str(error.value)


def marked() -> str:
    """Return a board with the markers of a merge in two places (BC-036 a)."""
    lines = json.dumps(GOOD, indent=2).split("\n")
    markers = ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"]
    return "\n".join([*lines[:4], *markers, *lines[4:9], *markers, *lines[9:], ""])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"tasks": [\n  {"id": "T", "description": "x"', "tasks.json:2: is not valid JSON: it ends in the middle"),
        ('{\n"tasks": [\n{"id": "T" "x": 1}\n]}', "tasks.json:3: is not valid JSON: Expecting ',' delimiter"),
        ('{"tasks": [\n{"id": "T", "description": "x"},\n]}', "tasks.json:2: is not valid JSON: a comma"),
        ('{"tasks": [] "x": 1}', "tasks.json:1: is not valid JSON: a comma or } is wanted"),
        ('{"tasks" []}', "a colon is wanted"),
        ("{tasks: []}", "a key in double quotes is wanted"),
        ('{"tasks": []}\n\nmore', "tasks.json:3: is not valid JSON: something stands behind its end"),
        ('{"tasks": [{"id": "T", "description": "x", "n": NaN}]}', "NaN is not JSON"),
        ('{"tasks": [{"id": "T", "description": "x", "n": -Infinity}]}', "-Infinity is not JSON"),
        ("[]", "an object is wanted"),
        ('{"tasks": {}}', "not one list tasks (found: tasks)"),
        ('{"project": "x", "todo": []}', "not one list tasks (found: project, todo)"),
        ('{"tasks": [{"name": "x", "status": "done"}]}', "none of its records has an id"),
        ('{"tasks": [], "tasks": []}', "the key 'tasks' is there twice"),
        ('{"tasks": [], "a": 1, "a": 2}', "the key 'a' is there twice"),
        ('{"tasks": ' + "[" * 200_000, "is not valid JSON"),
        (b'{"tasks": [\n{"id": "T", "description": "caf\xe9"}]}', "is not valid JSON: 'utf-8' codec"),
        (marked(), "markers of a merge in lines 5, 6, 7, 13, 14, 15"),
    ],
    ids=lambda value: str(value)[:30] if len(str(value)) < 100 else str(len(value)),
)
def test_a_file_that_is_wrong_is_named_with_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = write(tmp_path, "tasks.json", text)
    before = path.read_bytes()
    assert said in broken(tmp_path)
    with pytest.raises(Broken):
        board(tmp_path).push([create(board(tmp_path), Key("task", "N"), {"description": "x"})])
    assert path.read_bytes() == before


def test_bc_036_a_doubled_key_is_refused_with_its_lines(tmp_path: Path) -> None:
    """BC-036 d: the last one does not win."""
    write(
        tmp_path, "tasks.json",
        '{"tasks": [\n  {"id": "T",\n   "description": "x",\n   "status": "planned",\n   "status": "completed"}\n]}',
    )  # fmt: skip
    assert "tasks.json:2: the key 'status' is there twice in one record (lines 4, 5)" in broken(tmp_path)


def test_a_doubled_key_deep_inside_is_refused_too(tmp_path: Path) -> None:
    gate = '{"no_auto_close": true, "no_auto_close": false}'
    write(tmp_path, "tasks.json", f'{{"tasks": [{{"id": "T", "description": "x", "decision_gate": {gate}}}]}}')
    assert "'no_auto_close' is there twice" in broken(tmp_path)


@pytest.mark.parametrize("name", ["tasks.json", "verification.json"])
@pytest.mark.parametrize("content", [b"", b" \n", b"\xef\xbb\xbf", None], ids=repr)
def test_a_file_that_lost_its_records_is_no_empty_board(tmp_path: Path, name: str, content: bytes | None) -> None:
    write(tmp_path, "tasks.json", GOOD)
    row = {"id": "V", "target": "T-1", "status": "passed"}
    path = write(tmp_path, "verification.json", {"verifications": [row]}).with_name(name)
    spoke = board(tmp_path)
    spoke.pull({})
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(Broken, match="records before"):
        board(tmp_path).pull(spoke.state())
    with pytest.raises(Broken, match="records before"):
        board(tmp_path).pull(spoke.state(), full=True)


def test_an_empty_file_of_a_new_board_is_filled(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", b"")
    spoke = board(tmp_path)
    assert spoke.pull({}).total == 0
    push_one(spoke, create(spoke, Key("task", "T"), {"description": "x"}))
    assert json.loads(path.read_text())["tasks"][0]["id"] == "T"


def test_bc_036_an_id_that_is_there_twice_is_set_aside_both_times(tmp_path: Path) -> None:
    """BC-036 b, c: neither is dropped, neither pushed, and the healthy task can be written."""
    twice = [task("T-5", title="one"), task("T-1"), task("T-5", title="two")]
    path = write(tmp_path, "tasks.json", {"tasks": twice})
    spoke = board(tmp_path)
    pull = spoke.pull({})
    assert [item.key.id for item in pull.observed] == ["T-1"]
    assert [bad.key for bad in pull.quarantined] == [Key("task", "T-5")] * 2
    assert all("this id is there twice (lines 3 and 14)" in bad.reason for bad in pull.quarantined)
    assert (pull.total, pull.complete) == (3, True)
    stale = create(spoke, Key("task", "T-5"), {"description": "three"})
    outcomes = spoke.push([stale, update(spoke, one(pull, "T-1"), {"owner": "ana"})])
    assert [type(outcome.error) for outcome in outcomes] == [Stale, type(None)]
    assert json.loads(path.read_text())["tasks"] == [twice[0], task("T-1", owner="ana"), twice[2]]
    write(tmp_path, "tasks.json", {"tasks": twice[1:]})
    assert images(board(tmp_path).pull(spoke.state())).keys() >= {Key("task", "T-5")}


@pytest.mark.parametrize(
    ("record", "said", "known"),
    [
        (task("X", status="done"), "tasks.json:8: X: status: 'done' is not known; allowed: planned", True),
        ({"id": "X", "status": "planned"}, "tasks.json:8: X: has neither a title nor a description", True),
        ({"name": "X", "description": "x"}, "tasks.json:8: id: is missing", False),
        ("X", "tasks.json:8: is a text, an object is wanted", False),
        (task("X", notes="\ud800"), "tasks.json:8: holds half of a character", False),
    ],
    ids=["status", "text", "id", "shape", "surrogate"],
)
def test_one_wrong_record_stops_no_other(tmp_path: Path, record: Any, said: str, *, known: bool) -> None:
    path = write(tmp_path, "tasks.json", json.dumps({"tasks": [task("T-1"), record, task("T-2")]}, indent=2))
    spoke = board(tmp_path)
    pull = spoke.pull({})
    assert [item.key.id for item in pull.observed] == ["T-1", "T-2"]
    assert said in pull.quarantined[0].reason
    assert pull.complete is known
    age(tmp_path)
    spoke = board(tmp_path)
    spoke.pull({})
    again = board(tmp_path).pull(spoke.state())
    assert (again.quarantined, again.total, list(again.observed)) == (pull.quarantined, 3, [])
    push_one(spoke, update(spoke, one(pull, "T-2"), {"owner": "ana"}))
    assert json.loads(path.read_text())["tasks"] == [task("T-1"), record, task("T-2", owner="ana")]


def test_a_record_that_turns_wrong_is_not_gone(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", GOOD)
    spoke = board(tmp_path)
    spoke.pull({})
    write(tmp_path, "tasks.json", {"tasks": [task("T-1"), task("T-2", status="done")]})
    pull = board(tmp_path).pull(spoke.state())
    assert (list(pull.gone), [bad.key for bad in pull.quarantined]) == ([], [Key("task", "T-2")])


def test_a_wrong_line_of_an_archive_is_named(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", GOOD)
    write(
        tmp_path,
        "archive/completed-tasks-0001.jsonl",
        json.dumps(task("A")) + '\n{"id": "B"\n\n' + json.dumps(task("C")),
    )
    pull = board(tmp_path).pull({})
    assert [bad.reason.split(": ")[0] for bad in pull.quarantined] == ["archive/completed-tasks-0001.jsonl:2"]
    assert {item.key.id for item in pull.observed} == {"T-1", "T-2", "A", "C"}
    assert not pull.complete


def test_an_archive_in_the_middle_of_a_merge_is_refused(tmp_path: Path) -> None:
    text = f"{json.dumps(task('A'))}\n<<<<<<< HEAD\n{json.dumps(task('B'))}\n>>>>>>> theirs\n"
    write(tmp_path, "archive/completed-tasks-0001.jsonl", text)
    assert "lines 2, 4" in broken(tmp_path)


def test_a_wrong_entry_of_the_trail_was_not_set_aside_but_stopped_the_pull(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", GOOD)
    at = {"atIso": "2026-01-01T00:00:00Z"}
    trail = [at, {**at, "n": 2**60}, {**at, "who": "\ud800"}, {"atIso": "then"}, "x"]
    write(tmp_path, "handoff.json", json.dumps({"context_watch_events": trail}))
    pull = board(tmp_path).pull({})
    assert (len(pull.observed), len(pull.quarantined)) == (3, 4)


def test_a_broken_handoff_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", GOOD)
    write(tmp_path, "handoff.json", {"context_watch_events": [{"atIso": "2026-01-01T00:00:00Z"}]})
    spoke = board(tmp_path)
    spoke.pull({})
    write(tmp_path, "handoff.json", '{"context_watch_events": [')
    pull = board(tmp_path).pull(spoke.state())
    assert [finding.code for finding in pull.findings] == ["handoff-unreadable"]
    assert (list(pull.gone), pull.total) == ([], 3)

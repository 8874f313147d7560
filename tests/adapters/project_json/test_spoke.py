"""The spoke: what it lists, what it remembers, where records go, and what it refuses."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_adapters.support import files
from tallystick_contract.adapter import Change, Key
from tallystick_contract.errors import Invalid, Refused, Stale, Unsupported
from tests.adapters.project_json.boards import age, board, create, images, one, push_one, task, update, write


def row(name: str, target: str, **more: Any) -> dict[str, Any]:
    """Return a record of evidence as the board writes it."""
    return {"id": name, "target": target, "target_type": "task", "status": "passed", **more}


def lines(*records: Mapping[str, Any]) -> str:
    """Return an archive."""
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def settled(root: Path) -> Any:
    """Return the state after a pull of files that are long unchanged, as the engine would save it."""
    age(root)
    spoke = board(root)
    spoke.pull({})
    return json.loads(json.dumps(spoke.state()))


def full_board(root: Path) -> None:
    """Write a board with one of everything."""
    write(root, "tasks.json", {"tasks": [task("A"), task("B", depends_on=["C"])]})
    write(root, "verification.json", {"verifications": [row("V", "A")]})
    write(root, "archive/completed-tasks-0001.jsonl", lines(task("C", status="completed")))
    write(root, "archive/verification-ledger-0001.jsonl", lines(row("W", "C")))
    write(root, "handoff.json", {"current_tasks": ["A"], "context_watch_events": [{"atIso": "2026-01-01T00:00:00Z"}]})


@pytest.mark.parametrize(
    "settings", [{}, {"path": ".project", "colour": "red"}, {"path": "x", "durability": "total"}, {"path": ""}]
)
def test_wrong_settings_are_refused_with_the_allowed_ones(settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as error:
        ProjectJson("board", settings, "/")
    assert "settings are: path, durability" in str(error.value)
    assert "spoke board" in str(error.value)


def test_everything_is_listed_once(tmp_path: Path) -> None:
    full_board(tmp_path)
    pull = board(tmp_path).pull({})
    assert {(item.key.kind, item.native.split("#")[0]) for item in pull.observed} == {
        ("task", "tasks.json"), ("task", "archive/completed-tasks-0001.jsonl"), ("evidence", "verification.json"),
        ("evidence", "archive/verification-ledger-0001.jsonl"), ("event", "handoff.json"),
    }  # fmt: skip
    assert pull.total == 6
    assert pull.complete
    assert one(pull, "C").image["archived"] is True
    event = next(item for item in pull.observed if item.key.kind == "event")
    assert event.key.id.startswith("hf-")
    assert event.image == {
        "kind": "x-context-watch", "atIso": "2026-01-01T00:00:00Z", "actor": {"type": "external", "id": "handoff"},
        "payload": {"atIso": "2026-01-01T00:00:00Z"},
    }  # fmt: skip


def test_only_a_full_pull_tells_figures_and_focus(tmp_path: Path) -> None:
    full_board(tmp_path)
    assert board(tmp_path).pull({}).counts == {}
    pull = board(tmp_path).pull(settled(tmp_path), full=True)
    assert pull.counts["tasks_live"] == 2
    assert len(pull.observed) == 6
    assert ("focus", "A") in {(finding.code, finding.what) for finding in pull.findings}


def test_an_unchanged_board_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)

    def read(path: Path) -> NoReturn:
        raise AssertionError(path)

    monkeypatch.setattr(files, "read", read)
    spoke = board(tmp_path)
    pull = spoke.pull(state)
    assert (list(pull.observed), list(pull.gone), pull.total, pull.complete) == ([], [], 6, True)
    assert spoke.state() == state


def test_of_a_changed_board_only_the_changed_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", {"tasks": [task("A"), task("B", status="blocked")]})
    whole, asked = files.read, []

    def read(path: Path) -> Any:
        asked.append(path.name)
        return whole(path)

    monkeypatch.setattr(files, "read", read)
    pull = board(tmp_path).pull(state)
    assert [item.key.id for item in pull.observed] == ["B"]
    assert asked == ["tasks.json"]


def test_a_file_that_was_read_in_the_tick_it_was_written_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A", status="planned")]})
    spoke = board(tmp_path)
    spoke.pull({})
    stat = path.stat()
    with path.open("r+b") as file:
        file.write(path.read_bytes().replace(b"planned", b"blocked"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert [item.image.get("status") for item in board(tmp_path).pull(spoke.state()).observed] == ["blocked"]


def test_neighbours_do_not_change_a_revision(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": [task("A"), task("B")]})
    before = one(board(tmp_path).pull({}), "B")
    write(tmp_path, "tasks.json", {"tasks": [task("Z"), task("A", owner="x"), task("B")]})
    assert one(board(tmp_path).pull({}), "B") == before


def test_records_that_moved_in_their_file_are_not_told_again(tmp_path: Path) -> None:
    names = [f"T{number}" for number in range(30)]
    write(tmp_path, "tasks.json", {"tasks": [task(name) for name in names]})
    state = settled(tmp_path)
    turned = [*names[20:], "new", *names[5:20], *names[:5]]
    write(tmp_path, "tasks.json", {"tasks": [task(name) for name in turned]})
    pull = board(tmp_path).pull(state)
    assert ([item.key.id for item in pull.observed], list(pull.gone)) == (["new"], [])


def test_a_task_that_moves_to_the_archive_is_archived_and_not_gone(tmp_path: Path) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    write(tmp_path, "archive/completed-tasks-0002.jsonl", lines(task("B", depends_on=["C"])))
    pull = board(tmp_path).pull(state)
    assert list(pull.gone) == []
    assert one(pull, "B").image == {"description": "About B", "dependsOn": ["C"], "archived": True}


def test_a_task_that_moves_without_a_change_of_its_text_is_told(tmp_path: Path) -> None:
    text = lines(task("A")).rstrip()
    write(tmp_path, "tasks.json", f'{{"tasks":[{text}]}}')
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", '{"tasks":[]}')
    write(tmp_path, "archive/completed-tasks-0001.jsonl", text)
    pull = board(tmp_path).pull(state)
    assert [item.image for item in pull.observed] == [{"description": "About A", "archived": True}]


def test_a_line_is_added_behind_one_that_has_no_end(tmp_path: Path) -> None:
    path = write(tmp_path, "archive/completed-tasks-0001.jsonl", lines(task("A")).rstrip())
    spoke = board(tmp_path)
    push_one(spoke, create(spoke, Key("task", "B"), {"description": "About B", "archived": True}))
    assert path.read_text() == lines(task("A"), task("B"))


def test_a_task_that_is_nowhere_is_gone(tmp_path: Path) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    pull = board(tmp_path).pull(state)
    assert (list(pull.gone), pull.total, list(pull.observed)) == ([Key("task", "B")], 5, [])


def test_a_trail_that_lets_go_of_old_entries_loses_no_events(tmp_path: Path) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)
    write(tmp_path, "handoff.json", {"context_watch_events": [{"atIso": "2026-02-02T00:00:00Z"}]})
    pull = board(tmp_path).pull(state)
    assert list(pull.gone) == []
    assert [item.image["atIso"] for item in pull.observed] == ["2026-02-02T00:00:00Z"]


def test_an_archive_copy_of_a_live_task_is_history(tmp_path: Path) -> None:
    full_board(tmp_path)
    write(tmp_path, "archive/completed-tasks-0002.jsonl", lines(task("A", status="completed"), task("C", owner="last")))
    pull = board(tmp_path).pull({}, full=True)
    assert one(pull, "A").image == {"description": "About A"}
    assert one(pull, "C").image["owner"] == "last"
    assert "D-07" in {finding.code for finding in pull.findings}
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", {"tasks": [task("B", depends_on=["C"])]})
    assert one(board(tmp_path).pull(state), "A").image["archived"] is True


def test_an_unreadable_live_task_is_not_replaced_by_its_archive_copy(tmp_path: Path) -> None:
    full_board(tmp_path)
    state = settled(tmp_path)
    write(tmp_path, "tasks.json", {"tasks": [task("A", status="lost"), task("B", depends_on=["C"])]})
    write(tmp_path, "archive/completed-tasks-0002.jsonl", lines(task("A", status="completed")))
    pull = board(tmp_path).pull(state)
    assert (list(pull.observed), list(pull.gone)) == ([], [])
    assert [bad.key for bad in pull.quarantined] == [Key("task", "A")]


def test_a_fresh_board_is_written_where_there_was_none(tmp_path: Path) -> None:
    spoke = board(tmp_path, durability="power")
    empty = spoke.pull({})
    assert (empty.total, empty.complete, spoke.check().ready) == (0, True, True)
    assert not (tmp_path / ".project").exists()
    outcomes = spoke.push(
        [
            create(spoke, Key("task", "A"), {"description": "x", "status": "completed"}),
            create(spoke, Key("task", "B"), {"description": "old", "archived": True}),
        ]
    )
    assert [outcome.error for outcome in outcomes] == [None, None]
    folder = tmp_path / ".project"
    assert (folder / "tasks.json").read_text() == (
        '{\n  "tasks": [\n    {\n'
        '      "id": "A",\n      "description": "x",\n      "status": "completed"\n    }\n  ]\n}\n'
    )
    archive = (folder / "archive/completed-tasks-0001.jsonl").read_text()
    assert archive == '{"id":"B","description":"old","status":"planned"}\n'
    assert not (folder / "verification.json").exists()
    push_one(spoke, create(spoke, Key("evidence", "V"), {"target": "A", "status": "passed"}))
    assert list(json.loads((folder / "verification.json").read_text())) == ["verifications"]
    assert not board(tmp_path).pull(spoke.state()).observed


def test_a_create_that_is_there_already_is_shown_if_equal_and_stale_if_not(tmp_path: Path) -> None:
    full_board(tmp_path)
    spoke = board(tmp_path)
    seen = one(spoke.pull({}), "C")
    assert push_one(spoke, Change("create", seen.key, None, seen.image, seen.image)) == seen
    assert push_one(spoke, create(spoke, Key("task", "A"), {"description": "About A"})).native == "tasks.json#A"
    outcome = spoke.push([create(spoke, Key("task", "A"), {"description": "another"})])[0]
    assert isinstance(outcome.error, Stale)


def test_one_stale_record_stops_no_other(tmp_path: Path) -> None:
    full_board(tmp_path)
    spoke = board(tmp_path)
    pull = spoke.pull({})
    write(tmp_path, "tasks.json", {"tasks": [task("A", owner="somebody"), task("B", depends_on=["C"])]})
    gone = Change("update", Key("task", "X"), "1", {"owner": "x"}, {})
    changes = [update(spoke, one(pull, "A"), {"owner": "me"}), gone, update(spoke, one(pull, "B"), {"owner": "me"})]
    outcomes = spoke.push([*changes, Change("delete", Key("task", "C"), "old", {}, {})])
    assert [type(outcome.error) for outcome in outcomes] == [Stale, Stale, type(None), Stale]
    shown = images(board(tmp_path).pull({}))
    assert (shown[Key("task", "A")]["owner"], shown[Key("task", "B")]["owner"]) == ("somebody", "me")


def test_a_write_does_not_hide_what_somebody_else_wrote_before_it(tmp_path: Path) -> None:
    full_board(tmp_path)
    spoke = board(tmp_path)
    pull = spoke.pull({})
    write(tmp_path, "tasks.json", {"tasks": [task("A", owner="somebody"), task("B", depends_on=["C"]), task("N")]})
    push_one(spoke, update(spoke, one(pull, "B"), {"owner": "me"}))
    age(tmp_path)
    later = board(tmp_path).pull(spoke.state())
    assert sorted(item.key.id for item in later.observed) == ["A", "N"]


def test_a_task_with_a_target_of_its_own_was_archived_as_evidence(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": [{"id": "T", "description": "x", "target": "2.0"}]})
    spoke = board(tmp_path)
    shown = push_one(spoke, update(spoke, one(spoke.pull({}), "T"), {"archived": True}))
    assert shown.image == {"description": "x", "archived": True, "extensions": {"target": "2.0"}}
    assert board(tmp_path).pull({}).observed == [shown]


def test_a_task_with_an_older_copy_in_the_archive_could_not_be_archived(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": [task("T", owner="ana")]})
    write(tmp_path, "archive/completed-tasks-0001.jsonl", lines(task("T"), task("U")))
    spoke = board(tmp_path)
    shown = push_one(spoke, update(spoke, one(spoke.pull({}), "T"), {"archived": True}))
    assert shown.image == {"description": "About T", "owner": "ana", "archived": True}
    assert one(board(tmp_path).pull({}), "T") == shown
    back = push_one(spoke, update(spoke, shown, {"archived": False}))
    assert one(board(tmp_path).pull({}), "T") == back


@pytest.mark.parametrize(
    ("key", "doc"),
    [
        (Key("task", "T"), {"status": "blocked"}),
        (Key("evidence", "V"), {"status": "passed"}),
        (Key("task", "e\u0301"), {"description": "x"}),
    ],
    ids=["text", "target", "id"],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, key: Key, doc: dict[str, Any]) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    before = path.read_bytes()
    spoke = board(tmp_path)
    pull = spoke.pull({})
    blank = Change("update", Key("task", "A"), one(pull, "A").revision, {"description": None}, {})
    outcomes = spoke.push([Change("create", key, None, doc, doc), blank])
    assert all(isinstance(outcome.error, Invalid | Unsupported) for outcome in outcomes)
    assert path.read_bytes() == before


def test_events_are_not_written(tmp_path: Path) -> None:
    spoke = board(tmp_path)
    outcome = spoke.push([Change("create", Key("event", "E"), None, {}, {})])[0]
    assert isinstance(outcome.error, Unsupported)
    assert not spoke.capabilities().takes("event")


def test_an_archived_record_is_edited_and_deleted_where_it_stands(tmp_path: Path) -> None:
    path = write(tmp_path, "archive/completed-tasks-0001.jsonl", lines(task("C"), task("D"), task("E")))
    spoke = board(tmp_path)
    pull = spoke.pull({})
    push_one(spoke, update(spoke, one(pull, "D"), {"owner": "ana"}))
    last = one(pull, "E")
    assert spoke.push([Change("delete", last.key, last.revision, {}, {})])[0].error is None
    first, second = path.read_text().splitlines()
    assert first + "\n" == lines(task("C"))
    assert json.loads(second) == task("D", owner="ana")


@pytest.mark.parametrize(
    ("name", "version"),
    [("schema_version", 9), ("schema_version", "3"), ("contract_version", "1.2"), ("schema_version", "later")],
    ids=repr,
)
def test_bc_042_a_newer_file_is_read_and_not_written(tmp_path: Path, name: str, version: Any) -> None:
    """BC-042: reading allowed, writing refused, with the version named (b)."""
    path = write(tmp_path, "tasks.json", {name: version, "tasks": [task("A")]})
    before = path.read_bytes()
    spoke = board(tmp_path)
    outcome = spoke.push([update(spoke, one(spoke.pull({}), "A"), {"owner": "x"})])[0]
    assert isinstance(outcome.error, Refused)
    assert repr(version) in outcome.error.what
    assert path.read_bytes() == before


def test_a_board_that_moved_with_its_project_was_another_one(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    before = ProjectJson("board", {"path": ".project"}, str(tmp_path / "old")).scope()
    (tmp_path / "old").rename(tmp_path / "new")
    assert ProjectJson("board", {"path": ".project"}, str(tmp_path / "new")).scope() == before
    assert ProjectJson("board", {"path": "other"}, str(tmp_path / "new")).scope() != before

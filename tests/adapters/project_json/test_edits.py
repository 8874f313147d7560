"""Edits of a file: the lines of the record they touch, and not one byte more."""

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.project_json import records
from tallystick_adapters.project_json.members import edit
from tallystick_adapters.project_json.scanner import scan
from tallystick_adapters.project_json.sheet import Sheet
from tallystick_contract.adapter import Change, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse
from tests.adapters.project_json import boards
from tests.adapters.project_json.boards import Writing, age, board, create, images, one, push_one, task, update, write

docs = st.lists(boards.tasks, min_size=1, max_size=4)
heads = st.dictionaries(boards.nasty.filter(lambda key: key != "tasks"), boards.values, max_size=2)


def written(writing: Writing, head: dict[str, Any], listed: Sequence[Doc]) -> bytes:
    """Return a board file of tasks T0, T1, … written in some style."""
    tasks = [records.encode("task", f"T{number}", doc) for number, doc in enumerate(listed)]
    return writing.write({**head, "tasks": tasks})


def raws(data: bytes) -> dict[str, bytes]:
    """Return the text of each record by id."""
    return {entry.row.id: data[entry.start : entry.end] for entry in scan("tasks.json", data).entries}


@given(boards.writings, heads, docs, boards.task_edits, st.data())
def test_an_edit_leaves_every_other_byte(
    writing: Writing, head: dict[str, Any], listed: list[Doc], fields: dict[str, Any], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        path = write(root, "tasks.json", written(writing, head, listed))
        before = path.read_bytes()
        spoke = board(root)
        pull = spoke.pull({})
        touched = f"T{data.draw(st.integers(0, len(listed) - 1))}"
        change = update(spoke, one(pull, touched), fields)
        shown = push_one(spoke, change)
        after = path.read_bytes()
        assert shown.image == change.image
        assert shown == one(board(root).pull({}), touched)
        old, new = raws(before), raws(after)
        assert {k: v for k, v in old.items() if k != touched} == {k: v for k, v in new.items() if k != touched}
        start, end = before.index(old[touched]), before.index(old[touched]) + len(old[touched])
        assert after[:start] == before[:start]
        assert after[start + len(new[touched]) :] == before[end:]
        assert writing.indent is not None or b"\n" not in new[touched]
        if writing.escaped and re.search(rb"\\u(?!00[01])", before):
            assert after.removeprefix(b"\xef\xbb\xbf").isascii()
        if writing.newline == "\r\n":
            assert after.count(b"\n") == after.count(b"\r\n")


@given(boards.writings, heads, docs, docs, st.data())
def test_records_are_added_and_removed_without_touching_others(
    writing: Writing, head: dict[str, Any], listed: list[Doc], added: list[Doc], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        path = write(root, "tasks.json", written(writing, head, listed))
        before = raws(path.read_bytes())
        spoke = board(root)
        pull = spoke.pull({})
        doomed = data.draw(st.sets(st.sampled_from([f"T{n}" for n in range(len(listed))])))
        changes = [Change("delete", seen.key, seen.revision, {}, {}) for seen in pull.observed if seen.key.id in doomed]
        changes += [
            create(spoke, Key("task", f"N{number}"), sparse("task", {**doc, "archived": False}))
            for number, doc in enumerate(added)
        ]
        outcomes = spoke.push(changes)
        assert all(outcome.error is None for outcome in outcomes)
        after = path.read_bytes()
        kept = {name: raw for name, raw in before.items() if name not in doomed}
        assert {name: raw for name, raw in raws(after).items() if name in before} == kept
        assert list(raws(after)) == [*kept, *(f"N{number}" for number in range(len(added)))]
        fresh = board(root).pull({})
        assert {o.key: o for o in fresh.observed if o.key.id[0] == "N"} == {o.key: o.shown for o in outcomes if o.shown}
        assert json.loads(after.decode("utf-8-sig")).keys() == {*head, "tasks"}


@given(docs, st.lists(st.tuples(st.sampled_from("cudam"), st.integers(0, 5), boards.task_edits), max_size=12))
def test_a_board_follows_any_sequence_of_changes(
    listed: list[Doc], steps: list[tuple[str, int, dict[str, Any]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        spoke = board(root)
        seen = {}
        for number, doc in enumerate(listed):
            shown = push_one(spoke, create(spoke, Key("task", f"T{number}"), doc))
            seen[shown.key] = shown
        for step, number, fields in steps:
            key = Key("task", f"T{number}")
            if key not in seen:
                seen[key] = push_one(spoke, create(spoke, key, {"description": "new", "archived": step == "a"}))
            elif step == "d":
                old = seen.pop(key)
                assert spoke.push([Change("delete", key, old.revision, {}, {})])[0].error is None
            else:
                place = {"archived": step == "a"} if step in "am" else {}
                seen[key] = push_one(spoke, update(spoke, seen[key], {**fields, **place}))
            assert not spoke.pull(spoke.state()).observed
        fresh = board(root).pull({})
        assert {item.key: item for item in fresh.observed} == seen
        assert not board(root).pull(spoke.state()).observed


def test_a_scalar_changes_one_line_and_a_new_key_adds_one() -> None:
    record = {"id": "T", "status": "planned", "size": "1e3", "notes": "x"}
    text = json.dumps(record, indent=2).replace('"1e3"', "1e3")
    old = json.loads(text)
    blocked = edit(text, old, {**old, "status": "blocked"}, ("id", "title", "status", "owner", "notes"), escaped=False)
    assert blocked == text.replace("planned", "blocked")
    titled = edit(text, old, {**old, "title": "A"}, ("id", "title", "status", "owner", "notes"), escaped=False)
    assert titled == text.replace('"T",\n', '"T",\n  "title": "A",\n')


def test_a_list_on_one_line_stays_on_one_line() -> None:
    text = '{\n  "id": "T",\n  "labels": ["a", "b"],\n  "files": []\n}'
    old = json.loads(text)
    new = {**old, "labels": ["a", "c"], "files": ["x"]}
    assert edit(text, old, new, (), escaped=False) == (
        '{\n  "id": "T",\n  "labels": ["a", "c"],\n  "files": [\n    "x"\n  ]\n}'
    )


@pytest.mark.parametrize(
    ("data", "spelled"), [(b'"\\u00e9"', True), (b'"\\u001f"', False), (b'"\xc3\xa9\\u00e9"', False)]
)
def test_a_file_spells_escapes_only_if_letters_are_spelled_so(data: bytes, *, spelled: bool) -> None:
    assert Sheet("tasks.json", data).escaped is spelled


@pytest.mark.parametrize("version", [1, "1", "1.0", None], ids=repr)
def test_bc_042_newer_contents_of_known_versions_survive_an_edit(tmp_path: Path, version: Any) -> None:
    """BC-042: unknown keys, their order and the spelling of numbers stay (a, c, d)."""
    text = (
        '{\n  "zeta": 1.0,\n  "schema_version": VERSION,\n  "tasks": [\n    {\n      "z": {"b": 1e3, "a": [1.0]},\n'
        '      "id": "T",\n      "description": "caf\\u00e9",\n      "status": "planned"\n    }\n'
        '  ],\n  "alpha": 1e3\n}\n'
    ).replace("VERSION", json.dumps(version))
    path = write(tmp_path, "tasks.json", text)
    spoke = board(tmp_path)
    push_one(spoke, update(spoke, one(spoke.pull({}), "T"), {"status": "blocked"}))
    assert path.read_text() == text.replace("planned", "blocked")


def test_a_byte_order_mark_did_not_hide_that_a_file_spells_escapes(tmp_path: Path) -> None:
    listed = {"tasks": [task("T", notes="caf\u00e9"), task("U")]}
    path = write(tmp_path, "tasks.json", b"\xef\xbb\xbf" + json.dumps(listed).encode())
    spoke = board(tmp_path)
    push_one(spoke, update(spoke, one(spoke.pull({}), "U"), {"owner": "jos\u00e9"}))
    assert b'"owner": "jos\\u00e9"' in path.read_bytes()


def test_a_file_that_is_written_again_keeps_its_neighbours(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": [task("T")]})
    issues = write(tmp_path, "issues.json", {"issues": []})
    verification = write(tmp_path, "verification.json", {"verifications": []})
    age(tmp_path)
    stamps = issues.stat().st_mtime_ns, verification.stat().st_mtime_ns
    spoke = board(tmp_path)
    push_one(spoke, update(spoke, one(spoke.pull({}), "T"), {"owner": "ana"}))
    assert (issues.stat().st_mtime_ns, verification.stat().st_mtime_ns) == stamps


def test_a_change_to_what_is_shown_already_writes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("T", priority="P1")]})
    age(tmp_path)
    stamp = path.stat().st_mtime_ns
    spoke = board(tmp_path)
    seen = one(spoke.pull({}), "T")
    assert push_one(spoke, update(spoke, seen, {"status": "planned"})) == seen
    assert path.stat().st_mtime_ns == stamp


def test_the_list_called_verification_is_written_so_again(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": []})
    row = {"id": "V", "target": "T", "status": "passed"}
    path = write(tmp_path, "verification.json", {"verification": [row]})
    spoke = board(tmp_path)
    push_one(spoke, create(spoke, Key("evidence", "W"), {"target": "T"}))
    assert [item["id"] for item in json.loads(path.read_text())["verification"]] == ["V", "W"]
    assert set(images(board(tmp_path).pull({}))) == {Key("evidence", "V"), Key("evidence", "W")}
    assert "D-19" in {finding.code for finding in board(tmp_path).pull({}, full=True).findings}


@pytest.mark.parametrize(("key", "name"), [("labels", "labels"), ("files", "files"), ("depends_on", "dependsOn")])
def test_a_set_was_written_in_another_order_than_the_board_has(tmp_path: Path, key: str, name: str) -> None:
    record = {"id": "T1", "description": "x", "status": "planned", key: ["wind", "anchor", "moss"]}
    path = write(tmp_path, "tasks.json", {"tasks": [record]})
    spoke = board(tmp_path)
    push_one(spoke, update(spoke, one(spoke.pull({}), "T1"), {name: ["anchor", "boat", "wind"]}))
    assert json.loads(path.read_bytes())["tasks"][0][key] == ["wind", "anchor", "boat"]

"""What did not change is not read again, and nothing else is taken for it: blocks of records, edits in place."""

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.project_json import memory, records
from tallystick_adapters.project_json.memory import Memory
from tallystick_adapters.project_json.scanner import scan
from tallystick_adapters.project_json.sheet import Block
from tallystick_contract.canonical import Doc, digest
from tests.adapters.project_json import boards
from tests.adapters.project_json.boards import Writing, age, board, images, one, push_one, update, write

docs = st.lists(boards.tasks, min_size=1, max_size=9)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block holds two records, so that a small board has several."""
    monkeypatch.setattr(memory, "BLOCK", 2)


def listed(some: Sequence[tuple[int, Doc]]) -> list[dict[str, Any]]:
    return [records.encode("task", f"T{number}", doc) for number, doc in some]


def check_blocks(data: bytes, blocks: Sequence[Block], records: int) -> None:
    """Hold blocks to their promise: they cover all records, and say what stands where."""
    assert sum(block.size for block in blocks) == records
    for block in blocks:
        assert digest(data[block.start : block.start + block.length]) == block.digest


@given(boards.writings, docs, docs, st.data())
def test_a_file_read_from_memory_is_read_as_if_anew(
    writing: Writing, before: list[Doc], others: list[Doc], data: st.DataObject
) -> None:
    old = scan("tasks.json", writing.write({"tasks": listed(list(enumerate(before)))}))
    kept = data.draw(st.permutations(range(len(before))).map(lambda order: order[: len(order) * 3 // 4]) | st.just([]))
    now = [(number, before[number]) for number in (sorted(kept) if data.draw(st.booleans()) else kept)]
    for number, doc in enumerate(others):
        now.insert(data.draw(st.integers(0, len(now))), (100 + number, doc))
    text = writing.write({"tasks": listed(now)})
    fresh = scan("tasks.json", text)
    known = scan("tasks.json", text, Memory([entry.row for entry in old.entries], old.blocks))
    assert [entry[:2] for entry in known.entries] == [entry[:2] for entry in fresh.entries]
    check_blocks(text, known.blocks, len(now))


@given(boards.writings, docs, st.data())
def test_records_edited_in_place_leave_the_memory_that_reading_would(
    writing: Writing, before: list[Doc], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        path = write(root, "tasks.json", writing.write({"tasks": listed(list(enumerate(before)))}))
        age(root)
        first = board(root)
        pull = first.pull({})
        state = json.loads(json.dumps(first.state()))
        spoke = board(root)
        assert not spoke.pull(state).observed
        touched = data.draw(st.sets(st.integers(0, len(before) - 1), min_size=1))
        edits = {f"T{number}": data.draw(boards.task_edits) for number in touched}
        outcomes = spoke.push([update(spoke, one(pull, ident), fields) for ident, fields in edits.items()])
        assert [outcome.error for outcome in outcomes] == [None] * len(edits)
        fresh = board(root).pull({})
        assert {seen.key: seen for seen in fresh.observed if seen.key.id in edits} == {
            outcome.key: outcome.shown for outcome in outcomes
        }
        later, remembered = board(root), json.loads(json.dumps(spoke.state()))
        blocks = [Block(*block) for block in remembered["files"]["tasks.json"]["blocks"]]
        check_blocks(path.read_bytes(), blocks, len(before))
        assert not later.pull(remembered).observed
        path.write_bytes(path.read_bytes() + b"\n")
        assert not later.pull(remembered).observed
        assert images(board(root).pull({})) == images(fresh)


def test_a_record_that_is_not_where_it_was_is_never_cut(tmp_path: Path) -> None:
    """A file changed in its middle under an unchanged size, time and inode: the edit finds another text, and stops."""
    path = write(tmp_path, "tasks.json", {"tasks": listed([(1, {"description": "aaaa"}), (2, {"description": "b"})])})
    age(tmp_path)
    spoke = board(tmp_path)
    pull = spoke.pull({})
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"aaaa", b"zzzz"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    changed = path.read_bytes()
    outcome = spoke.push([update(spoke, one(pull, "T1"), {"owner": "me"})])[0]
    assert outcome.error is not None
    assert path.read_bytes() == changed
    push_one(spoke, update(spoke, one(pull, "T2"), {"owner": "me"}))
    assert images(board(tmp_path).pull({}))[one(pull, "T1").key]["description"] == "zzzz"

"""A real board: its figures, a round trip through a fresh one, and edits of one line."""

import difflib
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_contract.models import validated
from tests.adapters.project_json.boards import board, create, images, one, push_one, update
from tests.adapters.project_json.conftest import DATA


def test_the_figures_are_those_of_the_board(real_board: Path) -> None:
    counts = board(real_board).pull({}, full=True).counts
    assert {name: figure for name, figure in counts.items() if name in EXPECTED} == EXPECTED


EXPECTED = {
    "tasks_live": 97, "tasks_archived": 1105, "evidence_live": 68, "evidence_archived": 1642, "completed_live": 85,
    "cancelled_live": 12, "id_collisions": 8, "id_collisions_with_other_status": 7, "completions": 1190,
    "completions_without_strict_link": 107, "completions_with_dangling_link": 25, "completions_with_foreign_link": 44,
    "completions_with_unpassed_link": 36, "completions_with_absent_link": 2, "completions_without_passed_evidence": 53,
    "distinct_methods": 492, "methods_outside_enum_rows": 895, "notes_lists": 8, "dependencies_archived": 1,
    "evidence_on_other_targets": 3,
}  # fmt: skip


def test_every_record_is_readable_and_is_what_the_contract_holds(real_board: Path) -> None:
    pull = board(real_board).pull({})
    assert (list(pull.quarantined), pull.complete, pull.total) == ([], True, 1194 + 1710 + 1)
    for item in pull.observed:
        assert board(real_board).image(item.key, validated(item.key.kind, item.key.id, item.image)) == item.image


def test_a_fresh_board_shows_the_same_records(real_board: Path) -> None:
    pull = board(real_board).pull({})
    fresh = ProjectJson("fresh", {"path": "fresh"}, str(real_board))
    changes = [create(fresh, item.key, item.image) for item in pull.observed if item.key.kind != "event"]
    outcomes = [outcome for at in range(0, len(changes), 200) for outcome in fresh.push(changes[at : at + 200])]
    assert [outcome.error for outcome in outcomes if outcome.error] == []
    again = ProjectJson("fresh", {"path": "fresh"}, str(real_board)).pull({})
    assert images(again) == {key: image for key, image in images(pull).items() if key.kind != "event"}
    archived = (real_board / "fresh/archive/completed-tasks-0001.jsonl").read_text().count("\n")
    assert archived == sum(bool(item.image.get("archived")) for item in pull.observed)


@pytest.mark.parametrize(
    ("fields", "removed", "added"),
    [
        ({"priority": "p1"}, ['      "priority": "p3",'], ['      "priority": "p1",']),
        ({"title": "Título"}, [], ['      "title": "Título",']),
        ({"owner": "ana"}, [], ['      "owner": "ana",']),
    ],
    ids=["priority", "title", "owner"],
)
def test_an_edit_is_one_line(real_board: Path, fields: dict[str, Any], removed: list[str], added: list[str]) -> None:
    path = real_board / ".project/tasks.json"
    others = {file: file.read_bytes() for file in path.parent.rglob("*.json*") if file != path}
    before = path.read_text().split("\n")
    spoke = board(real_board)
    push_one(spoke, update(spoke, one(spoke.pull({}), "TASK-BUD-480"), fields))
    changes = list(difflib.ndiff(before, path.read_text().split("\n")))
    assert [line[2:] for line in changes if line.startswith("- ")] == removed
    assert [line[2:] for line in changes if line.startswith("+ ")] == added
    assert {file: file.read_bytes() for file in others} == others


def test_reading_and_writing_what_is_there_leaves_every_byte(real_board: Path) -> None:
    paths = list((real_board / ".project").rglob("*.json*"))
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}
    spoke = board(real_board)
    pull = spoke.pull({}, full=True)
    changes = [update(spoke, item, item.image) for item in pull.observed if item.key.kind != "event"]
    outcomes = spoke.push(changes)
    assert [outcome.shown for outcome in outcomes] == [item for item in pull.observed if item.key.kind != "event"]
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths} == before


def test_every_revision_of_its_history_is_read(tmp_path: Path) -> None:
    """Every text a task of this board ever had is readable, or is named."""
    if not DATA.is_dir():
        pytest.skip("the real boards are not beside this checkout")
    seen: set[str] = set()
    listed: list[dict[str, Any]] = []
    with gzip.open(DATA / "tasks-revisions.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            for record in json.loads(line).get("changed", ()):
                text = json.dumps(record, sort_keys=True)
                if text not in seen:
                    seen.add(text)
                    listed.append({**record, "id": f"{record['id']}@{len(listed)}"})
    folder = tmp_path / ".project"
    folder.mkdir()
    (folder / "tasks.json").write_text(json.dumps({"tasks": listed}, indent=2, ensure_ascii=False))
    pull = board(tmp_path).pull({}, full=True)
    assert len(pull.observed) == len(listed)
    assert "D-02" in {finding.code for finding in pull.findings}
    shutil.rmtree(folder)

"""A real board: every task and every evidence row of it, written into a vault and read back equal."""

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.models import validated

from .vaults import Desk

BOARD = Path(__file__).resolve().parents[4] / "shared" / "data" / "agents-lab" / "dot-project"
STATUSES = {"in_progress": "in-progress"}


def _rows(live: str, member: str, archive: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for path in sorted(BOARD.glob(archive)) for line in path.read_text().splitlines()]
    return [*rows, *json.loads((BOARD / live).read_text())[member]]


def _task(row: dict[str, Any]) -> dict[str, Any]:
    known = ("title", "description", "notes", "milestone", "files")
    doc = {name: row[name] for name in known if row.get(name)}
    rest = {
        name: item
        for name, item in row.items()
        if name not in (*known, "id", "status", "priority", "acceptance_criteria")
    }
    return {
        **doc,
        "status": STATUSES.get(row["status"], row["status"]),
        "priority": str(row.get("priority", "unset")).lower(),
        "dependsOn": rest.pop("depends_on", []),
        "acceptanceCriteria": [{"text": text, "done": False} for text in row.get("acceptance_criteria", [])],
        "extensions": rest,
    }


def _evidence(row: dict[str, Any]) -> dict[str, Any]:
    names = {"target_type": "targetType", "evidence": "summary", "criteria_results": "criteriaResults"}
    known = ("target", "target_type", "status", "method", "timestamp", "evidence", "criteria_results")
    doc = {names.get(name, name): row[name] for name in known if row.get(name) is not None}
    return {**doc, "extensions": {name: item for name, item in row.items() if name not in (*known, "id")}}


@pytest.fixture(scope="module")
def board() -> dict[Key, dict[str, Any]]:
    if not BOARD.is_dir():
        pytest.skip("the real boards are not beside this checkout")
    tasks = _rows("tasks.json", "tasks", "archive/completed-tasks-*.jsonl")
    checks = _rows("verification.json", "verifications", "archive/verification-ledger-*.jsonl")
    records = {Key("task", row["id"]): validated("task", row["id"], _task(row)) for row in tasks}
    return records | {Key("evidence", row["id"]): validated("evidence", row["id"], _evidence(row)) for row in checks}


def test_a_real_board_reads_back_equal(board: dict[Key, dict[str, Any]], tmp_path: Path) -> None:
    assert len(board) > 2800
    desk = Desk(tmp_path)
    keys = list(board)
    spoke = desk.spoke()
    for start in range(0, len(keys), 200):
        outcomes = spoke.push([desk.create(key, board[key]) for key in keys[start : start + 200]])
        assert [outcome.error for outcome in outcomes if outcome.error] == []
    pull = desk.spoke().pull({}, full=True)
    assert not pull.quarantined
    assert not pull.findings
    assert {one.key: one.image for one in pull.observed} == {
        key: spoke.image(*item) for key, item in zip(board, board.items(), strict=True)
    }
    assert {one.key: one.image for one in pull.observed} == board
    desk.saved = json.loads(json.dumps(spoke.state()))
    again = desk.pull()
    assert (list(again.observed), list(again.gone), again.total) == ([], [], len(board))

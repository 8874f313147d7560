"""`yes` answers what can be answered without a person, and never a guard."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Stopped
from tallystick_sync.ledger import Ledger
from tallystick_sync.report import Report
from tallystick_sync.run import Options, sync
from tallystick_sync.survey import Engine, Member

YES = Options(yes=True)


def _run(ledger: Ledger, board: Store, vault: Store, options: Options) -> Report:
    members = [Member("board", Reference(board, absence="ask")), Member("vault", Reference(vault))]
    return sync(Engine(ledger, members, lambda: "2026-01-01T00:00:00Z"), options)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger.open(tmp_path / "ledger.db")
    yield opened
    opened.close()


def test_a_missing_record_is_deleted(ledger: Ledger) -> None:
    board, vault = Store("board"), Store("vault")
    for number in range(3):
        board.records[Key("task", f"T-{number}")] = {"title": f"task {number}"}
    _run(ledger, board, vault, Options())
    del board.records[Key("task", "T-1")]
    assert [item["field"] for item in _run(ledger, board, vault, Options()).conflicts] == ["presence"]
    report = _run(ledger, board, vault, YES)
    assert not report.conflicts
    assert Key("task", "T-1") not in vault.records
    assert _run(ledger, board, vault, Options()).writes == 0


def test_a_look_alike_is_a_record_of_its_own(ledger: Ledger) -> None:
    board, vault = Store("board"), Store("vault")
    board.records[Key("task", "T-1")] = {"title": "the same words"}
    vault.records[Key("task", "vault-1")] = {"title": "the same words"}
    assert [item["field"] for item in _run(ledger, board, vault, Options()).conflicts] == ["id"]
    assert not _run(ledger, board, vault, YES).conflicts
    assert board.records.keys() == vault.records.keys() == {Key("task", "T-1"), Key("task", "vault-1")}


def test_a_guard_is_no_question(ledger: Ledger) -> None:
    board, vault = Store("board"), Store("vault")
    for number in range(9):
        board.records[Key("task", f"T-{number}")] = {"title": f"task {number}"}
    _run(ledger, board, vault, Options())
    board.records.clear()
    with pytest.raises(Stopped):
        _run(ledger, board, vault, YES)
    assert len(vault.records) == 9

"""Every revision the real board ever had, as successive edits of one board."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tallystick_contract.fields import DERIVED, TASK, same, value
from tallystick_contract.journal import replay
from tallystick_sync.guards import Consent
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.history import entries, replay_differences
from tallystick_sync.report import Report
from tallystick_sync.run import Options, sync
from tallystick_sync.survey import Engine, Member

from . import board as real

ARCHIVING = 1594
"""The revision at which 1,105 tasks leave for the archive."""

EVERYTHING = Options(consent=Consent(deletions=10_000, changes=10_000))


def revisions() -> Iterator[dict[str, Any]]:
    """Yield the 1,653 revisions, oldest first."""
    with gzip.open(real.DATA / "tasks-revisions.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Replayed:
    """A board that is taken from revision to revision, and the ledger that follows it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".project"
        self.folder.mkdir()
        self.tasks: dict[str, dict[str, Any]] = {}
        self.ledger = Ledger.open(root / "ledger.db")
        self.irregular = 0

    def take(self, revision: dict[str, Any]) -> Report:
        """Make the board this revision and sync."""
        file = self.folder / "tasks.json"
        if revision.get("unparseable"):
            file.write_text('{"tasks": [\n<<<<<<< HEAD\n', encoding="utf-8")
        else:
            if revision["n"] == ARCHIVING:
                self._archive(revision["removed"])
            for task in revision["removed"]:
                self.tasks.pop(task, None)
            self.tasks |= {task["id"]: task for task in revision["changed"]}
            text = json.dumps({"tasks": list(self.tasks.values())}, ensure_ascii=False)
            file.write_text(text + "\n", encoding="utf-8")
        board = real.board(self.root)
        report = sync(Engine(self.ledger, [Member("board", board)], lambda: real.NOW), EVERYTHING)
        board.close()
        self.irregular += sum(1 for finding in report.findings if finding["code"] == "D-03")
        return report

    def _archive(self, ids: list[str]) -> None:
        (self.folder / "archive").mkdir()
        lines = [json.dumps(self.tasks[task], ensure_ascii=False) + "\n" for task in ids]
        (self.folder / "archive" / "completed-tasks-0001.jsonl").write_text("".join(lines), encoding="utf-8")

    def count(self, condition: str) -> int:
        """Count the hub's tasks."""
        query = f"SELECT count(*) FROM records WHERE kind = 'task' AND {condition}"  # noqa: S608 -- our own words
        return int(self.ledger.db.execute(query).fetchone()[0])


def test_the_whole_history_replays(tmp_path: Path) -> None:
    real.skip_without_data()
    replayed = Replayed(tmp_path)
    refused = 0
    for revision in revisions():
        before = replayed.count("deleted IS NULL")
        report = replayed.take(revision)
        if revision.get("unparseable"):
            refused += 1
            assert "board" in {name for name, spoke in report.spokes.items() if spoke.error}
            assert replayed.count("deleted IS NULL") == before
        else:
            assert not report.partial, (revision["n"], report.problems, report.held, report.quarantined)
        if revision["n"] == ARCHIVING:
            assert replayed.count("json_extract(doc, '$.archived') = 1") == 1_105
    assert refused == 9
    assert replayed.count("deleted IS NOT NULL") == 0
    assert replayed.count("deleted IS NULL") == 1_194
    _assert_final_state(replayed)
    moves = replayed.ledger.db.execute("SELECT count(*) FROM journal WHERE kind = 'task' AND field = 'status'")
    # 698 moves with 382 irregular ones between snapshots of the live board; 8 archived ids came back live as well
    assert (moves.fetchone()[0], replayed.irregular) == (706, 390)
    assert replay_differences(replayed.ledger) == []
    everything = list(entries(replayed.ledger))
    prefix = everything[: len(everything) * 2 // 3]
    assert replay([*prefix, *prefix, *everything]) == replay(everything)
    replayed.ledger.close()


def _assert_final_state(replayed: Replayed) -> None:
    """The hub shows exactly what the last revision and the archive show; a set's order is each spoke's own."""
    board = {key.id: doc for key, doc in real.images(real.board(replayed.root)).items() if key.kind == "task"}
    rows = replayed.ledger.db.execute("SELECT id, doc FROM records WHERE kind = 'task'")
    hub = {ident: json.loads(doc) for ident, doc in rows}
    assert hub.keys() == board.keys()
    different = [
        (ident, name)
        for ident, doc in hub.items()
        for name, field in TASK.items()
        if name not in DERIVED["task"] and not same(field, value("task", doc, name), value("task", board[ident], name))
    ]
    assert different == []

"""The ledger's history as data and as lines: runs, what changed in the hub, and what was written where."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick_cli import account
from tallystick_contract.adapter import Key
from tallystick_sync.ledger import Ledger


def runs(ledger: Ledger) -> list[dict[str, Any]]:
    """Return every run, newest first, with how many changes it made in the hub and writes on spokes."""
    query = """SELECT n, command, started, finished,
               (SELECT count(*) FROM journal WHERE run = n), (SELECT count(*) FROM writes WHERE run = n)
               FROM runs ORDER BY n DESC"""
    names = ("run", "command", "started", "finished", "changes", "writes")
    return [dict(zip(names, row, strict=True)) for row in ledger.db.execute(query)]


def journal(ledger: Ledger, key: Key | None, run: int | None) -> list[dict[str, Any]]:
    """Return what changed in the hub, oldest first: of one task and its evidence, of one run, or of both."""
    rows = _rows(ledger, "journal", ("run", "at", "actor", "spoke", "kind", "id", "field", "before", "after"), key, run)
    for row in rows:
        who = json.loads(row["actor"])
        row |= {"actor": f"{who['type']}:{who['id']}"}
        row |= {side: None if row[side] is None else json.loads(row[side]) for side in ("before", "after")}
    return rows


def writes(ledger: Ledger, key: Key | None, run: int | None) -> list[dict[str, Any]]:
    """Return what was written to spokes, oldest first, chosen as `journal` does."""
    rows = _rows(ledger, "writes", ("run", "at", "spoke", "op", "kind", "id", "fields"), key, run)
    return [{**row, "fields": json.loads(row["fields"])} for row in rows]


def _rows(ledger: Ledger, table: str, columns: Sequence[str], key: Key | None, run: int | None) -> list[dict[str, Any]]:
    about = "kind = 'evidence' AND id IN (SELECT id FROM records WHERE about = ?)"
    some = f"(? IS NULL OR run = ?) AND (? IS NULL OR (kind = 'task' AND id = ?) OR ({about}))"
    query = f"SELECT {', '.join(columns)} FROM {table} WHERE {some} ORDER BY seq"  # noqa: S608 -- literals of this module
    task = key.id if key else None
    return [dict(zip(columns, row, strict=True)) for row in ledger.db.execute(query, (run, run, task, task, task))]


def journal_line(item: Mapping[str, Any]) -> str:
    """Return one change of the hub: when, who, what, and before and after."""
    what = f"{item['field']}: {account.short(item['before'])} -> {account.short(item['after'])}"
    if item["field"] == "":
        what = "deleted" if item["after"] is None else "added"
    return f"run {item['run']}  {item['at']}  {item['actor']}  {account.named(item)}  {what}"


def write_line(item: Mapping[str, Any]) -> str:
    """Return one write to a spoke."""
    return f"run {item['run']}  {item['at']}  written to {item['spoke']}  {account.sentence(item)}"

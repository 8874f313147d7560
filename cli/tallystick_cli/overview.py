"""Where a project stands, from its ledger alone."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tallystick_sync.ledger import Ledger


def standing(ledger: Ledger, spokes: Sequence[str]) -> dict[str, Any]:
    """Return the last sync, what each spoke held then, and how much is open since."""
    run, finished, report = _last_sync(ledger)
    parts = [_spoke(ledger, name, report) for name in spokes]
    counts = {name: _count(ledger, table) for name, table in _OPEN.items()}
    new = any(spoke["total"] is None for spoke in parts)
    trouble = new or any(counts.values()) or any(spoke["error"] for spoke in parts)
    unfinished = ledger.meta("unfinished") == "yes"
    return {
        "run": run, "finished": finished, "inStep": not (trouble or unfinished), "unfinished": unfinished,
        **counts, "spokes": parts,
    }  # fmt: skip


_OPEN = {
    "conflicts": "conflicts", "held": "held", "quarantined": "quarantine",
    "waiting": "records WHERE dirty = 1",
}  # fmt: skip


def _count(ledger: Ledger, table: str) -> int:
    return int(ledger.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 -- one of the four above


def _last_sync(ledger: Ledger) -> tuple[int, str | None, Mapping[str, Any]]:
    query = "SELECT n, finished, report FROM runs WHERE command = 'sync' AND report IS NOT NULL ORDER BY n DESC LIMIT 1"
    row = ledger.db.execute(query).fetchone()
    return (row[0], row[1], json.loads(row[2])) if row else (0, None, {})


def _spoke(ledger: Ledger, name: str, report: Mapping[str, Any]) -> dict[str, Any]:
    known = ledger.db.execute("SELECT 1 FROM spokes WHERE name = ?", (name,)).fetchone()
    query = "SELECT count(*) FROM copies WHERE spoke = ? AND base IS NOT NULL AND gone = 0"
    linked = ledger.db.execute(query, (name,)).fetchone()[0]
    error = report.get("spokes", {}).get(name, {}).get("error", "")
    return {"name": name, "total": linked if known else None, "error": error}


def sentences(data: Mapping[str, Any]) -> list[str]:
    """Return the first lines of `tally status`."""
    if not data["run"]:
        return ["never synced"]
    state = "in step" if data["inStep"] else "not in step"
    open_ends = [f"{noun}: {data[name]}" for name, noun in _WORDS.items() if data[name]]
    return [f"{state} as of run {data['run']}, {data['finished']}", *open_ends]


_WORDS = {
    "conflicts": "conflicts", "held": "held moves", "quarantined": "unreadable records",
    "waiting": "records that some spoke waits for",
}  # fmt: skip

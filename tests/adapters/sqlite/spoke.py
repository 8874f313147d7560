"""A spoke on a fresh file, and the changes tests write to it."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_contract.adapter import Change, Key, Observed, Outcome

OPENED: list[Sqlite] = []
"""The spokes of the running test."""


def opened(folder: Path, *, disk: str = "ext4", **settings: Any) -> Sqlite:
    """Return a spoke on `tasks.db` in the folder, on a disk of the given type; it is closed when the test ends."""
    spoke = Sqlite("db", {"path": "tasks.db", **settings}, str(folder), probe=lambda _: disk)
    OPENED.append(spoke)
    return spoke


def create(record_id: str, image: Mapping[str, Any], kind: str = "task") -> Change:
    """Return the change that creates a record."""
    return Change("create", Key(kind, record_id), None, image, image)


def update(shown: Observed, **fields: Any) -> Change:
    """Return the change that sets fields of a record as it was last shown."""
    return Change("update", shown.key, shown.revision, fields, {**shown.image, **fields}, shown.native)


def written(outcome: Outcome) -> Observed:
    """Return what an outcome shows; it must not be an error."""
    assert outcome.error is None, outcome.error
    assert outcome.shown is not None
    return outcome.shown


def sql(folder: Path, *statements: str) -> list[Any]:
    """Run statements as another program would, and return the rows of the last."""
    db = sqlite3.connect(folder / "tasks.db")
    try:
        rows: list[Any] = []
        for statement in statements:
            rows = db.execute(statement).fetchall()
        db.commit()
        return rows
    finally:
        db.close()

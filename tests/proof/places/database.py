"""A SQLite spoke, read and written with plain SQL."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pydantic.alias_generators import to_snake

from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_adapters.sqlite.store import Store
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, sparse, value

_TABLES: Final = {"task": "tasks", "evidence": "evidence", "event": "events"}


class Database:
    """The database file of a spoke."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._file = name, folder / name / "team.db"

    def adapter(self) -> Sqlite:
        self._file.parent.mkdir(exist_ok=True)
        return Sqlite(self._name, {"path": f"{self._name}/team.db"}, str(self._file.parent.parent))

    def plant(self, key: Key, doc: Doc | None) -> None:
        if not self._file.exists():
            _make(self._file)
        table = _TABLES[key.kind]
        with closing(sqlite3.connect(self._file)) as db, db:
            db.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug on the person who plants
            if doc is None:
                db.execute(f"DELETE FROM {table} WHERE id = ?", (key.id,))  # noqa: S608 -- a literal table
                return
            row = _row(key.kind, doc)
            marks = ", ".join("?" * (len(row) + 1))
            sets = ", ".join(f"{column} = excluded.{column}" for column in row)
            insert = f"INSERT INTO {table} (id, {', '.join(row)}) VALUES ({marks})"  # noqa: S608 -- literal names
            db.execute(f"{insert} ON CONFLICT (id) DO UPDATE SET {sets}", (key.id, *row.values()))

    def peek(self) -> list[tuple[Key, Doc]]:
        if not self._file.exists():
            return []
        found = []
        with closing(sqlite3.connect(self._file)) as db:
            db.row_factory = sqlite3.Row
            for kind, table in _TABLES.items():
                rows = db.execute(f"SELECT * FROM {table}")  # noqa: S608 -- a literal table
                found += [(Key(kind, row["id"]), _doc(kind, row)) for row in rows]
        return found


def _make(path: Path) -> None:
    """Make an empty database: its tables and triggers are the adapter's own, whoever writes into them."""
    path.parent.mkdir(exist_ok=True)
    store = Store(path, 5.0)
    with store.writing():
        pass
    store.close()


def _column(name: str) -> str:
    return "commit_hash" if name == "commit" else to_snake(name)


def _row(kind: str, doc: Doc) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name in FIELDS[kind]:
        item = value(kind, doc, name)
        row[_column(name)] = json.dumps(item, ensure_ascii=False) if isinstance(item, list | dict) else item
    if kind == "task":
        row["notes_list"] = None
        if isinstance(doc.get("notes"), list):
            row |= {"notes": None, "notes_list": row["notes"]}
    return row


def _doc(kind: str, row: sqlite3.Row) -> Doc:
    doc = {}
    for name, field in FIELDS[kind].items():
        item = row[_column(name)]
        if name == "actor" or isinstance(field.default, list | dict):
            item = json.loads(item)
        doc[name] = bool(item) if name == "archived" else item
    if kind == "task" and row["notes_list"] is not None:
        doc["notes"] = json.loads(row["notes_list"])
    return sparse(kind, doc)

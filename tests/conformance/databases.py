"""A Tallystick database edited as a person would: plain SQL in and out, without the adapter's codec."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from pydantic.alias_generators import to_snake

from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_adapters.sqlite.store import Store
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS

TABLES: Final = {"task": "tasks", "evidence": "evidence", "event": "events"}


class Database:
    """The file `tasks.db` below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def adapter(self) -> Sqlite:
        """Build the adapter as a run does; the disk is what the kit's folder lies on, and good enough."""
        return Sqlite("db", {"path": "tasks.db"}, str(self.root), probe=lambda _path: "ext4")

    def plant(self, key: Key, doc: Doc | None) -> None:
        """Put a record into its table, or take it away."""
        table = TABLES[key.kind]
        with self._open() as db:
            if doc is None:
                db.execute(f"DELETE FROM {table} WHERE id = ?", (key.id,))  # noqa: S608 -- a literal table
                return
            row = _row(key.kind, doc)
            db.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(['id', *row])}) VALUES ({_marks(row)})",  # noqa: S608 -- literal names
                       (key.id, *row.values()))  # fmt: skip
            db.execute(f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in row)} WHERE id = ?",  # noqa: S608 -- literal names
                       (*row.values(), key.id))  # fmt: skip

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every row of every table."""
        found: list[tuple[Key, Doc]] = []
        with self._open() as db:
            db.row_factory = sqlite3.Row
            for kind, table in TABLES.items():
                rows = db.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 -- a literal table
                found += [(Key(kind, row["id"]), _doc(kind, row)) for row in rows]
        return found

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        path = self.root / "tasks.db"
        if not path.exists():
            store = Store(path, 5.0, lambda _path: "ext4")
            with store.writing():
                pass
            store.close()
        with closing(sqlite3.connect(path)) as db, db:
            yield db


def _marks(row: dict[str, Any]) -> str:
    return ", ".join("?" * (len(row) + 1))


def _column(name: str) -> str:
    return "commit_hash" if name == "commit" else to_snake(name)


def _row(kind: str, doc: Doc) -> dict[str, Any]:
    """Return every column of a row, the default where the document has nothing."""
    row: dict[str, Any] = {}
    for name, field in FIELDS[kind].items():
        item = doc.get(name, field.default)
        if name == "notes":
            row["notes_list"] = json.dumps(item) if isinstance(item, list) else None
            row["notes"] = None if isinstance(item, list) else item
        elif name == "actor" or isinstance(field.default, list | dict):
            row[_column(name)] = json.dumps(item)
        else:
            row[_column(name)] = item
    return row


def _doc(kind: str, row: sqlite3.Row) -> dict[str, Any]:
    doc: dict[str, Any] = {}
    for name, field in FIELDS[kind].items():
        cell = row[_column(name)]
        if name == "notes" and row["notes_list"] is not None:
            doc[name] = json.loads(row["notes_list"])
        elif name == "actor" or isinstance(field.default, list | dict):
            doc[name] = json.loads(cell)
        else:
            doc[name] = bool(cell) if name == "archived" else cell
    return doc

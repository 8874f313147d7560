"""A team's project on a board, in a database and in a vault, and the checks that every case adds to its own."""

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tests.e2e.project import Project
from tests.proof.places import Place
from tests.proof.places.board import Board
from tests.proof.places.database import Database
from tests.proof.places.vault import Vault

CONFIG: Final = """\
[project]
id = "harbour"
[spokes.board]
type = "project-json"
path = "board"
[spokes.db]
type = "sqlite"
path = "db/team.db"
[spokes.vault]
type = "markdown"
path = "vault"
"""
_LEDGER_TABLES: Final = ("records", "copies", "conflicts", "held", "journal", "writes")
_DATABASES: Final = re.compile(r"\.db(-wal|-shm|-journal)?$")


@dataclass(frozen=True)
class Team(Project):
    """One project whose three spokes a person also reads and edits without our software."""

    @classmethod
    def found(cls, folder: Path, tasks: Mapping[str, Doc]) -> "Team":
        """Start a project with these tasks on its board, and bring its spokes in step."""
        (folder / "db").mkdir(parents=True)
        team = cls(folder)
        team.config.write_text(CONFIG)
        for ident, doc in tasks.items():
            team.places["board"].plant(Key("task", ident), doc)
        team.sync()
        return team

    @property
    def board(self) -> Path:
        """The board's tasks."""
        return self.folder / "board" / "tasks.json"

    @property
    def database(self) -> Path:
        """The database's file."""
        return self.folder / "db" / "team.db"

    @property
    def ledger(self) -> Path:
        """The engine's own database."""
        return self.folder / ".tallystick" / "ledger.db"

    @property
    def places(self) -> dict[str, Place]:
        """The spokes as a person sees them."""
        return {
            "board": Board("board", self.folder),
            "db": Database("db", self.folder),
            "vault": Vault("vault", self.folder),
        }

    def edit_task(self, spoke: str, ident: str, **fields: Any) -> None:
        """Change fields of one task on one spoke, as a person would; a task that is not there is written anew."""
        place, key = self.places[spoke], Key("task", ident)
        place.plant(key, {**dict(place.peek()).get(key, {}), **fields})

    def drop(self, spoke: str, *idents: str) -> None:
        """Take tasks away from one spoke, as a person would."""
        for ident in idents:
            self.places[spoke].plant(Key("task", ident), None)

    def shown(self, ident: str, field: str, *spokes: str) -> list[Any]:
        """Return what spokes show of one field, `missing` where they do not have the task; all three in their order."""
        docs = [dict(self.places[spoke].peek()).get(Key("task", ident)) for spoke in spokes or self.places]
        return ["missing" if doc is None else doc.get(field) for doc in docs]

    def texts(self) -> dict[str, bytes]:
        """Return what a version control system would keep: configuration, board and vault."""
        return {name: data for name, data in self.files().items() if not name.startswith("db/")}

    def check_out(self, texts: Mapping[str, bytes]) -> None:
        """Make those files be exactly these; every file gets a new time, as a checkout gives it."""
        for name in self.texts().keys() - texts.keys():
            (self.folder / name).unlink()
        for name, data in texts.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(data)

    def sync(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        """Sync and return the report.

        Checks that what a spoke shows no longer is a tombstone or an open question, and that what could not be done
        makes an exit code and is named.
        """
        before = self._census()
        report: dict[str, Any] = self.data("sync", *arguments, code=code)
        if lost := {ident for _, ident in before - self._census()}:
            dead = {ident for (ident,) in _rows(self.ledger, "SELECT id FROM records WHERE deleted IS NOT NULL")}
            assert lost <= dead | {item["id"] for item in self.data("conflicts")["conflicts"]}
        assert report["partial"] == (code == 4)
        named = [item["where"] for item in report["problems"]] + [item["reason"] for item in report["quarantined"]]
        assert all(named)
        assert named or code != 4
        return report

    def check_rest(self, code: int = 0) -> None:
        """Check that further runs write nothing: no byte, no time of a file, no row. What is open stays open."""
        before = self.everything()
        for _ in range(2):
            assert self.sync(code=code)["writes"] == 0
        if not code:
            assert self.data("plan")["writes"] == 0
        assert self.everything() == before

    def _census(self) -> set[tuple[str, str]]:
        """Return which spoke shows which id, however damaged the rest of it is."""
        found = {("board", ident) for ident in re.findall(r'"id": "([^"]+)"', _text(self.folder / "board"))}
        found |= {("vault", ident) for ident in re.findall(r"^id: (\S+)$", _text(self.folder / "vault"), re.MULTILINE)}
        if self.database.exists():
            found |= {("db", ident) for (ident,) in _rows(self.database, "SELECT id FROM tasks")}
        return found

    def everything(self) -> dict[str, Any]:
        """Return all files with their bytes and times, and all rows of both databases."""
        paths = [path for path in self.folder.rglob("*") if path.is_file() and ".git" not in path.parts]
        found: dict[str, Any] = {
            str(path): (path.read_bytes(), path.stat().st_mtime_ns)
            for path in paths
            if not _DATABASES.search(path.name) and ".tallystick" not in path.parts
        }
        tables = [name for (name,) in _rows(self.database, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        found |= {f"db/{name}": _rows(self.database, f"SELECT * FROM {name}") for name in tables}  # noqa: S608 -- names of tables
        for name in _LEDGER_TABLES:
            rows = _rows(self.ledger, f"SELECT * FROM {name}")  # noqa: S608 -- literal names
            found[f"ledger/{name}"] = [[_parsed(cell) for cell in row] for row in rows]
        return found


def tasks(count: int, **fields: Any) -> dict[str, Doc]:
    """Return tasks T-1 to T-`count`, all with these fields."""
    return {f"T-{number}": {"title": f"Task {number}", **fields} for number in range(1, count + 1)}


def _text(folder: Path) -> str:
    return "\n".join(path.read_text(errors="replace") for path in sorted(folder.rglob("*.*")) if path.is_file())


def _parsed(cell: Any) -> Any:
    """Return a document of the ledger as the value it is: the order of its members is nobody's edit."""
    return json.loads(cell) if isinstance(cell, str) and cell.startswith("{") else cell


def _rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()

"""Our own adapters come through the kit's public door, as a stranger's would."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.bench import Build, Peek, Plant, Spoil
from tallystick_contract.adapter import Key
from tests.conformance.seeded.suites import InMemory
from tests.proof.places import PLACES, Place


class TestReference(InMemory):
    """The reference adapter, the executable specification of the port."""

    __test__ = True


class Placed(AdapterSuite):
    """The three fixtures, from a place that knows each kind of spoke behind its adapter's back."""

    kind = ""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return PLACES[self.kind]("spoke", tmp_path)

    @pytest.fixture
    def adapter(self, place: Place) -> Build:
        return place.adapter

    @pytest.fixture
    def plant(self, place: Place) -> Plant:
        return place.plant

    @pytest.fixture
    def peek(self, place: Place) -> Peek:
        return place.peek


class TestProjectJson(Placed):
    """A .project board."""

    kind = "project-json"

    @pytest.fixture
    def spoil(self, tmp_path: Path) -> Spoil:
        path = tmp_path / "spoke" / "tasks.json"

        def spoil(key: Key) -> None:
            board = json.loads(path.read_text(encoding="utf-8"))
            next(task for task in board["tasks"] if task["id"] == key.id)["depends_on"] = {"no": "list"}
            path.write_text(json.dumps(board), encoding="utf-8")

        return spoil


class TestSqlite(Placed):
    """A SQLite database."""

    kind = "sqlite"

    @pytest.fixture
    def spoil(self, tmp_path: Path) -> Spoil:
        def spoil(key: Key) -> None:
            with closing(sqlite3.connect(tmp_path / "spoke" / "team.db")) as db, db:
                db.execute("""UPDATE tasks SET depends_on = '{"no": "list"}' WHERE id = ?""", (key.id,))

        return spoil


class TestMarkdown(Placed):
    """A Markdown vault."""

    kind = "markdown"

    @pytest.fixture
    def spoil(self, tmp_path: Path) -> Spoil:
        def spoil(key: Key) -> None:
            notes = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "spoke").rglob("*.md")}
            (path,) = [path for path, text in notes.items() if f"\nid: {key.id}\n" in text]
            path.write_text(notes[path].replace("\n---\n", "\nlabels: [never closed\n---\n", 1), encoding="utf-8")

        return spoil

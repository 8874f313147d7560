"""Our own adapters come through the kit's public door, as a stranger's would."""

from pathlib import Path

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.bench import Build, Peek, Plant
from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tests.proof.places import PLACES, Place


class TestReference(AdapterSuite):
    """The reference adapter, the executable specification of the port."""

    @pytest.fixture
    def store(self) -> Store:
        return Store()

    @pytest.fixture
    def adapter(self, store: Store) -> Build:
        return lambda: Reference(store)

    @pytest.fixture
    def plant(self, store: Store) -> Plant:
        def put(key: Key, doc: Doc | None) -> None:
            store.records |= {key: dict(doc or {})}
            if doc is None:
                del store.records[key]

        return put

    @pytest.fixture
    def peek(self, store: Store) -> Peek:
        return lambda: list(store.records.items())


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


class TestSqlite(Placed):
    """A SQLite database."""

    kind = "sqlite"


class TestMarkdown(Placed):
    """A Markdown vault."""

    kind = "markdown"

"""Our own adapters come through the kit's public door, as a stranger's would."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc
from tests.conformance.boards import Board
from tests.conformance.databases import Database
from tests.conformance.vaults import Notes


class Place(Protocol):
    """Where records lie: its adapter, and the two hands behind the adapter's back."""

    def adapter(self) -> Adapter: ...

    def plant(self, key: Key, doc: Doc | None) -> Key | None: ...

    def peek(self) -> list[tuple[Key, Doc]]: ...


class Memory:
    """The store of a reference adapter."""

    def __init__(self) -> None:
        self.store = Store()

    def adapter(self) -> Reference:
        return Reference(self.store)

    def plant(self, key: Key, doc: Doc | None) -> None:
        self.store.records |= {key: dict(doc or {})}
        if doc is None:
            del self.store.records[key]

    def peek(self) -> list[tuple[Key, Doc]]:
        return list(self.store.records.items())


class _Placed(AdapterSuite):
    """The three fixtures, from a place."""

    @pytest.fixture
    def adapter(self, place: Place) -> Callable[[], Adapter]:
        return place.adapter

    @pytest.fixture
    def plant(self, place: Place) -> Callable[[Key, Doc | None], Key | None]:
        return place.plant

    @pytest.fixture
    def peek(self, place: Place) -> Callable[[], list[tuple[Key, Doc]]]:
        return place.peek


class TestReference(_Placed):
    """The reference adapter, the executable specification of the port."""

    @pytest.fixture
    def place(self) -> Place:
        return Memory()


class TestProjectJson(_Placed):
    """A .project board."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return Board(tmp_path)


class TestSqlite(_Placed):
    """A SQLite database."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return Database(tmp_path)


class TestMarkdown(_Placed):
    """A Markdown vault."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        return Notes(tmp_path)

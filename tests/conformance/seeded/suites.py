"""One suite of the kit for each seeded fault, and one for each adapter without any. Run by `test_kit_bites`."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.bench import Build, Peek, Plant, Spoil
from tallystick_conformance.faults import FaultPlan
from tallystick_conformance.hostile.adapter import Hostile
from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tests.conformance.lines import Lines
from tests.conformance.seeded import answering, asking, remembering, spelling, translating
from tests.conformance.tickets import Hands


class InMemory(AdapterSuite):
    """The reference spoke or a broken one."""

    __test__ = False
    variant: ClassVar[type[Reference]] = Reference

    @pytest.fixture
    def store(self) -> Store:
        return Store()

    @pytest.fixture
    def adapter(self, store: Store) -> Build:
        return lambda: self.variant(store)

    @pytest.fixture
    def plant(self, store: Store) -> Plant:
        def put(key: Key, doc: Doc | None) -> None:
            store.unreadable.discard(key)
            if doc is None:
                store.records.pop(key)
            else:
                store.records[key] = dict(doc)

        return put

    @pytest.fixture
    def peek(self, store: Store) -> Peek:
        return lambda: list(store.records.items())

    @pytest.fixture
    def spoil(self, store: Store) -> Spoil:
        return store.unreadable.add


class OnTheTracker(AdapterSuite):
    """The hostile tracker's adapter or a broken one."""

    __test__ = False
    variant: ClassVar[type[Hostile]] = Hostile

    @pytest.fixture
    def trouble(self) -> FaultPlan:
        return FaultPlan(secret="t0ken-of-the-bot")  # noqa: S106 -- it opens nothing

    @pytest.fixture
    def hands(self, trouble: FaultPlan) -> Hands:
        return Hands(trouble)

    @pytest.fixture
    def adapter(self, hands: Hands) -> Build:
        return lambda: self.variant(hands.tracker)

    @pytest.fixture
    def plant(self, hands: Hands) -> Plant:
        return hands.plant

    @pytest.fixture
    def peek(self, hands: Hands) -> Peek:
        return hands.peek

    @pytest.fixture
    def spoil(self, hands: Hands) -> Spoil:
        return hands.spoil


class InLines(AdapterSuite):
    """The hello adapter or a misspelt one."""

    __test__ = False
    module: ClassVar[ModuleType]

    @pytest.fixture
    def lines(self, tmp_path: Path) -> Lines:
        return Lines(tmp_path / "tasks.jsonl")

    @pytest.fixture
    def adapter(self, tmp_path: Path) -> Build:
        return lambda: self.module.Hello("hello", {"path": "tasks.jsonl"}, str(tmp_path))

    @pytest.fixture
    def plant(self, lines: Lines) -> Plant:
        return lines.plant

    @pytest.fixture
    def peek(self, lines: Lines) -> Peek:
        return lines.peek

    @pytest.fixture
    def spoil(self, lines: Lines) -> Spoil:
        return lines.spoil


def _variants() -> Iterator[tuple[str, type[AdapterSuite], str, Any]]:
    """Yield name, suite, attribute and value of every variant, the unbroken ones included."""
    yield "Reference", InMemory, "variant", Reference
    yield "Hostile", OnTheTracker, "variant", Hostile
    yield "Hello", InLines, "module", spelling.Slip("import json", "import json").module("Hello")
    for module in (translating, answering, remembering, asking):
        for name, found in inspect.getmembers(module, inspect.isclass):
            if found.__module__ == module.__name__ and not inspect.isabstract(found):
                yield name, OnTheTracker if issubclass(found, Hostile) else InMemory, "variant", found
    for name, slip in spelling.SLIPS.items():
        yield name, InLines, "module", slip.module(name)


globals().update(
    {
        f"Test{name}": type(f"Test{name}", (suite,), {attribute: found, "__test__": True, "__module__": __name__})
        for name, suite, attribute, found in _variants()
    }
)

"""The suite: every level of checks in one class, to be inherited with three fixtures."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pytest

pytest.register_assert_rewrite(
    "tallystick_conformance.bench", "tallystick_conformance.planning", "tallystick_conformance.levels"
)

from tallystick_conformance.bench import Bench, Build, Peek, Plant, Spoil  # noqa: E402 -- asserts are rewritten from here on
from tallystick_conformance.faults import FaultPlan  # noqa: E402
from tallystick_conformance.levels.absence import Absence  # noqa: E402
from tallystick_conformance.levels.codec import Codec  # noqa: E402
from tallystick_conformance.levels.concurrency import Concurrency  # noqa: E402
from tallystick_conformance.levels.events import Events  # noqa: E402
from tallystick_conformance.levels.evidence import Evidence  # noqa: E402
from tallystick_conformance.levels.faults import Faults  # noqa: E402
from tallystick_conformance.levels.gates import Gates  # noqa: E402
from tallystick_conformance.levels.identity import Identity  # noqa: E402
from tallystick_conformance.levels.lifecycle import Lifecycle  # noqa: E402
from tallystick_conformance.levels.paging import Paging  # noqa: E402
from tallystick_conformance.levels.reading import Reading  # noqa: E402
from tallystick_conformance.levels.staleness import Staleness  # noqa: E402
from tallystick_conformance.levels.text_fidelity import TextFidelity  # noqa: E402
from tallystick_conformance.levels.writing import Writing  # noqa: E402


class AdapterSuite(
    Codec, Reading, Writing, Staleness, Identity, Absence, Lifecycle, TextFidelity, Paging, Faults, Events, Evidence,
    Gates, Concurrency,
):  # fmt: skip
    """All checks an adapter has to pass. Inherit it in a class named `Test…` and write three fixtures.

    `adapter` gives a function that builds a new instance of the adapter, as each run does. `plant(key, doc)` puts a
    record on the spoke without the adapter's help, or takes it away where `doc` is None; it returns the record's key
    if the spoke names its records itself. `peek()` returns every record as it really stands there, doubles included.

    Two more are free to write: `trouble` gives the `FaultPlan` that the spoke's fake backend asks at each request,
    `spoil` a function `spoil(key)` that makes a record unreadable where it stands.
    `expected_failures` names the checks that are known to fail, each with the reason; one that passes then is a
    failure. There is no other way to leave a check out. `weakness` is printed on the card: what this suite cannot see.
    """

    expected_failures: ClassVar[Mapping[str, str]] = {}
    weakness: ClassVar[str] = ""

    @pytest.fixture
    def trouble(self) -> FaultPlan | None:
        """Give no fault plan: the spoke has no fake backend."""
        return None

    @pytest.fixture
    def spoil(self) -> Spoil | None:
        """Give nothing: no hand of ours makes records unreadable here."""
        return None

    @pytest.fixture
    def bench(
        self, adapter: Build, plant: Plant, peek: Peek, trouble: FaultPlan | None, spoil: Spoil | None
    ) -> Iterator[Bench]:
        """Put the spoke on the bench, and close what was opened there."""
        bench = Bench(adapter, plant, peek, trouble, spoil)
        yield bench
        bench.close()


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the kit: its level, the sentence that says what it wants, and the function."""

    level: str
    sentence: str
    function: Callable[..., Any]


def _checks(level: type) -> Iterator[tuple[str, Check]]:
    """Yield the checks of one level, which is named as its module is."""
    name = level.__module__.rpartition(".")[2].replace("_", " ")
    for check, function in vars(level).items():
        if check.startswith("test_"):
            yield check, Check(name, " ".join((inspect.getdoc(function) or "").split()), function)


CHECKS: Final[Mapping[str, Check]] = dict(pair for level in AdapterSuite.__bases__ for pair in _checks(level))
"""Every check of the kit by its name, level by level."""

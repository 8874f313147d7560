"""The hostile tracker's adapter bears the whole kit, and brings a board in step with everything the tracker does."""

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.bench import Build, Peek, Plant, Spoil
from tallystick_conformance.faults import FaultPlan
from tests.conformance.tickets import Hands


class TestHostile(AdapterSuite):
    """A tracker with every bad habit there is."""

    @pytest.fixture
    def trouble(self) -> FaultPlan:
        return FaultPlan(secret="t0ken-of-the-bot")  # noqa: S106 -- it opens nothing

    @pytest.fixture
    def hands(self, trouble: FaultPlan) -> Hands:
        return Hands(trouble)

    @pytest.fixture
    def adapter(self, hands: Hands) -> Build:
        return hands.adapter

    @pytest.fixture
    def plant(self, hands: Hands) -> Plant:
        return hands.plant

    @pytest.fixture
    def peek(self, hands: Hands) -> Peek:
        return hands.peek

    @pytest.fixture
    def spoil(self, hands: Hands) -> Spoil:
        return hands.spoil

"""The hostile tracker's adapter bears the whole kit, and brings a board in step with everything the tracker does."""

from tests.conformance.seeded.suites import OnTheTracker


class TestHostile(OnTheTracker):
    """A tracker with every bad habit there is."""

    __test__ = True

"""Staleness: no write lands on a record that is not what it was when the write was planned."""

from tallystick_conformance.bench import Bench
from tallystick_contract.errors import Stale


class Staleness:
    """The checks of the level."""

    def test_an_update_with_a_passed_revision_is_stale(self, bench: Bench) -> None:
        """An update expecting another revision writes nothing and answers Stale. Compare before writing."""
        bench.needs_field("task", "description", written=True)
        seen = bench.settled()
        now = bench.settled(description="Edited by somebody else.")
        (outcome,) = bench.push(bench.update(seen, description="Planned too early."))
        assert isinstance(outcome.error, Stale), outcome
        assert bench.there(seen.key) == bench.everything()[now.key]
        assert (bench.there(seen.key) or {})["description"] == "Edited by somebody else."

"""The convergence machine, for as long as the profile says.

`TALLY_MACHINE=quick` runs fixed histories and stops at the first that fails, `TALLY_PROVE=1` searches for long; else
the search is short. What is searched depends on the seed alone, and the seed is printed.
"""

import os
import secrets
from typing import Final

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proof.machine import Convergence

_ALWAYS: Final = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
_SEARCH: Final = [Phase.generate]

PROFILES: Final = {
    "quick": settings(_ALWAYS, max_examples=32, stateful_step_count=36, phases=_SEARCH),
    "test": settings(_ALWAYS, max_examples=100, stateful_step_count=36),
    "prove": settings(_ALWAYS, max_examples=700, stateful_step_count=50),
}
"""How many histories, how long: by examples, never by time."""

SITUATIONS: Final[tuple[str, ...]] = ()
"""What a search must have come across, or it has shown nothing."""


def test_whatever_happens_spokes_end_in_step_and_no_word_is_lost() -> None:
    profile = "prove" if os.environ.get("TALLY_PROVE") else os.environ.get("TALLY_MACHINE", "test")
    start = int(os.environ.get("TALLY_SEED", "1" if profile == "quick" else secrets.randbelow(10**6)))
    print(f"again with: TALLY_MACHINE={profile} TALLY_SEED={start} python -m pytest {__file__}")
    Convergence.reached.clear()
    run_state_machine_as_test(seed(start)(Convergence), settings=PROFILES[profile])
    print(sorted(Convergence.reached.items()))
    assert not [name for name in SITUATIONS if not Convergence.reached[name]]

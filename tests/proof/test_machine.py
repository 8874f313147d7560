"""The convergence machine, for as long as the profile says.

`TALLY_MACHINE=quick` runs fixed histories and stops at the first that fails, `TALLY_PROVE=1` searches for long.
A failure prints what to add to run it again.
"""

import os
from typing import Final

from hypothesis import HealthCheck, Phase, settings

from tests.proof.machine import Convergence

_ALWAYS: Final = settings(deadline=None, print_blob=True, suppress_health_check=list(HealthCheck), database=None)

PROFILES: Final = {
    "quick": settings(_ALWAYS, max_examples=60, stateful_step_count=40, derandomize=True, phases=[Phase.generate]),
    "test": settings(_ALWAYS, max_examples=150, stateful_step_count=40),
    "prove": settings(_ALWAYS, max_examples=1200, stateful_step_count=50),
}
"""How many histories, how long: by examples, never by time."""

_CHOSEN: Final = "prove" if os.environ.get("TALLY_PROVE") else os.environ.get("TALLY_MACHINE", "test")

TestConvergence = Convergence.TestCase
TestConvergence.settings = PROFILES[_CHOSEN]

"""Two engines on the same spokes; `TALLY_MACHINE=quick` runs fixed histories, `TALLY_PROVE=1` searches for longer."""

import os

from hypothesis import HealthCheck, Phase, settings

from tests.proof.pair import Pair

QUICK = os.environ.get("TALLY_MACHINE") == "quick"

TestPair = Pair.TestCase
TestPair.settings = settings(
    max_examples=300 if os.environ.get("TALLY_PROVE") else 20,
    stateful_step_count=8,
    derandomize=QUICK,
    phases=[Phase.generate] if QUICK else list(Phase),
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)

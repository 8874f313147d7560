"""Runs on many tasks; `TALLY_MACHINE=quick` runs fixed histories, `TALLY_PROVE=1` searches for longer."""

import os

from hypothesis import HealthCheck, Phase, settings

from tests.proof.crowd import Crowd

QUICK = os.environ.get("TALLY_MACHINE") == "quick"

TestCrowd = Crowd.TestCase
TestCrowd.settings = settings(
    max_examples=300 if os.environ.get("TALLY_PROVE") else 30,
    stateful_step_count=12,
    derandomize=QUICK,
    phases=[Phase.generate] if QUICK else list(Phase),
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)

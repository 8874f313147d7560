"""The convergence machine, as a process of its own.

`TALLY_MACHINE=quick` stops at the first failure as it is, and no engine is called faulty for what the search did not
come across; `TALLY_PROVE=1` searches for long; else the search is short.
What is searched depends on the seed alone, which is printed: another `TALLY_SEED` searches elsewhere.
"""

import os
import subprocess
import sys
from typing import Final

import pytest

PROFILE: Final = "prove" if os.environ.get("TALLY_PROVE") else os.environ.get("TALLY_MACHINE", "test")
SEEDS: Final = [os.environ["TALLY_SEED"]] if "TALLY_SEED" in os.environ else ["1", "2"] if PROFILE == "prove" else ["1"]
"""A long search begins in two places, one for each core."""


@pytest.mark.parametrize("start", SEEDS)
def test_whatever_happens_spokes_end_in_step_and_no_word_is_lost(start: str) -> None:
    command = ["-m", "tests.proof.search", PROFILE, start]
    print("again with: python", *command)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0

"""The convergence machine, as a process of its own.

`TALLY_MACHINE=quick` stops at the first failure as it is, and no engine is called faulty for what the search did not
come across; `TALLY_PROVE=1` searches for long; else the search is short.
What is searched depends on the seed alone, which is printed: another `TALLY_SEED` searches elsewhere.
"""

import os
import subprocess
import sys


def test_whatever_happens_spokes_end_in_step_and_no_word_is_lost() -> None:
    profile = "prove" if os.environ.get("TALLY_PROVE") else os.environ.get("TALLY_MACHINE", "test")
    command = ["-m", "tests.proof.search", profile, os.environ.get("TALLY_SEED", "1")]
    print("again with: python", *command)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0

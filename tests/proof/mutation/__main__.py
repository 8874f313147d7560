"""`python -m tests.proof.mutation`: the mutation tool over merge, policy and plan, with the proof as its only test.

Exit 1 if too few are found, a survivor has no reason, or a reason has no survivor.
"""

import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.proof.mutants.trial import SCRATCH
from tests.proof.mutation.outcome import Outcome, read
from tests.proof.mutation.reasons import FILE, load
from tests.proof.mutation.workshop import MODULES, Failed, passes, prepare, run

WANTED: Final = 0.85
"""The share of mutants that must be found."""


def main() -> int:
    """Run the tool and print its table; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="tally-mutation-", dir=SCRATCH) as name:
        folder = Path(name)
        prepare(folder)
        run(folder)
        outcomes = _retried(folder, list(read(folder)))
    for module in MODULES:
        _print(module, [outcome for outcome in outcomes if outcome.change.function.startswith(f"{module}.")])
    share = _print("all", outcomes)
    survivors = {outcome.change for outcome in outcomes if not outcome.killed}
    reasons = load()
    for change in sorted(survivors - set(reasons)):
        print(f"survived without a reason: {change.function}\n    - {change.old}\n    + {change.new}")
    for change in sorted(set(reasons) - survivors):
        print(f"has a reason in {FILE.name} but is found: {change.function}\n    - {change.old}\n    + {change.new}")
    return int(share < WANTED or survivors != set(reasons))


def _retried(folder: Path, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Show what the scenarios let pass to machines and matrix as well, as many at once as there are cores."""
    if not passes(folder, ""):
        raise Failed("the engine as it is does not pass")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda one: one.killed or not passes(folder, one.key), outcomes)
        return [replace(one, killed=killed) for one, killed in zip(outcomes, found, strict=True)]


def _print(name: str, outcomes: Sequence[Outcome]) -> float:
    killed = sum(outcome.killed for outcome in outcomes)
    share = killed / len(outcomes)
    print(f"{name:8} {len(outcomes):5} mutants {killed:5} found {len(outcomes) - killed:5} survived {share:7.1%}")
    return share


if __name__ == "__main__":
    raise SystemExit(main())

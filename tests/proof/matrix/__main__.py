"""`python -m tests.proof.matrix`: the matrix on all cores, and its table. Exit 1 for any failure.

Every scenario on every adapter is stopped at half of its boundaries, spread so that every kind of step of every
adapter is among them (see `worker.py`); of the disk errors fewer are tried. `--all`: at every boundary there is.
`--quick`: some boundaries of every scenario in one process, up to the first failure. `--calm`: none, which shows only
that every scenario ends as it says.
`SCENARIO [ADAPTER [BOUNDARY]]`: a part of it with every disk error, down to the one pair that a printed line names.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from typing import Final

from tests.proof.matrix.score import Score, table
from tests.proof.matrix.worker import CASES, Share, Worker, scratch, work, workers
from tests.proof.places import PLACES

FLOOR: Final = 10_000
"""Fewer pairs than this are no matrix."""

QUICK: Final = 3
"""So many boundaries of every scenario does `--quick` try."""


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say and print what came of it; returns the exit code."""
    begun = time.perf_counter()
    match arguments:
        case []:
            return _judged(_all(CASES, "most"), begun, floor=FLOOR)
        case ["--all"]:
            return _judged(_all(CASES), begun, floor=FLOOR)
        case ["--quick" | "--calm" as how]:
            return _judged(_until_failure(QUICK if how == "--quick" else 0), begun)
        case [name, kind, number] if (name, kind) in CASES and number.isdecimal():
            return _judged(_one(name, kind, int(number)), begun)
        case [name, *kinds] if chosen := [case for case in CASES if case[0] == name and case[1] in (kinds or PLACES)]:
            return _judged(_all(chosen), begun)
    print(__doc__, "\nscenarios:", *dict(CASES), "\nadapters:", *PLACES, file=sys.stderr)
    return 2


def _all(cases: Sequence[tuple[str, str]], share: Share = None) -> Iterator[Score]:
    """Do these cases on all cores, in their order or nearly so."""
    with workers(os.cpu_count() or 1) as pool:
        for future in as_completed([pool.submit(work, *case, share) for case in cases]):
            yield future.result()


def _until_failure(share: int) -> Iterator[Score]:
    """Do so much of every scenario, each on another kind of adapter, up to the first failure."""
    with scratch() as folder:
        worker = Worker(folder)
        for place, name in enumerate(dict(CASES)):
            kinds = [kind for scenario, kind in CASES if scenario == name]
            score = worker.run(name, kinds[place % len(kinds)], share)
            yield score
            if score.failures:
                return


def _one(name: str, kind: str, number: int) -> Iterator[Score]:
    with scratch() as folder:
        yield Worker(folder).run_one(name, kind, number)


def _judged(scores: Iterator[Score], begun: float, floor: int = 0) -> int:
    """Print every failure as it comes, then the table; returns 1 if there was any, or there are too few pairs."""
    done = []
    for score in scores:
        done.append(score)
        for failure in score.failures:
            print(f"FAILED python -m tests.proof.matrix {failure}", flush=True)
    order = list(dict(CASES))
    pairs, failures = sum(len(score.boundaries) for score in done), sum(len(score.failures) for score in done)
    print(table(sorted(done, key=lambda score: order.index(score.scenario))))
    print(f"{pairs} pairs, {failures} failures, {time.perf_counter() - begun:.0f} s")
    if pairs < floor:
        print(f"fewer than {floor} pairs")
    return int(failures > 0 or pairs < floor)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

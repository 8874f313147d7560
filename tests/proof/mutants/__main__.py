"""`python -m tests.proof.mutants [NAME...]`: every mutant, or those named, before the machine and the matrix alone.

Exit 1 if one survives, 2 if the engine as it is does not pass or a mutant does not fit any more.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from tests.proof.mutants.catalogue import CATALOGUE
from tests.proof.mutants.mutant import Misfit, Mutant
from tests.proof.mutants.trial import Misjudged, Verdict, judge

WIDTH = 100
OWN = "(the engine as it is)"


def main(names: Sequence[str]) -> int:
    """Try the mutants and print one line for each; returns the exit code."""
    unknown = sorted(set(names) - {mutant.name for mutant in CATALOGUE})
    if unknown:
        print(f"no mutant is called {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [mutant for mutant in CATALOGUE if not names or mutant.name in names]
    try:
        verdicts = list(_verdicts([None, *chosen]))
    except (Misfit, Misjudged) as error:
        print(error, file=sys.stderr)
        return 2
    if any(verdict.name == OWN and verdict.judge for verdict in verdicts):
        return 2
    verdicts = [verdict for verdict in verdicts if verdict.name != OWN]
    survivors = sorted(verdict.name for verdict in verdicts if not verdict.judge)
    print(f"{len(verdicts)} mutants, {len(verdicts) - len(survivors)} found, {len(survivors)} survived", *survivors)
    return 1 if survivors else 0


def _verdicts(mutants: Sequence[Mutant | None]) -> Iterator[Verdict]:
    """Yield verdicts as they come, as many trials at once as there are cores; None is the engine as it is."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in as_completed([pool.submit(judge, mutant.name if mutant else OWN, mutant) for mutant in mutants]):
            _print(future.result())
            yield future.result()


def _print(verdict: Verdict) -> None:
    found = verdict.judge or ("SURVIVED" if verdict.name != OWN else "passed")
    print(f"{verdict.name:36} {found:9} {verdict.seconds:5.1f} s  {verdict.line[:WIDTH]}".rstrip(), flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

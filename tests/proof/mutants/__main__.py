"""`python -m tests.proof.mutants [NAME...]`: every mutant, or those named, before the machine and the matrix alone.

What noticed a mutant the last time is asked first; `--note` writes down anew what did, in `witnesses.json`.
Exit 1 if one survives, 2 if the engine as it is does not pass or a mutant does not fit any more.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.proof.mutants.catalogue import CATALOGUE
from tests.proof.mutants.mutant import Misfit, Mutant
from tests.proof.mutants.trial import Misjudged, Verdict, judge, witness

WIDTH = 100
WITNESSES = Path(__file__).with_name("witnesses.json")
OWN = "(the engine as it is)"


def main(arguments: Sequence[str]) -> int:
    """Try the mutants and print one line for each; returns the exit code."""
    names = [name for name in arguments if name != "--note"]
    unknown = sorted(set(names) - {mutant.name for mutant in CATALOGUE})
    if unknown:
        print(f"no mutant is called {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [mutant for mutant in CATALOGUE if not names or mutant.name in names]
    try:
        verdicts = list(_verdicts([None, *chosen], json.loads(WITNESSES.read_text(encoding="utf-8"))))
    except (Misfit, Misjudged) as error:
        print(error, file=sys.stderr)
        return 2
    if any(verdict.name == OWN and verdict.judge for verdict in verdicts):
        return 2
    verdicts = [verdict for verdict in verdicts if verdict.name != OWN]
    if "--note" in arguments and not names:
        noted = {verdict.name: witness(verdict.line) for verdict in sorted(verdicts, key=lambda one: one.name)}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(seen)}" for name, seen in noted.items() if seen)
        WITNESSES.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    survivors = sorted(verdict.name for verdict in verdicts if not verdict.judge)
    print(f"{len(verdicts)} mutants, {len(verdicts) - len(survivors)} found, {len(survivors)} survived", *survivors)
    return 1 if survivors else 0


def _verdicts(mutants: Sequence[Mutant | None], seen: Mapping[str, Sequence[str]]) -> Iterator[Verdict]:
    """Yield verdicts as they come, as many trials at once as there are cores; None is the engine as it is."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        names = [mutant.name if mutant else OWN for mutant in mutants]
        trials = [pool.submit(judge, name, one, seen.get(name, ())) for name, one in zip(names, mutants, strict=True)]
        for future in as_completed(trials):
            _print(future.result())
            yield future.result()


def _print(verdict: Verdict) -> None:
    found = verdict.judge or ("SURVIVED" if verdict.name != OWN else "passed")
    print(f"{verdict.name:36} {found:9} {verdict.seconds:5.1f} s  {verdict.line[:WIDTH]}".rstrip(), flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

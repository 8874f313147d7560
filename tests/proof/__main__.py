"""`python -m tests.proof`: the full crash matrix, the long machine and every mutant; then one table.

Exit 1 if one of them found something. What they print is shown as it comes.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Final

PYTEST: Final = ("pytest", "-q", "-n", "2", "-p", "no:cacheprovider")


@dataclass(frozen=True)
class Part:
    """One part of the proof: a module to run, which exits 0 when all is well and says what it did in its last line."""

    name: str
    command: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()


PARTS: Final = (
    Part("crash matrix", ("tests.proof.matrix",)),
    Part(
        "convergence machine",
        (*PYTEST, "tests/proof/test_machine.py", "tests/proof/test_crowd.py", "tests/proof/test_pair.py"),
        (("TALLY_PROVE", "1"),),
    ),
    Part("mutants", ("tests.proof.mutants",)),
)


def run(part: Part) -> tuple[int, str, float]:
    """Run a part, showing what it prints; returns its exit code, its last line, and the seconds it took."""
    print(f"== {part.name}", flush=True)
    begun, last = time.perf_counter(), ""
    command = [sys.executable, "-u", "-m", *part.command]
    environment = {**os.environ, **dict(part.settings)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        for line in child.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    return child.returncode, last, time.perf_counter() - begun


def main() -> int:
    """Run every part, and print the table; returns the exit code."""
    rows = [(part.name, *run(part)) for part in PARTS]
    print("== proof")
    for name, code, last, seconds in rows:
        print(f"{name:20} {'holds' if code == 0 else 'FAILED':6} {seconds:5.0f} s  {last}")
    print(f"{'in all':27} {sum(row[3] for row in rows):5.0f} s")
    return int(any(row[1] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())

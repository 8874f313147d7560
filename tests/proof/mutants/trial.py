"""One trial: a faulty copy of a package, and the judges who have to notice it without being told."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from tests.proof.mutants.mutant import ROOT, Mutant

SHM: Final = Path("/dev/shm")  # noqa: S108 -- folders of our own are made in it; memory is faster than a disk
SCRATCH: Final = SHM if SHM.is_dir() and os.access(SHM, os.W_OK) else None
"""Where faulty copies are made; None: wherever the system keeps temporary files."""

LIMIT_SECONDS: Final = 300
"""After so long a judge is stopped: a mutant that hangs is no mutant that was found."""


class Misjudged(Exception):
    """A judge did not come to a verdict: it could not start, or judged the wrong engine."""


@dataclass(frozen=True)
class Judge:
    """Something that runs the engine and exits 0 when it found no fault, 1 when it did."""

    name: str
    command: Sequence[str]
    settings: tuple[tuple[str, str], ...] = ()


MACHINE: Final = Judge(
    "machine",
    (
        *["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=short"],
        "tests/proof/test_crowd.py",
        "tests/proof/test_pair.py",
        "tests/proof/test_machine.py",
    ),
    (("TALLY_MACHINE", "quick"),),
)
CALM: Final = Judge("matrix", ("-m", "tests.proof.matrix", "--calm"))
MATRIX: Final = Judge("matrix", ("-m", "tests.proof.matrix", "--quick"))
JUDGES: Final = (CALM, MACHINE, MATRIX)
"""In the order in which they are asked, but for a mutant's own first: the quickest to the slowest."""


@dataclass(frozen=True)
class Verdict:
    """What became of one engine: the judge who found it faulty ('' if none did), how long it took, and the line."""

    name: str
    judge: str
    seconds: float
    line: str = ""


def witness(line: str) -> tuple[str, ...]:
    """Return the part of the matrix that a failing line names: a scenario on an adapter; () where it names none.

    >>> witness("FAILED python -m tests.proof.matrix two-lines markdown 0  # undisturbed")
    ('two-lines', 'markdown', '0')
    >>> witness("FAILED python -m tests.proof.matrix two-lines markdown 3  # EIO, halfway: EIO")
    ('two-lines', 'markdown')
    """
    found = re.search(r"tests\.proof\.matrix (\S+) (\S+) (\d+)", line)
    return tuple(found.groups()[: 3 if found[3] == "0" else 2]) if found else ()


def judge(name: str, mutant: Mutant | None, seen: Sequence[str] = ()) -> Verdict:
    """Let one judge after the other try the engine, until one finds a fault; without a mutant it is our own engine.

    `seen` is the part of the matrix that noticed the last time: it is asked first.
    """
    begun = time.perf_counter()
    judges = sorted(JUDGES, key=lambda one: mutant is not None and one.name != mutant.first != "")
    if seen:
        judges.insert(0, Judge("matrix", ("-m", "tests.proof.matrix", *seen)))
    with _folder(mutant) as folder:
        for one in judges:
            line = _run(one, folder)
            if mutant is not None:
                _refuse_other_engine(mutant, folder)
            if line:
                return Verdict(name, one.name, time.perf_counter() - begun, line)
    return Verdict(name, "", time.perf_counter() - begun)


@contextmanager
def _folder(mutant: Mutant | None) -> Iterator[Path]:
    """Make a scratch folder with the faulty package in it, and remove it whatever happens."""
    with tempfile.TemporaryDirectory(prefix="tally-mutant-", dir=SCRATCH) as name:
        folder = Path(name)
        if mutant is not None:
            target = folder / mutant.package.name
            shutil.copytree(ROOT / mutant.package, target, ignore=shutil.ignore_patterns("__pycache__"))
            target.joinpath(*Path(mutant.file).parts[2:]).write_text(mutant.applied(), encoding="utf-8")
        (folder / "tmp").mkdir()
        yield folder


def _run(one: Judge, folder: Path) -> str:
    """Run a judge with the faulty package first on its path; returns the failing line, '' when it found nothing."""
    settings = {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),  # before what is installed
        "PYTHONSAFEPATH": "1",  # and nothing before that
        "TMPDIR": str(folder / "tmp"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
        **dict(one.settings),
    }
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "TALLY_"))}
    command = [sys.executable, *one.command]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=inherited | settings, capture_output=True, text=True, check=False,
            timeout=LIMIT_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise Misjudged(f"{one.name} did not end within {LIMIT_SECONDS} seconds") from error
    if done.returncode not in (0, 1):
        raise Misjudged(f"{one.name} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return _failing_line(done.stdout + done.stderr) if done.returncode else ""


def _refuse_other_engine(mutant: Mutant, folder: Path) -> None:
    """Make sure that the faulty file is the one that was judged: Python compiles a module beside its source."""
    source = folder / mutant.package.name / Path(*Path(mutant.file).parts[2:])
    if not Path(cache_from_source(str(source))).exists():
        raise Misjudged(f"{mutant.name}: {mutant.file} was never imported")


def _failing_line(output: str) -> str:
    """Return the line that says best what went wrong."""
    lines = [line.strip() for line in output.splitlines()]
    told = [line.removeprefix("E ").strip() for line in lines if re.match(r"(E\s+\S|FAILED )", line)][:1]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Stopped)\b", line)][-1:]
    return next(iter(told + raised + lines[-1:]), "ended with 1 and said nothing")

"""Processes that do parts of the matrix: each with one thread, so that it may fork, and a folder of its own."""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final, Literal

from tests.proof.matrix.scenarios import SCENARIOS
from tests.proof.matrix.score import Score
from tests.proof.matrix.trial import Bench, Failure
from tests.proof.matrix.watch import DISK_ERRORS, Boundary
from tests.proof.places import PLACES

_MEMORY: Final = Path("/dev/shm")  # noqa: S108 -- a folder of our own is made in it; memory is faster than a disk
_BY_NAME: Final = {scenario.name: scenario for scenario in SCENARIOS}

CASES: Final = [(one.name, kind) for one in SCENARIOS for kind in PLACES if kind not in one.without]
"""Every scenario on every kind of adapter that can live it."""


type Share = int | Literal["most"] | None
"""How many boundaries of a case are tried: so many, evenly spread; most of them, by the two rules below; or all."""

SOME_DISK_ERRORS: Final = 16
"""One error of a disk in so many is among the most: they come at every step of every file, and are much alike."""

LEFT_OUT: Final = 2
"""Of all other boundaries every so-manieth is not among the most, another one in every case: what one case leaves out
stands in its neighbours, which pass the same steps of the same engine."""


class Worker:
    """Does cases one after the other, in one folder."""

    def __init__(self, folder: Path) -> None:
        gc.freeze()  # what is there is not walked through, so forked processes share it
        self._bench = Bench(folder)

    def run(self, name: str, kind: str, share: Share = None) -> Score:
        """Disturb a scenario at all its boundaries or a share of them."""
        score = Score(name, kind)
        try:
            with self._bench.trial(_BY_NAME[name], kind) as trial:
                for number in _chosen(trial.boundaries, share, CASES.index((name, kind))):
                    score.boundaries.append(trial.boundaries[number - 1])
                    try:
                        trial.disturb(number)
                    except Failure as failure:
                        score.failures.append(str(failure))
        except Failure as failure:
            score.failures.append(str(failure))
        return score

    def run_one(self, name: str, kind: str, number: int) -> Score:
        """Disturb a scenario at one boundary; at number 0 it is only prepared, and not disturbed at all."""
        score = Score(name, kind)
        try:
            with self._bench.trial(_BY_NAME[name], kind) as trial:
                if number:
                    score.boundaries.append(trial.boundaries[number - 1])
                    trial.disturb(number)
        except Failure as failure:
            score.failures.append(str(failure))
        return score


def _chosen(boundaries: Sequence[Boundary], share: Share, start: int) -> Sequence[int]:
    """Return the numbers, from 1 on, of the boundaries to be tried; other cases start elsewhere."""
    numbers = range(1, len(boundaries) + 1)
    if isinstance(share, int) and share < len(numbers):
        return [(start + place * len(numbers) // share) % len(numbers) + 1 for place in range(share)]
    if share == "most":
        disk = [number for number in numbers if boundaries[number - 1].deed in DISK_ERRORS]
        others = [number for number in numbers if boundaries[number - 1].deed not in DISK_ERRORS]
        return sorted(
            {*others} - {*others[start % LEFT_OUT :: LEFT_OUT]} | {*disk[start % SOME_DISK_ERRORS :: SOME_DISK_ERRORS]}
        )
    return numbers


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a folder to work in, in memory where there is room for that, and leave nothing behind."""
    where = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="tally-matrix-", dir=where))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes of one thread each, that know nothing of ours; `work` is what they do."""
    with (
        scratch() as folder,
        ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin, initargs=(folder,)) as pool,
    ):
        yield pool


_worker: list[Worker] = []
"""The worker of this process, if it is one of `workers`."""


def _begin(folder: Path) -> None:
    own = folder / str(os.getpid())
    own.mkdir()
    _worker.append(Worker(own))


def work(name: str, kind: str, share: Share = None) -> Score:
    """Do one case in a process of `workers`."""
    return _worker[0].run(name, kind, share)

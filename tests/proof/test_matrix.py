"""The crash matrix: a part of it, evenly spread; with TALLY_PROVE=1 all of it. Its module explains a failing line."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.proof.matrix.worker import CASES, Share, work, workers

SHARE: Share = None if os.environ.get("TALLY_PROVE") == "1" else 2


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with workers(1) as pool:
        yield pool


@pytest.mark.parametrize(("scenario", "adapter"), CASES)
def test_whatever_stops_a_run_wherever_nothing_is_lost_or_doubled(
    scenario: str, adapter: str, pool: ProcessPoolExecutor
) -> None:
    score = pool.submit(work, scenario, adapter, SHARE).result()
    assert score.failures == []
    assert score.boundaries

"""The matrix without any disturbance, a test for each scenario: what the mutation tool asks first, being the quickest.

It is only collected where it is named, as `tests/proof/test_matrix.py` shows every scenario to the engine as it is.
"""

from collections.abc import Iterator
from typing import Final

import pytest

from tests.proof.matrix.worker import CASES, Worker, scratch

NAMES: Final = list(dict(CASES))
CALM: Final = [
    (name, [kind for other, kind in CASES if other == name][place % sum(other == name for other, _ in CASES)])
    for place, name in enumerate(NAMES)
]
"""Every scenario, each on another kind of adapter."""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with scratch() as folder:
        yield Worker(folder)


@pytest.mark.parametrize(("scenario", "adapter"), CALM)
def test_a_scenario_ends_as_it_says(scenario: str, adapter: str, worker: Worker) -> None:
    assert worker.run_one(scenario, adapter, 0).failures == []

"""What every test of this folder gets."""

from collections.abc import Iterator

import pytest

from tests.adapters.sqlite.spoke import OPENED


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close the spokes a test opened, whatever became of it."""
    yield
    while OPENED:
        OPENED.pop().close()

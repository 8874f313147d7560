"""What all tests share: none of them asks how long something takes, and those that interrupt can be interrupted."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Listen to interrupts, as do children started meanwhile, even where the tests run as a background job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)

"""Numbers that chance picks, from the seed alone."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy


def numbers(low: int, high: int) -> SearchStrategy[int]:
    """Return the numbers from `low` to `high`.

    `st.integers` also tries constants of whatever modules are loaded, so the same seed would search elsewhere when
    other tests run in the same process.
    """
    return st.sampled_from(range(low, high + 1))

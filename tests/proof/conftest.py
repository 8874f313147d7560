"""Asserts of the proof say what they compared, wherever they stand."""

import pytest

pytest.register_assert_rewrite(
    *(f"tests.proof.{name}" for name in ("people", "desk", "weather", "rest", "machine", "passage", "history", "pair"))
)

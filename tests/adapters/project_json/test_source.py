"""The moving window: however small it is, a value is read as if the whole file had been decoded."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.project_json import source
from tests.adapters.project_json import boards


@given(st.lists(boards.values, min_size=1, max_size=5), st.integers(1, 9), boards.writings)
def test_values_are_read_through_a_window_of_any_size(values: list[Any], size: int, writing: boards.Writing) -> None:
    texts = [json.dumps(value, indent=writing.indent, ensure_ascii=writing.escaped).encode() for value in values]
    reader = source.Source(b" ".join(texts))
    usual, source._WINDOW = source._WINDOW, size
    try:
        at = 0
        for value, text in zip(values, texts, strict=True):
            assert reader.value(at) == (value, at + len(text))
            at += len(text) + 1
    finally:
        source._WINDOW = usual

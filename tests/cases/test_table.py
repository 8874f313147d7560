"""The list of cases is whole and says what is so."""

import importlib.util

import pytest

from tests.cases import render_cases
from tests.cases.table import CASES, Part, written

COUNT = 35


def test_every_case_has_a_row_and_every_row_a_test_or_something_it_waits_for() -> None:
    assert len(CASES) == COUNT
    assert list(CASES) == sorted(CASES)
    assert written().keys() <= CASES.keys(), "a test is named after a case that is not listed"
    assert [number for number, case in CASES.items() if not case.waits and number not in written()] == []


def test_a_case_with_tests_says_what_of_it_waits_and_a_case_without_waits_as_a_whole() -> None:
    for number, case in CASES.items():
        assert bool(case.rest) == (number in written() and bool(case.waits)), number


@pytest.mark.parametrize("part", Part, ids=str)
def test_nothing_waits_for_a_part_that_is_there(part: Part) -> None:
    assert importlib.util.find_spec(part.module) is None, f"{part} is there: write the tests that waited for it"
    assert any(part in case.waits for case in CASES.values()), f"nothing waits for {part}"


def test_the_page_shows_the_table_and_the_written() -> None:
    assert render_cases.PAGE.read_text(encoding="utf-8") == render_cases.page(), "run `make docs`"

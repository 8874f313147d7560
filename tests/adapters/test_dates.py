"""A due date is a day of the calendar everywhere, or the spokes would never come in step about it."""

from collections.abc import Callable

import pytest

from tallystick_adapters.markdown import codec as note
from tallystick_adapters.project_json import codec as board
from tallystick_adapters.sqlite import codec as table
from tallystick_contract.errors import Invalid
from tallystick_contract.models import validated


def _in_a_note(due: str) -> object:
    return note.parse(f"---\nid: T-1\nstatus: planned\ndue: {due}\n---\n", "T-1")


READERS: dict[str, Callable[[str], object]] = {
    "contract": lambda due: validated("task", "T-1", {"title": "t", "due": due}),
    "board": lambda due: board.decode("task", {"id": "T-1", "description": "d", "status": "planned", "due": due}),
    "database": lambda due: table.clean("task", {"title": "t", "due": due}),
    "note": _in_a_note,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("due", ["2026-02-30", "2026-13-01", "2026-1-1", "20260101", "soon"])
def test_thirty_days_of_february_were_taken_by_some_spokes_and_refused_by_others(reader: str, due: str) -> None:
    with pytest.raises(Invalid, match="due"):
        READERS[reader](due)


@pytest.mark.parametrize("reader", READERS)
def test_a_leap_day_is_a_day(reader: str) -> None:
    READERS[reader]("2028-02-29")

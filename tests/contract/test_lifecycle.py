"""Every state and every event, in both versions."""

from itertools import product

import pytest

from tallystick_contract.errors import Refused
from tallystick_contract.lifecycle import EVENTS, EXPLICIT, TRANSITIONS, event_between, irregular, step
from tests.contract.render_lifecycle import PAGE, page

FOUR = ["planned", "in-progress", "blocked", "completed"]
LEGAL_IN_BOTH = {
    ("planned", "start"): "in-progress",
    ("in-progress", "block"): "blocked",
    ("in-progress", "shelve"): "planned",
    ("in-progress", "complete"): "completed",
    ("blocked", "resume"): "in-progress",
    ("blocked", "shelve"): "planned",
    ("completed", "reopen"): "planned",
    ("completed", "rollback"): "in-progress",
}
LEGAL_IN_1_1 = {
    ("planned", "cancel"): "cancelled",
    ("in-progress", "cancel"): "cancelled",
    ("blocked", "cancel"): "cancelled",
    ("cancelled", "reopen"): "planned",
}
LEGAL = {"1.0": LEGAL_IN_BOTH, "1.1": LEGAL_IN_BOTH | LEGAL_IN_1_1}
PAIRS = [(version, *pair) for version in LEGAL for pair in product([*FOUR, "cancelled", "no-such-state"], EVENTS)]


@pytest.mark.parametrize(("version", "state", "event"), PAIRS)
def test_every_pair_leads_where_it_should_or_is_refused(version: str, state: str, event: str) -> None:
    legal = LEGAL[version]
    if (state, event) in legal:
        assert step(state, event, reason="because", version=version) == legal[state, event]
        return
    with pytest.raises(Refused) as caught:
        step(state, event, reason="because", version=version)
    assert caught.value.code == "illegal-transition"
    assert caught.value.allowed == tuple(sorted(known for at, known in legal if at == state))


@pytest.mark.parametrize("version", LEGAL)
def test_explicit_events_need_a_reason(version: str) -> None:
    for state, event in LEGAL[version]:
        if event in EXPLICIT:
            with pytest.raises(Refused) as caught:
                step(state, event, version=version)
            assert caught.value.code == "reason-missing"
        else:
            step(state, event, version=version)


@pytest.mark.parametrize("version", LEGAL)
def test_a_move_is_irregular_unless_a_plain_event_makes_it(version: str) -> None:
    states = list(TRANSITIONS[version])
    for before, after in product(states, states):
        events = {event for (at, event), to in LEGAL[version].items() if (at, to) == (before, after)}
        assert event_between(before, after, version) == (events.pop() if events else None)
        plain = any((at, to) == (before, after) and event not in EXPLICIT for (at, event), to in LEGAL[version].items())
        assert irregular(before, after, version) is (before != after and not plain)


def test_a_completed_task_leaves_only_by_reopen_or_rollback() -> None:
    assert [set(table["completed"]) for table in TRANSITIONS.values()] == [set(EXPLICIT), set(EXPLICIT)]


def test_the_page_is_the_table() -> None:
    assert PAGE.read_text("utf-8") == page()

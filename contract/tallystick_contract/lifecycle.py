"""The lifecycle of a task: which event leads from which state to which, one literal table per contract version."""

from collections.abc import Mapping
from typing import Final

from tallystick_contract.errors import Refused

_V1_0: Final[Mapping[str, Mapping[str, str]]] = {
    "planned": {"start": "in-progress"},
    "in-progress": {"block": "blocked", "shelve": "planned", "complete": "completed"},
    "blocked": {"resume": "in-progress", "shelve": "planned"},
    "completed": {"reopen": "planned", "rollback": "in-progress"},
}

_V1_1: Final[Mapping[str, Mapping[str, str]]] = {
    "planned": {"start": "in-progress", "cancel": "cancelled"},
    "in-progress": {"block": "blocked", "shelve": "planned", "complete": "completed", "cancel": "cancelled"},
    "blocked": {"resume": "in-progress", "shelve": "planned", "cancel": "cancelled"},
    "completed": {"reopen": "planned", "rollback": "in-progress"},
    "cancelled": {"reopen": "planned"},
}

TRANSITIONS: Final[Mapping[str, Mapping[str, Mapping[str, str]]]] = {"1.0": _V1_0, "1.1": _V1_1}
"""Version to state to event to next state (K-070 to K-076). A pair that is not here is illegal (K-077)."""

EVENTS: Final = ("start", "block", "shelve", "complete", "resume", "cancel", "reopen", "rollback")

EXPLICIT: Final = frozenset({"reopen", "rollback"})
"""Events that must name an actor and a reason, and are never inferred from a changed status (K-076)."""


def step(state: str, event: str, *, reason: str | None = None, version: str = "1.1") -> str:
    """Return the state after `event`. Raises `Refused` with the allowed set and changes nothing."""
    moves = TRANSITIONS[version].get(state, {})
    if event not in moves:
        raise Refused(
            f"{event!r} is not possible from {state!r}", code="illegal-transition", allowed=tuple(sorted(moves)),
            todo="possible here: " + (", ".join(sorted(moves)) or "nothing"),
        )  # fmt: skip
    if event in EXPLICIT and not reason:
        raise Refused(f"{event!r} needs a reason", code="reason-missing", todo="say why, with --reason")
    return moves[event]


def event_between(before: str, after: str, version: str = "1.1") -> str | None:
    """Return the event that leads from one state to another, or None where the table has none."""
    return next((event for event, to in TRANSITIONS[version].get(before, {}).items() if to == after), None)


def irregular(before: str, after: str, version: str = "1.1") -> bool:
    """Tell whether a move seen on a spoke is one the table does not allow without an explicit event (D-03, D-04)."""
    event = event_between(before, after, version)
    return before != after and (event is None or event in EXPLICIT)

"""Fault plans: what shall go wrong on a fake backend, and at which of its requests.

The kit arms a plan, the author's fake backend asks it at every request. A backend calls `due` once when a request
comes in and does what the fault says; the plan counts, so that a check can tell a fault that was met from one that
never happened.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from tallystick_contract.adapter import Key


class What(StrEnum):
    """What goes wrong with one request."""

    THROTTLED = "throttled, with a header that says how long to wait"
    THROTTLED_SILENTLY = "throttled, without a header"
    REFUSED = "refused: not allowed"
    FAILED = "server error before anything was done"
    REPLY_LOST = "reply lost after the write was done"
    REPLY_DOUBLED = "the same reply delivered twice: a listing repeats records, a write is carried out again"
    TRUNCATED = "a page cut short, though more records follow"
    MEDDLED = "somebody else acts just before the request is carried out"


READS: Final = frozenset(
    {What.THROTTLED, What.THROTTLED_SILENTLY, What.REFUSED, What.FAILED, What.REPLY_DOUBLED, What.TRUNCATED,
     What.MEDDLED}
)  # fmt: skip
"""What can go wrong with a read."""

WRITES: Final = frozenset(What) - {What.TRUNCATED}
"""What can go wrong with a write."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong: `what`, at the `nth` read or write (of `key` only, where one is given), `times` over.

    `act` is what somebody else does when `what` is `MEDDLED`; `wait` the seconds a header of `THROTTLED` names.
    """

    what: What
    at: Literal["read", "write"]
    nth: int = 1
    times: int = 1
    key: Key | None = None
    act: Callable[[], object] = field(default=lambda: None, compare=False)
    wait: float = 1.0


@dataclass(slots=True)
class FaultPlan:
    """The faults of one test. `can` names what the backend is able to get wrong, `secret` a text no error may show."""

    can: Collection[What] = frozenset(What)
    secret: str = ""
    met: list[Fault] = field(default_factory=list)
    _armed: list[Fault] = field(default_factory=list)
    _seen: dict[int, int] = field(default_factory=dict)

    def arm(self, *faults: Fault) -> None:
        """Let these go wrong from now on; their counting starts here."""
        self._armed += faults

    def disarm(self) -> None:
        """Let nothing go wrong any more; what was met stays known."""
        self._armed.clear()
        self._seen.clear()

    def due(self, at: Literal["read", "write"], key: Key | None = None) -> Fault | None:
        """Count one request, of one record or of a whole page, and return what goes wrong with it, if anything."""
        found = None
        for place, fault in enumerate(self._armed):
            if fault.at != at or (fault.key is not None and fault.key != key):
                continue
            count = self._seen[place] = self._seen.get(place, 0) + 1
            if found is None and fault.nth <= count < fault.nth + fault.times:
                found = fault
        if found is not None:
            self.met.append(found)
            if found.what is What.MEDDLED:
                found.act()
        return found

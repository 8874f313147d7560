"""`python -m tests.proof.search PROFILE SEED`: the convergence machine, for as long as the profile says.

A process of its own: Hypothesis also tries constants of whatever modules are loaded, so that within another process
the same seed would search elsewhere. Exit 1 with a traceback if something failed, or was never come across.
"""

import sys
from typing import Final

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proof.machine import MISSING, Convergence
from tests.proof.troubles import KINDS

_ALWAYS: Final = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
_SEARCH: Final = [Phase.generate]

PROFILES: Final = {
    "quick": settings(_ALWAYS, max_examples=60, stateful_step_count=36, phases=_SEARCH),
    "test": settings(_ALWAYS, max_examples=100, stateful_step_count=36),
    "prove": settings(_ALWAYS, max_examples=200, stateful_step_count=50),
}
"""How many histories, how long: by examples, never by time."""

SITUATIONS: Final = (
    "asked", "held", "presence asked", "id asked", "clash asked", "taken", "merged value", "completion held",
    "tombstone", "buried", "restored", "answered", "taken back", "died", "no reply", "replayed", "page lost", "problem",
    "quarantined", "adopted", "ledger rebuilt", "refused by command", "create task", "create evidence", "create event",
    "update task", "update evidence", "update event", "delete task", "gap",
)  # fmt: skip
"""What any search must have come across, or it has shown nothing."""

RARE: Final = (
    "completion taken", "deletion asked", "deletion taken", "look-alike", "merged set", "merged prose", "merged map",
    "merged criteria", "policy", "presence: keep", "presence: delete", "amended", "interrupted", "edited",
    "deleted", "delete evidence", "delete event", "invalid by command", "deleted after a death", "left out",
    *(f"missed: {what}" for what in MISSING), *KINDS,
)  # fmt: skip
"""What a long search must have come across too."""


def main(profile: str, start: int) -> int:
    """Search, and say what was come across; returns 0 when nothing failed and everything wanted was reached."""
    Convergence.reached.clear()
    run_state_machine_as_test(seed(start)(Convergence), settings=PROFILES[profile])
    print(sorted(Convergence.reached.items()))
    wanted = {"quick": (), "test": SITUATIONS, "prove": (*SITUATIONS, *RARE)}[profile]
    missed = [name for name in wanted if not Convergence.reached[name]]
    if missed:
        print(f"AssertionError: never come across: {', '.join(missed)}")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2])))

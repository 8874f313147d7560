"""Guards: what stops a run before its first write, however it was started; pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from tallystick_contract.errors import Stopped

FEW = 5
SHARE = 0.1
"""Up to max(5 records, 10 %) may vanish at once without being asked about."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one run found on one spoke, counted in tasks: linked before, gone, moved, and deletions planned there."""

    linked: int
    gone: int
    moved: int
    deletions: int


@dataclass(frozen=True, slots=True)
class Consent:
    """Numbers a person named: so many deletions, so many changes, and no more."""

    deletions: int = 0
    changes: int = 0


def guard(tallies: Mapping[str, Tally], consent: Consent) -> None:
    """Raise `Stopped` when too much would vanish or everything changed at once (sync goal 6).

    What vanished somewhere is told before what would be deleted elsewhere because of it.
    """
    for spoke, tally in sorted(tallies.items()):
        if tally.gone and tally.gone >= tally.linked and tally.gone > consent.deletions:
            _stop(spoke, f"shows none of its {tally.linked} tasks any more", "emptied", tally.gone)
        if tally.gone > max(_limit(tally), consent.deletions):
            _stop(spoke, f"no longer shows {tally.gone} of its {tally.linked} tasks", "deletions", tally.gone)
    for spoke, tally in sorted(tallies.items()):
        if tally.deletions > max(_limit(tally), consent.deletions):
            what = f"{tally.deletions} of its {tally.linked} tasks would be deleted"
            _stop(spoke, what, "deletions", tally.deletions)
        if tally.linked > FEW and tally.moved >= tally.linked and tally.moved > consent.changes:
            raise Stopped(
                f"all {tally.moved} tasks changed at once", where=spoke, code="all-changed",
                todo=f"if that is meant, say --accept-changes {tally.moved}; nothing was written",
            )  # fmt: skip


def _limit(tally: Tally) -> int:
    return max(FEW, int(tally.linked * SHARE))


def _stop(spoke: str, what: str, code: str, number: int) -> None:
    raise Stopped(
        what, where=spoke, code=code, todo=f"if that is meant, say --accept-deletions {number}; nothing was written"
    )


def refuse_other_scope(spoke: str, known: str, scope: str) -> None:
    """Raise `Stopped` when a spoke lists something else than the time before: another path, repository, filter."""
    if known and known != scope:
        raise Stopped(
            f"it used to be {known}, now it is {scope}", where=spoke, code="scope-changed",
            todo=f"put it back, or say tally adopt --spoke {spoke} to start afresh with it; nothing was written",
        )  # fmt: skip

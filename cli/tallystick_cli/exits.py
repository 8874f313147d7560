"""What the command's exit code says; one table, also for scripts that read it."""

from enum import IntEnum

from tallystick_contract.errors import Invalid, Refused, Stopped, TallystickError


class Code(IntEnum):
    """The exit codes of every command."""

    IN_STEP = 0
    BUG = 1
    USAGE = 2  # usage or configuration
    STOPPED = 3  # stopped before any write: a guard, a held lock, a ledger that was rolled back
    PARTIAL = 4  # some record or spoke could not be handled; each is named
    FINDINGS = 5  # open conflicts, held moves or findings where --strict asks
    REFUSED = 6  # by a gate, a lifecycle rule, or a missing person
    INTERRUPTED = 130


def for_error(problem: TallystickError) -> Code:
    """Return the exit code of an error that ended a command."""
    if isinstance(problem, Invalid):
        return Code.USAGE
    if isinstance(problem, Stopped):
        return Code.STOPPED
    return Code.REFUSED if isinstance(problem, Refused) else Code.PARTIAL

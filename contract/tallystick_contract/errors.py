"""Errors named by what to do next; they carry data, and only the command line turns them into sentences."""

from dataclasses import dataclass


@dataclass(eq=False)
class TallystickError(Exception):
    """Something a person or the engine must act on.

    `what` happened, `where` (file and line, record or spoke), and what `todo` about it.
    None of the three ever holds a secret.
    """

    what: str
    where: str = ""
    todo: str = ""

    def __str__(self) -> str:
        """Join the parts into one line for logs."""
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.todo})" if self.todo else ""
        return f"{place}{self.what}{advice}"


class Stale(TallystickError):
    """The record no longer has the revision the change expects: read it again and plan again."""


@dataclass(eq=False)
class Throttled(TallystickError):
    """The spoke asks us to slow down: wait, then go on. `wait` is how many seconds, where the spoke says so."""

    wait: float | None = None


@dataclass(eq=False)
class Refused(TallystickError):
    """A gate, a lifecycle rule or a permission says no: ask a person. `code` is for machines."""

    code: str = "refused"
    allowed: tuple[str, ...] = ()


class Unsupported(TallystickError):
    """The spoke cannot hold this: declare the gap."""


class Unknown(TallystickError):
    """The write may or may not have happened: read back before anything is tried again."""


class Broken(TallystickError):
    """The spoke cannot be used at all: stop this spoke, let the others go on."""


@dataclass(eq=False)
class Stopped(TallystickError):
    """The run stopped before its first write: a guard, a held lock, a ledger that was rolled back."""

    code: str = "stopped"


class Invalid(TallystickError):
    """A document or a setting does not have the shape it must have."""

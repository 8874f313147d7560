"""The conformance kit for adapter authors: inherit from `AdapterSuite`, write three fixtures, run pytest."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick_conformance.suite import AdapterSuite

__all__ = ["AdapterSuite"]


def __getattr__(name: str) -> Any:
    """Load the suite when it is asked for: pytest imports this package in every run, for the sake of its plugin."""
    if name != "AdapterSuite":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tallystick_conformance.suite import AdapterSuite  # noqa: PLC0415 -- only where the kit is used

    return AdapterSuite

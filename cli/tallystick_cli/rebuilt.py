"""What a spoke's own journal leads to, compared with what the spoke holds."""

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.journal import Entry, replay


@runtime_checkable
class Journalled(Protocol):
    """A spoke that keeps a journal of its own."""

    def entries(self) -> Iterator[Entry]:
        """Yield the journal, oldest first."""
        ...

    def records(self) -> Mapping[Key, Doc]:
        """Return what the spoke holds."""
        ...


def differences(adapter: Adapter) -> list[str] | None:
    """Return in what the journal and the spoke differ; None for a spoke without a journal."""
    if not isinstance(adapter, Journalled):
        return None
    built, held = replay(adapter.entries()), adapter.records()
    return [f"{key.kind} {key.id}" for key in sorted(built.keys() | held.keys()) if built.get(key) != held.get(key)]

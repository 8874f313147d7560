"""Spokes as a person without our software sees them: what stands there, read and written behind the adapter's back."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol

from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc
from tests.proof.places.board import Board
from tests.proof.places.database import Database
from tests.proof.places.memory import Memory
from tests.proof.places.vault import Vault


class Place(Protocol):
    """Where one spoke keeps its records. Nothing is remembered outside its folder."""

    def adapter(self) -> Adapter:
        """Build the spoke's adapter anew, as every run does."""
        ...

    def plant(self, key: Key, doc: Doc | None) -> Key | None:
        """Make the record show this document and nothing else, or take it away, without the adapter.

        Returns the record's key where the spoke chose it.
        """
        ...

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every record that stands there, without the adapter; one that stands there twice is listed twice."""
        ...


PLACES: Final[Mapping[str, Callable[[str, Path], Place]]] = {
    "reference": Memory,
    "project-json": Board,
    "sqlite": Database,
    "markdown": Vault,
}
"""Every kind of adapter there is: how its place is made from the spoke's name and the project's folder."""

"""What a spoke declares it can hold, field by field; the kit proves every word of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final, Literal


class Fidelity(StrEnum):
    """How a spoke holds one field."""

    NATIVE = "native"  # in a place of the spoke's own, both directions, no loss
    ENCODED = "encoded"  # in a place we invented on the spoke, both directions, no loss
    DERIVED = "derived"  # shown, never read back
    UNSUPPORTED = "unsupported"  # neither shown nor compared: a gap


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where and how one canonical field lives on the spoke; the published map is generated from these (K-171)."""

    fidelity: Fidelity
    place: str
    note: str = ""


@dataclass(frozen=True)
class Capabilities:
    """A spoke's declaration.

    `fields` maps record kind to field to place; a kind that is missing is not held at all. `read_only` names kinds that
    are read and never written. `absence` says what a record missing from a complete listing means: `ask` a person, or
    `delete`. `atomicity` says what one push takes: one `record` at a time, each with an outcome of its own to wait for,
    or a `batch`, written in as few steps as there are files or transactions to it; `together` names kinds that go in
    groups where others go one by one. `revisions` says
    whether the spoke itself refuses a write to a record that has moved (`checked`) or we read it again just before
    (`reread`). `marker` says where a hidden marker is carried, if one is needed.
    """

    fields: Mapping[str, Mapping[str, Mapped]]
    absence: Literal["ask", "delete"] = "ask"
    atomicity: Literal["record", "batch"] = "record"
    revisions: Literal["checked", "reread"] = "reread"
    writable: bool = True
    deletes: bool = True
    marker: str = ""
    read_only: frozenset[str] = field(default_factory=frozenset)
    together: frozenset[str] = field(default_factory=frozenset)

    def holds(self, kind: str) -> bool:
        """Tell whether the spoke holds records of this kind."""
        return kind in self.fields

    def takes(self, kind: str) -> bool:
        """Tell whether records of this kind may be written here."""
        return self.writable and kind in self.fields and kind not in self.read_only

    def shown(self, kind: str) -> frozenset[str]:
        """Return the names of the fields the spoke shows."""
        return self._by_gap.get(kind, _NOTHING)[0]

    def gaps(self, kind: str) -> frozenset[str]:
        """Return the names of the fields the spoke declares it cannot hold."""
        return self._by_gap.get(kind, _NOTHING)[1]

    @cached_property
    def _by_gap(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        found = {}
        for kind, table in self.fields.items():
            gaps = frozenset(name for name, mapped in table.items() if mapped.fidelity is Fidelity.UNSUPPORTED)
            found[kind] = frozenset(table) - gaps, gaps
        return found


_NOTHING: Final = (frozenset[str](), frozenset[str]())

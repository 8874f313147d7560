"""Who decides when edits of one field cannot be combined: one table of presets, and fields that differ from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tallystick_contract.fields import Field, same

HUB: Final = "hub"
"""How an edit made in the hub itself (by command) is named among the spokes."""

PRESETS: Final[Mapping[str, str]] = {
    "team": "ask",
    "canonical-local": "authority",
    "adapter-first": "authority",
    "canonical-plus-mirror": "authority",
}
"""Preset to the policy of fields that name none (L-12, L-31)."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One value somebody wants a field to have: where, and the run in which it was first seen there."""

    source: str
    value: Any
    since: int


@dataclass(frozen=True, slots=True)
class Policy:
    """The project's choice: a preset, the spoke that is the authority, and fields with a rule of their own."""

    preset: str = "team"
    authority: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    def mirrors(self, spoke: str) -> bool:
        """Tell whether the spoke only mirrors: its edits wait for the authority to take them (L-08, L-11)."""
        return self.preset == "canonical-plus-mirror" and spoke != self.authority

    def choose(self, spec: Field, claims: list[Claim]) -> Claim | None:
        """Return the claim the field's rule prefers, or None where a person has to be asked."""
        rule = self.fields.get(spec.name, PRESETS[self.preset])
        if rule == "latest":
            return _latest(spec, claims)
        wanted = self.authority if rule == "authority" else rule.removeprefix("prefer:")
        return next((claim for claim in claims if claim.source == wanted), None)


def _latest(spec: Field, claims: list[Claim]) -> Claim | None:
    """The value first seen in a later run; within one run nobody knows, and device clocks never decide (BC-014)."""
    newest = max(claim.since for claim in claims)
    top = [claim for claim in claims if claim.since == newest]
    return top[0] if all(same(spec, top[0].value, claim.value) for claim in top) else None

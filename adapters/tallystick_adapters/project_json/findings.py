"""Figures and findings about a whole board, as `tally doctor` reports them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tallystick_adapters.project_json.notes import Listing
from tallystick_adapters.project_json.sheet import Sheet
from tallystick_contract.adapter import Finding


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found on a board, and figures by name."""

    findings: Sequence[Finding] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


def analyse(sheets: Mapping[str, Sheet], listing: Listing) -> Analysis:
    return Analysis()

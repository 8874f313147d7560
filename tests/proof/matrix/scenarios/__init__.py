"""Every scenario there is, by what people do in it."""

from typing import Final

from tests.proof.matrix.scenario import Scenario
from tests.proof.matrix.scenarios import existing, fields, gates, ledger, meeting, others

SCENARIOS: Final[tuple[Scenario, ...]] = (
    *fields.CREATIONS,
    *fields.FIELDS,
    *meeting.MERGES,
    *meeting.CONFLICTS,
    *existing.DELETIONS,
    *existing.RETURNS,
    *existing.HANDFULS,
    *gates.MOVES,
    *gates.HOLDS,
    *gates.CIRCLES,
    *ledger.COMMANDS,
    *ledger.ADOPTIONS,
    *others.WRITERS,
)

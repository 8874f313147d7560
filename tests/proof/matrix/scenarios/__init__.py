"""Every scenario there is, by what people do in it."""

from typing import Final

from tests.proof.matrix.scenario import Scenario
from tests.proof.matrix.scenarios import apart, existing, fields, gates, ledger, meeting, others, rules

SCENARIOS: Final[tuple[Scenario, ...]] = (
    *fields.CREATIONS,
    *fields.FIELDS,
    *meeting.MERGES,
    *meeting.CONFLICTS,
    *apart.MEMBERS,
    *apart.UNSEEN,
    *existing.DELETIONS,
    *existing.RETURNS,
    *existing.HANDFULS,
    *gates.MOVES,
    *gates.EVENTS,
    *gates.HOLDS,
    *gates.CIRCLES,
    *gates.REFUSALS,
    *rules.POLICIES,
    *rules.GATES,
    *ledger.COMMANDS,
    *ledger.ADOPTIONS,
    *others.WRITERS,
)

"""Every scenario there is, by what people do in it."""

from typing import Final

from tests.proof.matrix.scenario import Scenario
from tests.proof.matrix.scenarios import fields

SCENARIOS: Final[tuple[Scenario, ...]] = (*fields.CREATIONS, *fields.FIELDS)

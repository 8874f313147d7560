"""Every mutant there is, by the part of the engine it is in."""

from typing import Final

from tests.proof.mutants.catalogue import answering, deciding, keeping, merging, presence, reading, running
from tests.proof.mutants.mutant import Mutant

CATALOGUE: Final[tuple[Mutant, ...]] = (
    *merging.MUTANTS,
    *deciding.MUTANTS,
    *presence.MUTANTS,
    *running.MUTANTS,
    *reading.MUTANTS,
    *keeping.MUTANTS,
    *answering.MUTANTS,
)

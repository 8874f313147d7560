"""The catalogue fits the engine: every mutant still says what it says, and changes something that compiles."""

import ast
from pathlib import Path

import pytest

from tests.proof.mutants.catalogue import CATALOGUE
from tests.proof.mutants.mutant import ROOT, Misfit, Mutant


@pytest.mark.parametrize("mutant", CATALOGUE, ids=lambda mutant: mutant.name)
def test_every_mutant_applies_and_compiles_to_another_program(mutant: Mutant) -> None:
    whole = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutant.applied(), mutant.file)) != ast.dump(ast.parse(whole))


def test_there_are_mutants_enough_and_each_has_a_name_and_a_story_of_its_own() -> None:
    assert len(CATALOGUE) >= 30
    assert len({mutant.name for mutant in CATALOGUE}) == len(CATALOGUE)
    assert len({mutant.story for mutant in CATALOGUE}) == len(CATALOGUE)
    assert len({(mutant.file, mutant.applied()) for mutant in CATALOGUE}) == len(CATALOGUE)


@pytest.mark.parametrize(("old", "times"), [("not there", 0), ("def ", 5)])
def test_a_mutant_that_does_not_fit_says_so(old: str, times: int) -> None:
    file = Path("sync/tallystick_sync/dependencies.py")
    with pytest.raises(Misfit, match=r"name: its text is \d times in sync/tallystick_sync/dependencies.py, not once"):
        Mutant("name", file.as_posix(), "story", old, "new").applied()

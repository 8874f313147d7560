"""The catalogue fits the engine: every mutant still says what it says, and changes something that compiles."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.proof.matrix.worker import CASES
from tests.proof.mutants import trial
from tests.proof.mutants.__main__ import WITNESSES
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


TOO_MANY = Mutant("six", "sync/tallystick_sync/guards.py", "one more", "FEW = 5", "FEW = 6")


def asking(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let one line of Python be the only judge."""
    monkeypatch.setattr(trial, "JUDGES", [trial.Judge("line", ("-c", code))])


def test_a_judge_is_shown_the_mutant_and_not_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, "from tallystick_sync import guards; assert guards.FEW == 5, f'FEW is {guards.FEW}'")
    assert trial.judge("own", None).judge == ""
    found = trial.judge("six", TOO_MANY)
    assert (found.judge, found.line) == ("line", "AssertionError: FEW is 6")
    assert trial.judge("comment", replace(TOO_MANY, new="FEW = 5  # still")).judge == ""


def test_a_judge_who_never_looked_at_the_mutant_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, "import tallystick_sync.policy")
    with pytest.raises(trial.Misjudged, match=r"six: sync/tallystick_sync/guards.py was never imported"):
        trial.judge("six", TOO_MANY)


def test_a_judge_who_could_not_begin_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    asking(monkeypatch, "import tallystick_sync.guards; raise SystemExit(4)")
    with pytest.raises(trial.Misjudged, match="line ended with 4"):
        trial.judge("six", TOO_MANY)


def test_every_witness_is_a_case_of_the_matrix_and_has_seen_a_mutant_of_the_catalogue() -> None:
    noted = json.loads(WITNESSES.read_text(encoding="utf-8"))
    assert noted.keys() <= {mutant.name for mutant in CATALOGUE}
    assert {tuple(seen[:2]) for seen in noted.values()} <= set(CASES)

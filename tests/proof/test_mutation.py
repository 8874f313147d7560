"""The mutation tool's outcome is read as it stands, and no reason outlives the line it is about."""

import json
from pathlib import Path

import pytest

from tests.proof.mutants.mutant import ROOT
from tests.proof.mutation import outcome, reasons
from tests.proof.mutation.outcome import Change, Outcome

MUTATED = """
def x_last__mutmut_orig(items):
    return items[-1] if items else None
def x_last__mutmut_1(items):
    return items[+1] if items else None
def x_last__mutmut_2(items):
    return items[-2] if items else None
class Box:
    def xǁBoxǁopen__mutmut_orig(self):
        while self.shut:
            self.turn()
    def xǁBoxǁopen__mutmut_1(self):
        while not self.shut:
            self.turn()
"""


def test_outcomes_are_named_by_what_a_mutant_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "MODULES", ["box"])
    place = tmp_path / "mutants" / "tallystick_sync"
    place.mkdir(parents=True)
    place.joinpath("box.py").write_text(MUTATED, encoding="utf-8")
    keys = [f"tallystick_sync.box.{name}" for name in ("x_last__mutmut_1", "x_last__mutmut_2", "xǁBoxǁopen__mutmut_1")]
    meta = {"exit_code_by_key": dict(zip(keys, [1, 0, 36], strict=True))}
    place.joinpath("box.py.meta").write_text(json.dumps(meta), encoding="utf-8")
    last = "return items[-1] if items else None"
    assert list(outcome.read(tmp_path)) == [
        Outcome(keys[0], Change("box.last", last, "return items[+1] if items else None"), killed=True),
        Outcome(keys[1], Change("box.last", last, "return items[-2] if items else None"), killed=False),
        Outcome(keys[2], Change("box.open", "while self.shut:", "while not self.shut:"), killed=True),
    ]


def test_every_reason_is_about_a_line_that_is_there() -> None:
    for change, reason in reasons.load().items():
        module, _, name = change.function.partition(".")
        text = (ROOT / "sync" / "tallystick_sync" / f"{module}.py").read_text(encoding="utf-8")
        lines = " ".join(line.strip() for line in outcome.functions(text)[name].splitlines())
        assert change.old in lines.replace(f"def {name}(", "def it("), f"{change.function} has no {change.old}"
        assert len(reason) > 20, f"{change.function}: why?"

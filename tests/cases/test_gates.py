"""Evidence that is no evidence opens no gate (BC-033)."""

from pathlib import Path
from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tests.cases.team import Team

PROOF = {"target": "T-33", "method": "pytest", "timestamp": "2026-05-01T10:00:00Z"}


@pytest.fixture
def gated(tmp_path: Path) -> Team:
    """Return a project whose one task was completed on the board, behind a gate that wants evidence."""
    gate = {"decisionGate": {"requiresVerification": True}}
    team = Team.found(tmp_path / "harbour", {"T-33": {"title": "Gated", **gate}, "T-34": {"title": "Beside"}})
    team.edit_task("board", "T-33", status="completed")
    return team


@pytest.mark.parametrize(
    "proof",
    [{"status": "skipped"}, {"status": "failed"}, {"status": "partial"}, {"status": "passed", "target": "T-34"}],
)
def test_bc_033_what_did_not_pass_or_is_about_something_else_leaves_the_gate_shut(gated: Team, proof: Any) -> None:
    gated.places["board"].plant(Key("evidence", "E-1"), {**PROOF, **proof})
    (held,) = gated.sync()["held"]
    assert (held["id"], held["missing"]) == ("T-33", ["passed evidence about this task (requiresVerification)"])
    assert gated.shown("T-33", "status") == ["completed", None, None]
    assert gated.tally("sync", "--strict").code == 5
    gated.check_rest()
    gated.places["board"].plant(Key("evidence", "E-2"), {**PROOF, "status": "passed"})
    assert gated.sync()["held"] == []
    assert gated.shown("T-33", "status") == ["completed"] * 3
    gated.check_rest()


@pytest.mark.parametrize("word", ["PASS ", "PASS", "ok", "Passed", "true"])
def test_bc_033_an_unknown_word_for_a_result_is_named_and_opens_nothing(gated: Team, word: str) -> None:
    gated.places["board"].plant(Key("evidence", "E-1"), {**PROOF, "status": word})
    report = gated.sync(code=4)
    assert [item["id"] for item in report["quarantined"]] == ["E-1"]
    assert repr(word) in report["quarantined"][0]["reason"]
    assert [item["id"] for item in report["held"]] == ["T-33"]
    assert gated.shown("T-33", "status") == ["completed", None, None]
    gated.check_rest(code=4)


def test_bc_033_the_command_completes_nothing_without_evidence(gated: Team) -> None:
    gated.edit_task("board", "T-33", status="planned")
    gated.sync()
    gated.ok("task", "move", "T-33", "start")
    said = gated.tally("task", "move", "T-33", "complete")
    assert said.code == 6
    assert "passed evidence about this task" in said.err
    gated.sync()
    assert gated.shown("T-33", "status") == ["in-progress"] * 3
    gated.check_rest()

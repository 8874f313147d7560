"""Edits that meet, and records that must not be doubled on the way (BC-003, BC-008, BC-011)."""

from pathlib import Path
from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tests.cases.team import Team

ANA = {"type": "operator", "id": "ana"}


@pytest.fixture
def alone(tmp_path: Path) -> Team:
    """Return a project with one task, edited on two spokes below."""
    return Team.found(tmp_path / "harbour", {"T-8": {"title": "A", "priority": "p3", "labels": ["x"]}})


def _said(spoke: str, team: Team) -> list[Any]:
    """Return the notes people left on a spoke."""
    return sorted(doc["payload"]["text"] for key, doc in team.places[spoke].peek() if key.kind == "event")


def test_bc_003_what_people_write_on_one_spoke_arrives_on_each_other_once(team: Team) -> None:
    (team.folder / "vault" / "Repair the crane.md").write_text("---\nstatus: planned\npriority: p2\n---\nBy hand.\n")
    for _ in range(4):
        team.sync()
    assert team.shown("vault-repair-the-crane", "priority") == ["p2"] * 3
    note = {"taskId": "T-1", "kind": "note", "actor": ANA}
    team.places["db"].plant(
        Key("event", "N-1"), {**note, "atIso": "2026-05-01T10:00:00Z", "payload": {"text": "written in the database"}}
    )
    for _ in range(4):
        team.sync()
    team.places["vault"].plant(
        Key("event", "N-2"), {**note, "atIso": "2026-05-01T11:00:00Z", "payload": {"text": "written in the vault"}}
    )
    for _ in range(4):
        team.sync()
    for spoke, place in team.places.items():
        keys = [key for key, _ in place.peek()]
        assert len(keys) == len(set(keys)) == (13 if spoke == "board" else 15)
    assert _said("db", team) == _said("vault", team) == ["written in the database", "written in the vault"]
    team.check_rest()


def test_bc_008_different_fields_combine_and_one_field_is_asked_about_with_all_its_values(alone: Team) -> None:
    alone.edit_task("board", "T-8", priority="p1", labels=["x", "y"])
    alone.edit_task("vault", "T-8", title="B", labels=[])
    report = alone.sync()
    assert report["conflicts"] == []
    assert {name for item in report["changes"]["db"] for name in item["fields"]} == {"priority", "title", "labels"}
    for field, value in (("title", "B"), ("priority", "p1"), ("labels", ["y"])):
        assert alone.shown("T-8", field) == [value] * 3
    alone.check_rest()
    alone.edit_task("board", "T-8", title="C")
    alone.edit_task("vault", "T-8", title="D")
    (question,) = alone.sync()["conflicts"]
    assert (question["id"], question["field"]) == ("T-8", "title")
    assert question["values"] == {"board": "C", "vault": "D", "hub": "B"}
    assert alone.shown("T-8", "title") == ["C", "B", "D"]
    alone.edit_task("board", "T-8", labels=["y", "z"])
    alone.edit_task("vault", "T-8", labels=["y", "z"])
    assert [item["field"] for item in alone.sync()["conflicts"]] == ["title"]
    assert alone.shown("T-8", "labels") == [["y", "z"]] * 3
    alone.check_rest()


def test_bc_011_a_status_that_a_person_set_is_never_set_back(tmp_path: Path) -> None:
    statuses = {"T-11": "in-progress", "T-12": "cancelled", "T-13": "blocked", "T-14": "planned"}
    team = Team.found(tmp_path / "harbour", {ident: {"title": ident, "status": it} for ident, it in statuses.items()})
    team.edit_task("vault", "T-11", status="cancelled")
    team.sync()
    team.edit_task("board", "T-14", owner="ana")
    team.sync()
    for _ in range(4):
        assert team.sync()["writes"] == 0
    for ident, status in (("T-11", "cancelled"), ("T-12", "cancelled"), ("T-13", "blocked")):
        assert team.shown(ident, "status") == [status] * 3
    team.edit_task("vault", "T-12", status="planned")
    team.sync()
    assert team.shown("T-12", "status") == [None] * 3, "planned is what a task is by itself"
    team.check_rest()

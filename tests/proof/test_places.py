"""What is planted behind an adapter's back the adapter shows, and what the adapter writes is seen behind its back."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tallystick_contract.adapter import Change, Key
from tallystick_contract.fields import DERIVED
from tests.proof.places import PLACES, Place
from tests.proof.places.board import Board
from tests.proof.places.vault import Vault

FULL: Final[dict[Key, dict[str, Any]]] = {
    Key("task", "T-1"): {
        "title": "Quay", "description": "line 1\nline 2", "status": "in-progress", "priority": "p1",
        "dependsOn": ["T-2"], "owner": "ana", "decisionGate": {"noAutoClose": True}, "labels": ["stone", "wet"],
        "acceptanceCriteria": [{"text": "dry", "done": True}, {"text": "paid", "done": False}], "milestone": "spring",
        "notes": "one\ntwo", "files": ["a.py"], "parent": "T-3", "due": "2025-03-01",
        "extensions": {"x-crew": {"n": [1]}},
    },
    Key("task", "T-2"): {"description": "no title", "notes": ["one", "two"]},
    Key("task", "T-3"): {"title": "Old", "archived": True, "status": "completed"},
    Key("evidence", "E-1"): {
        "target": "T-1", "status": "passed", "method": "pytest", "methodClass": "test", "summary": "ok\nfine",
        "timestamp": "2025-01-01T00:00:00Z", "artifacts": ["log"], "commit": "a" * 40, "extensions": {"x-run": 7},
        "criteriaResults": [{"criterion": "dry", "status": "passed", "evidence": "seen"}],
    },
    Key("evidence", "E-2"): {"target": "nowhere", "status": "failed"},
    Key("event", "V-1"): {
        "taskId": "T-1", "kind": "progress", "atIso": "2025-01-01T00:00:00Z", "actor": {"type": "agent", "id": "bo"},
        "payload": {"text": "half"}, "extensions": {"x-run": 7},
    },
}  # fmt: skip


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param]("x", tmp_path)


def held(place: Place) -> dict[Key, dict[str, Any]]:
    """Return of the full project what this spoke takes."""
    adapter = place.adapter()
    can = adapter.capabilities()
    images = {key: adapter.image(key, doc) for key, doc in FULL.items() if can.takes(key.kind)}
    adapter.close()
    return {
        key: {name: image[name] for name in image if name not in DERIVED[key.kind]} for key, image in images.items()
    }


def told(place: Place) -> dict[Key, dict[str, Any]]:
    """Return what the adapter shows, without what the hub derives."""
    adapter = place.adapter()
    seen = adapter.pull({}, full=True)
    adapter.close()
    assert seen.complete
    assert not seen.quarantined
    return {one.key: {n: i for n, i in one.image.items() if n not in DERIVED[one.key.kind]} for one in seen.observed}


def test_what_is_planted_is_shown_and_taken_away_again(place: Place) -> None:
    for key in held(place):
        place.plant(key, FULL[key])
    assert told(place) == held(place)
    place.plant(Key("task", "T-1"), {"title": "Quay", "labels": ["wet"]})
    place.plant(Key("evidence", "E-2"), None)
    place.plant(Key("task", "T-2"), None)
    shown = told(place)
    assert shown[Key("task", "T-1")] == {"title": "Quay", "labels": ["wet"]}
    assert shown.keys() == held(place).keys() - {Key("evidence", "E-2"), Key("task", "T-2")}
    place.plant(Key("task", "T-3"), {"title": "Old"})
    place.plant(Key("task", "T-1"), {"title": "Quay", "archived": True})
    assert told(place)[Key("task", "T-3")] == {"title": "Old"}
    assert told(place)[Key("task", "T-1")] == {"title": "Quay", "archived": True}


def test_what_the_adapter_writes_is_seen_behind_its_back(place: Place) -> None:
    adapter, wanted = place.adapter(), held(place)
    adapter.pull({})
    outcomes = adapter.push([Change("create", key, None, doc, doc) for key, doc in wanted.items()])
    adapter.close()
    assert [outcome.error for outcome in outcomes] == [None] * len(wanted)
    seen = place.peek()
    assert len(seen) == len(wanted)
    assert {key: {n: i for n, i in doc.items() if n not in DERIVED[key.kind]} for key, doc in seen} == wanted


def test_peeking_at_what_was_planted_gives_it_back(place: Place) -> None:
    for key in held(place):
        place.plant(key, FULL[key])
    seen = [(key, {n: i for n, i in doc.items() if n not in DERIVED[key.kind]}) for key, doc in place.peek()]
    assert len(seen) == len(held(place))
    assert dict(seen) == held(place)


def test_a_record_that_stands_twice_is_listed_twice(tmp_path: Path) -> None:
    board, vault = Board("board", tmp_path), Vault("vault", tmp_path)
    key = Key("task", "T-1")
    for place in (board, vault):
        place.plant(key, {"title": "Quay"})
    tasks = board.folder / "tasks.json"
    [item] = json.loads(tasks.read_text())["tasks"]
    tasks.write_text(json.dumps({"tasks": [item, item]}))
    (vault.folder / "copy.md").write_text((vault.folder / "T-1.md").read_text())
    assert board.peek() == [(key, {"title": "Quay"})] * 2
    assert vault.peek() == [(key, {"title": "Quay"})] * 2

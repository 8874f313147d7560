"""Status, gates and dependencies: moves that pass, moves that are held, and what lets them go on."""

from typing import Any, Final

from tallystick_contract.canonical import Doc
from tallystick_sync.policy import Policy
from tests.proof.matrix.scenario import (
    START,
    Scenario,
    Step,
    adopted,
    answered,
    edited,
    joined,
    lost,
    moved_in_hub,
    put,
    refusing,
    ruled,
    set_in_hub,
    synced,
)  # fmt: skip

_DONE: Final = {"status": "completed"}
_PROOF: Final[dict[str, Any]] = {
    "target": "T-4", "status": "passed", "method": "pytest", "timestamp": "2025-01-01T00:00:00Z",
}  # fmt: skip
_HELD: Final = {("T-4", "status"): "completed"}
_CIRCLE: Final = {("T-1", "dependsOn"): ["T-2"]}

MOVES: Final = (
    Scenario("begun-here", [put("x", "T-3", status="in-progress")], ends={"T-3": {"status": "in-progress"}}),
    Scenario("begun-there", [put("y", "T-3", status="in-progress")], ends={"T-3": {"status": "in-progress"}}),
    Scenario("finished-without-proof", [put("y", "T-1", **_DONE)], ends={
        "T-1": {**_DONE, "deliveryState": "recovery-required"},
    }),
    Scenario("moved-by-command", (), edited(moved_in_hub("T-3", "start")), ends={"T-3": {"status": "in-progress"}}),
    Scenario(
        "taken-over-and-finished",
        [put("x", "T-1", status="blocked"), synced(), put("y", "T-1", status="in-progress")],
        ends={"T-1": START["T-1"]},
    ),
)  # fmt: skip

_BY_ANA: Final = {"type": "operator", "id": "ana"}
_BY_Y: Final = {"type": "external", "id": "y"}


def _event(before: str, after: str, actor: Doc = _BY_Y, kind: str = "status-change", **more: Any) -> Doc:
    return {"kind": kind, "payload": {"before": before, "after": after, **more}, "actor": actor}


def _moved(*states: str) -> list[Step]:
    return [step for state in states for step in (put("y", "T-3", status=state), synced())][:-1]


EVENTS: Final = (
    Scenario("a-move-is-told", _moved("in-progress"), tells={"T-3": [_event("planned", "in-progress")]}),
    Scenario("the-same-move-again-is-told-again", _moved("in-progress", "planned", "in-progress"), tells={
        "T-3": [*[_event("planned", "in-progress")] * 2, _event("in-progress", "planned")],
    }),
    Scenario("an-irregular-move-is-told", _moved("completed"), tells={
        "T-3": [_event("planned", "completed", irregular=True)],
    }),
    Scenario("a-reopening-that-was-seen-is-told", _moved("in-progress", "completed", "planned"), tells={
        "T-3": [
            _event("planned", "in-progress"), _event("in-progress", "completed"),
            _event("completed", "planned", kind="reopen", irregular=True, inferred=True),
        ],
    }),
    Scenario("a-move-by-command-is-told", (), edited(moved_in_hub("T-3", "start")), tells={
        "T-3": [_event("planned", "in-progress", _BY_ANA)],
    }),
    Scenario("a-rollback-by-command-is-told", [*_moved("in-progress", "completed"), synced()],
             edited(moved_in_hub("T-3", "rollback", "it broke")), tells={
        "T-3": [
            _event("planned", "in-progress"), _event("in-progress", "completed"),
            _event("completed", "in-progress", _BY_ANA, "rollback", inferred=False, reason="it broke"),
        ],
    }),
    Scenario("an-answered-move-is-told", [put("x", "T-3", status="blocked"), put("y", "T-3", status="cancelled"),
                                          synced()],
             edited(answered("T-3", "status", take="y")), tells={
        "T-3": [_event("planned", "cancelled", _BY_ANA)],
    }, ends={"T-3": {"status": "cancelled"}}),
)  # fmt: skip

HOLDS: Final = (
    Scenario("held-here", [put("x", "T-4", **_DONE)], holds=_HELD, ends={"T-4": START["T-4"]}),
    Scenario("held-there", [put("y", "T-4", **_DONE)], holds=_HELD, ends={"T-4": START["T-4"]}),
    Scenario(
        "held-and-edited",
        [put("x", "T-4", **_DONE, owner="bo"), put("y", "T-4", priority="p1")],
        holds=_HELD,
        ends={"T-4": {**START["T-4"], "owner": "bo", "priority": "p1"}},
    ),
    Scenario(
        "let-go-by-evidence-here",
        [put("x", "T-4", **_DONE), synced(), put("x", "E-2", **_PROOF)],
        ends={"T-4": {**START["T-4"], **_DONE, "deliveryState": "applied"}, "E-2": _PROOF},
    ),
    Scenario(
        "let-go-by-evidence-there",
        [put("x", "T-4", **_DONE), synced(), put("y", "E-2", **_PROOF)],
        ends={"T-4": {**START["T-4"], **_DONE, "deliveryState": "applied"}, "E-2": _PROOF},
    ),
    Scenario("finished-with-proof", [put("y", "T-4", **_DONE), put("y", "E-2", **_PROOF)], ends={
        "T-4": {**START["T-4"], **_DONE, "deliveryState": "applied"}, "E-2": _PROOF,
    }),
    Scenario(
        "held-and-answered",
        [put("x", "T-4", **_DONE), synced()],
        edited(answered("T-4", "status", take="hub")),
        ends={"T-4": START["T-4"]},
    ),
    Scenario("held-and-taken-back", [put("x", "T-4", **_DONE), synced(), put("x", "T-4", status="in-progress")], ends={
        "T-4": START["T-4"],
    }),
    Scenario(
        "gate-lowered-with-the-move",
        [put("x", "T-4", **_DONE, decisionGate={})],
        holds={**_HELD, ("T-4", "decisionGate"): {}},
        ends={"T-4": START["T-4"]},
    ),
)  # fmt: skip

CIRCLES: Final = (
    Scenario("a-circle-here", [put("x", "T-1", dependsOn=["T-2"])], holds=_CIRCLE, ends={"T-1": START["T-1"]}),
    Scenario("a-circle-there", [put("y", "T-1", dependsOn=["T-2"], owner="bo")], holds=_CIRCLE, ends={
        "T-1": {**START["T-1"], "owner": "bo"},
    }),
    Scenario("a-circle-opened", [put("x", "T-1", dependsOn=["T-2"]), synced(), put("y", "T-2", dependsOn=[])], ends={
        "T-1": {**START["T-1"], "dependsOn": ["T-2"]}, "T-2": {"title": "Paint the crane", "parent": "T-1"},
    }),
)  # fmt: skip

_GATE: Final = {"decisionGate": {"requiresVerification": True}}
_TESTED: Final = {"title": "Test the lock"}

REFUSALS: Final = (
    Scenario("made-and-finished-at-once", [put("y", "N-1", title="New", **_GATE, **_DONE)],
             holds={("N-1", "status"): "completed"}, ends={"N-1": {"title": "New", **_GATE, "status": "planned"}}),
    Scenario("finished-by-two", [put("x", "T-4", **_DONE), put("y", "T-4", **_DONE)], holds=_HELD, ends={
        "T-4": START["T-4"],
    }),
    Scenario("held-and-forgotten", [put("x", "T-4", **_DONE), put("y", "T-4", **_DONE), synced(), adopted],
             asks={("T-4", "status"): {"x": "completed", "y": "completed", "hub": "in-progress"}},
             ends={"T-4": START["T-4"]}),
    Scenario("finished-here-while-the-ledger-is-lost", [put("x", "T-4", **_DONE), lost], asks={
        ("T-4", "status"): {"x": "completed", "hub": "in-progress"},
    }, ends={"T-4": START["T-4"]}),
    Scenario(
        "finished-by-the-authority-while-the-ledger-is-lost",
        [ruled(Policy("adapter-first", "x")), put("x", "T-4", **_DONE), lost],
        holds=_HELD,
        ends={"T-4": START["T-4"]},
    ),
    Scenario("held-and-answered-against-its-gate", [put("x", "T-4", **_DONE), synced()],
             refusing(answered("T-4", "status", take="x")), holds=_HELD, ends={"T-4": START["T-4"]}),
    Scenario("lowered-and-answered-against-the-gate", [put("x", "T-4", **_DONE, decisionGate={}), synced()],
             refusing(answered("T-4", "decisionGate", take="x")),
             holds={**_HELD, ("T-4", "decisionGate"): {}}, ends={"T-4": START["T-4"]}),
    Scenario("finished-by-command-without-proof", (), refusing(moved_in_hub("T-4", "complete")), ends={
        "T-4": START["T-4"],
    }),
    Scenario("a-circle-by-command", (), refusing(set_in_hub("T-1", dependsOn=["T-2"])), ends={"T-1": START["T-1"]}),
    Scenario("a-circle-by-two", [put("x", "T-1", dependsOn=["T-3"]), put("y", "T-3", dependsOn=["T-1"])],
             holds={("T-3", "dependsOn"): ["T-1"]},
             ends={"T-1": {**START["T-1"], "dependsOn": ["T-3"]}, "T-3": START["T-3"]}),
    Scenario("made-with-a-dependency-nobody-knows", [put("y", "N-1", title="New", dependsOn=["nobody"])],
             holds={("N-1", "dependsOn"): ["nobody"]}, ends={"N-1": {"title": "New"}},
             shows={"hub": {"N-1": {"dependsOn": []}}}),
    Scenario("nobody-knows-the-dependency", [put("y", "T-3", dependsOn=["nobody"])],
             holds={("T-3", "dependsOn"): ["nobody"]}, ends={"T-3": START["T-3"]}),
    Scenario(
        "a-finished-twin-is-another",
        [joined("z"), put("z", "N-1", **_TESTED, **_GATE, **_DONE), synced()],
        refusing(answered("N-1", "id", chosen="N-1")),
        asks={("N-1", "id"): {"z": "N-1", "hub": "T-4"}},
        shows={"z": {"T-4": None, "N-1": _DONE}},
    ),
)  # fmt: skip

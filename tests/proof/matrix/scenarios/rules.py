"""The project's own rules: who is preferred, what is newest, who only mirrors, and gates that every task has."""

from typing import Final

from tallystick_sync.policy import Policy
from tests.proof.matrix.scenario import START, Scenario, drop, edited, gated, moved_in_hub, put, refusing, ruled, synced

_DISPUTE: Final = (put("x", "T-3", owner="bo"), put("y", "T-3", owner="cy"))
_ASKED: Final = {("T-3", "owner"): {"x": "bo", "y": "cy", "hub": None}}
_LATEST: Final = ruled(Policy(fields={"owner": "latest"}))
_MIRROR: Final = ruled(Policy("canonical-plus-mirror", "y"))
_DONE: Final = {"status": "completed"}

POLICIES: Final = (
    Scenario("one-spoke-is-preferred", [ruled(Policy(fields={"owner": "prefer:y"})), *_DISPUTE], ends={
        "T-3": {**START["T-3"], "owner": "cy"},
    }),
    Scenario("one-spoke-is-the-authority", [ruled(Policy("adapter-first", "x")), *_DISPUTE], ends={
        "T-3": {**START["T-3"], "owner": "bo"},
    }),
    Scenario("the-preferred-spoke-says-nothing", [ruled(Policy(fields={"owner": "prefer:z"})), *_DISPUTE], asks=_ASKED),
    Scenario("the-latest-value", [*_DISPUTE, synced(), put("y", "T-3", owner="di"), _LATEST], ends={
        "T-3": {**START["T-3"], "owner": "di"},
    }),
    Scenario("no-value-is-the-latest", [_LATEST, *_DISPUTE], asks=_ASKED),
    Scenario("a-mirror-edits", [_MIRROR, put("x", "T-3", owner="bo", priority="p1"), put("y", "T-3", milestone="may")],
             holds={("T-3", "owner"): "bo", ("T-3", "priority"): "p1"},
             ends={"T-3": {**START["T-3"], "milestone": "may"}},
             shows={"x": {"T-3": {"owner": "bo", "priority": "p1"}}}),
    Scenario("a-mirror-and-the-authority", [_MIRROR, *_DISPUTE], holds={("T-3", "owner"): "bo"}, ends={
        "T-3": {**START["T-3"], "owner": "cy"},
    }, shows={"x": {"T-3": {"owner": "bo"}}}),
    Scenario("a-mirror-and-the-authority-agree", [_MIRROR, put("x", "T-3", owner="bo"), put("y", "T-3", owner="bo")],
             ends={"T-3": {**START["T-3"], "owner": "bo"}}),
    Scenario("a-mirror-deletes", [_MIRROR, drop("x", "T-3")], asks={
        ("T-3", "presence"): {"x": "gone", "hub": "present"},
    }),
    Scenario("the-authority-deletes", [_MIRROR, drop("y", "T-3")], ends={"T-3": None}),
)  # fmt: skip

GATES: Final = (
    Scenario("every-task-is-gated", [gated("requiresVerification"), put("y", "T-1", **_DONE)],
             holds={("T-1", "status"): "completed"}, ends={"T-1": START["T-1"]}),
    Scenario("every-task-is-gated-by-command-too", [gated("requiresVerification")],
             refusing(moved_in_hub("T-1", "complete")), ends={"T-1": START["T-1"]}),
    Scenario("the-gate-of-all-is-met", [gated("requiresVerification"), put("y", "E-2", target="T-1", status="passed",
                                                                           method="pytest"), synced()],
             edited(moved_in_hub("T-1", "complete")), ends={"T-1": {**_DONE, "deliveryState": "applied"}}),
)  # fmt: skip

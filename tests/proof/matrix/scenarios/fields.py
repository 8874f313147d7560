"""Single edits: a record is made, and one field of each kind is changed, on the spoke under test and beside it."""

from typing import Any, Final

from tests.proof.matrix.scenario import START, Scenario, put

_NEW: Final[dict[str, Any]] = {
    "title": "Dredge the basin", "description": "Deep.\nDeeper.", "priority": "p3", "owner": "cy", "labels": ["mud"],
    "acceptanceCriteria": [{"text": "deep enough", "done": False}], "extensions": {"x-boat": {"name": "Ida"}},
}  # fmt: skip
_CHECK: Final[dict[str, Any]] = {
    "target": "T-3", "status": "failed", "method": "pytest", "timestamp": "2025-01-01T00:00:00Z",
    "summary": "It leaks.",
}  # fmt: skip
_WORD: Final[dict[str, Any]] = {
    "taskId": "T-3", "kind": "note", "atIso": "2025-01-01T00:00:00Z", "actor": {"type": "operator", "id": "ana"},
    "payload": {"text": "grease"},
}  # fmt: skip

_VALUES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "a-title": ("T-1", {"title": "Mend the old quay"}),
    "a-priority": ("T-1", {"priority": "p0"}),
    "an-owner-cleared": ("T-1", {"owner": None}),
    "a-set": ("T-1", {"labels": ["stone", "dry"]}),
    "prose": ("T-1", {"description": "One stone.\nTwo big stones.\nThree stones.\nFour."}),
    "criteria": ("T-1", {"acceptanceCriteria": [{"text": "dry", "done": True}, {"text": "paid", "done": False}]}),
    "a-map": ("T-1", {"extensions": {"x-crew": {"size": 4}, "x-tide": "low"}}),
    "a-gate": ("T-3", {"decisionGate": {"requiresOperatorApproval": True}}),
    "a-date": ("T-1", {"due": "2025-04-01"}),
    "a-dependency": ("T-3", {"dependsOn": ["T-2"]}),
    "an-instant": ("E-1", {"timestamp": "2024-12-02T11:00:00Z"}),
}  # fmt: skip

FIELDS: Final = tuple(
    Scenario(f"{name}-{where}", [put(spoke, ident, **fields)], ends={ident: {**START[ident], **fields}})
    for name, (ident, fields) in _VALUES.items()
    for where, spoke in (("here", "x"), ("there", "y"))
)

_NO_EVENTS: Final = {"project-json": "a board shows only events of its own"}

CREATIONS: Final = (
    Scenario("a-task-made-here", [put("x", "N-1", **_NEW)], ends={"N-1": _NEW}),
    Scenario("a-task-made-there", [put("y", "N-1", **_NEW)], ends={"N-1": _NEW}),
    Scenario("the-same-task-made-twice", [put("x", "N-1", **_NEW), put("y", "N-1", **_NEW)], ends={"N-1": _NEW}),
    Scenario("evidence-made-here", [put("x", "E-2", **_CHECK)], ends={"E-2": _CHECK}),
    Scenario("evidence-made-there", [put("y", "E-2", **_CHECK)], ends={"E-2": _CHECK}),
    Scenario("an-event-made-here", [put("x", "V-2", **_WORD)], ends={"V-2": _WORD}, without=_NO_EVENTS),
    Scenario(
        "progress-told-there",
        [put("y", "V-2", **{**_WORD, "kind": "progress"})],
        ends={
            "T-3": {**START["T-3"], "deliveryState": "reported"},
        },
    ),
    Scenario("an-event-made-there", [put("y", "V-2", **_WORD)], ends={"V-2": _WORD}),
)

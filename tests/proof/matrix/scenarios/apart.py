"""Spokes that have not seen the same: one is left out of a run, and then edits what it still shows as it was."""

from typing import Any, Final

from tests.proof.matrix.scenario import START, Scenario, Step, drop, joined, put, synced

_CRITERIA: Final = START["T-1"]["acceptanceCriteria"]
_LINES: Final = ("One stone.", "Two stones.", "Three stones.")


def _text(*lines: str) -> dict[str, Any]:
    return {"description": "\n".join(lines)}


def _unseen(ident: str, **fields: Any) -> list[Step]:
    """`y` brings an edit to the hub, and `x` takes no part in that run."""
    return [joined("w"), synced(), put("y", ident, **fields), synced("y", "w")]


UNSEEN: Final = (
    Scenario("a-value-not-seen-yet", [*_unseen("T-3", owner="bo"), put("x", "T-3", owner="cy")], asks={
        ("T-3", "owner"): {"x": "cy", "hub": "bo"},
    }),
    Scenario(
        "a-label-not-seen-yet",
        [*_unseen("T-1", labels=["stone", "wet", "cold"]), put("x", "T-1", labels=["wet", "grey"])],
        ends={"T-1": {**START["T-1"], "labels": ["wet", "cold", "grey"]}},
    ),
    Scenario(
        "a-member-not-seen-yet",
        [
            *_unseen("T-1", extensions={"x-crew": {"size": 3}, "x-tide": "low"}),
            put("x", "T-1", extensions={"x-crew": {"size": 4}}),
        ],
        ends={"T-1": {"extensions": {"x-crew": {"size": 4}, "x-tide": "low"}}},
    ),
    Scenario(
        "a-line-not-seen-yet",
        [*_unseen("T-1", **_text("One small stone.", *_LINES[1:])), put("x", "T-1", **_text(*_LINES, "Four."))],
        ends={"T-1": _text("One small stone.", *_LINES[1:], "Four.")},
    ),
    Scenario(
        "lines-from-unlike-texts",
        [
            *_unseen("T-1", **_text("One small stone.", *_LINES[1:])),
            put("x", "T-1", **_text(*_LINES, "Four.")),
            put("y", "T-1", **_text("One small stone.", "No stone.", _LINES[2])),
        ],
        asks={("T-1", "description"): {
            "x": "\n".join([*_LINES, "Four."]), "y": "\n".join(["One small stone.", "No stone.", _LINES[2]]),
            "hub": "\n".join(["One small stone.", *_LINES[1:]]),
        }},
    ),
    Scenario(
        "added-where-another-removes",
        [
            *_unseen("T-1", labels=["stone", "wet", "cold"]),
            put("x", "T-1", labels=["stone", "wet", "cold", "grey"]), put("y", "T-1", labels=["stone", "wet"]),
        ],
        ends={"T-1": {**START["T-1"], "labels": ["stone", "wet", "cold", "grey"]}},
    ),
    Scenario("deleted-before-it-was-seen", [*_unseen("T-3", owner="bo"), drop("x", "T-3")], asks={
        ("T-3", "presence"): {"x": "gone", "hub": "present"},
    }),
    Scenario("what-a-run-left-out", _unseen("T-3", owner="bo"), ends={"T-3": {**START["T-3"], "owner": "bo"}}),
    Scenario("what-a-run-left-out-of-a-new-task", [
        joined("w"), synced(), put("y", "N-1", title="New"), synced("y", "w"),
    ], ends={"N-1": {"title": "New"}}),
    Scenario("two-values-of-one-spoke", [put("y", "T-3", owner="bo"), synced("y"), put("y", "T-3", owner="cy")], ends={
        "T-3": {**START["T-3"], "owner": "cy"},
    }),
)  # fmt: skip

MEMBERS: Final = (
    Scenario(
        "two-members",
        [
            put("x", "T-1", extensions={"x-crew": {"size": 4}}),
            put("y", "T-1", extensions={"x-crew": {"size": 3}, "x-tide": "low"}),
        ],
        ends={"T-1": {"extensions": {"x-crew": {"size": 4}, "x-tide": "low"}}},
    ),
    Scenario(
        "one-member-twice",
        [put("x", "T-1", extensions={"x-crew": {"size": 4}}), put("y", "T-1", extensions={"x-crew": {"size": 5}})],
        asks={("T-1", "extensions"): {
            "x": {"x-crew": {"size": 4}}, "y": {"x-crew": {"size": 5}}, "hub": {"x-crew": {"size": 3}},
        }},
    ),
    Scenario(
        "one-member-removed-another-made",
        [put("x", "T-1", extensions={}), put("y", "T-1", extensions={"x-crew": {"size": 3}, "x-tide": "low"})],
        ends={"T-1": {"extensions": {"x-tide": "low"}}},
    ),
    Scenario(
        "ticked-where-another-removes",
        [
            put("x", "T-1", acceptanceCriteria=_CRITERIA[:1]),
            put("y", "T-1", acceptanceCriteria=[_CRITERIA[0], {"text": "paid", "done": True}]),
        ],
        asks={("T-1", "acceptanceCriteria"): {
            "x": _CRITERIA[:1], "y": [_CRITERIA[0], {"text": "paid", "done": True}], "hub": _CRITERIA,
        }},
        ends={"T-1": START["T-1"]},
    ),
    Scenario(
        "ticked-where-another-adds",
        [
            put("x", "T-1", acceptanceCriteria=[*_CRITERIA, {"text": "swept", "done": True}]),
            put("y", "T-1", acceptanceCriteria=[{"text": "dry", "done": True}, _CRITERIA[1]]),
        ],
        ends={"T-1": {"acceptanceCriteria": [
            {"text": "dry", "done": True}, _CRITERIA[1], {"text": "swept", "done": True},
        ]}},
    ),
    Scenario(
        "one-line-twice",
        [
            put("x", "T-1", **_text("One stone.", "Two big stones.", "Three stones.")),
            put("y", "T-1", **_text("One stone.", "Two small stones.", "Three stones.")),
        ],
        asks={("T-1", "description"): {
            "x": "One stone.\nTwo big stones.\nThree stones.", "y": "One stone.\nTwo small stones.\nThree stones.",
            "hub": START["T-1"]["description"],
        }},
    ),
)  # fmt: skip

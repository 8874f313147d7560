"""Edits that meet: in different fields, in one field that merges, in one field that does not, and the answers."""

from typing import Any, Final

from tests.proof.matrix.scenario import START, Scenario, answered, edited, joined, put, synced

_PLAIN: Final[dict[str, Any]] = {"title": "Scrape the hull"}
_DISPUTE: Final = (put("x", "T-3", owner="bo"), put("y", "T-3", owner="cy"))
_ASKED: Final = {("T-3", "owner"): {"x": "bo", "y": "cy", "hub": None}}
_NAMED: Final = {"title": "Oil the old winch"}
_BOTH: Final = {"description": "One small stone.\nTwo stones.\nThree big stones."}

MERGES: Final = (
    Scenario(
        "two-fields",
        [put("x", "T-1", owner="bo"), put("y", "T-1", priority="p0")],
        ends={"T-1": {**START["T-1"], "owner": "bo", "priority": "p0"}},
    ),
    Scenario(
        "two-lines",
        [
            put("x", "T-1", description="One small stone.\nTwo stones.\nThree stones."),
            put("y", "T-1", description="One stone.\nTwo stones.\nThree big stones."),
        ],
        ends={"T-1": {**START["T-1"], **_BOTH}},
    ),
    Scenario(
        "two-labels",
        [put("x", "T-1", labels=["stone", "wet", "cold"]), put("y", "T-1", labels=["wet", "grey"])],
        ends={"T-1": {**START["T-1"], "labels": ["wet", "cold", "grey"]}},
    ),
    Scenario(
        "two-ticks",
        [
            put("x", "T-1", acceptanceCriteria=[{"text": "dry", "done": True}, {"text": "paid", "done": False}]),
            put("y", "T-1", acceptanceCriteria=[{"text": "dry", "done": False}, {"text": "paid", "done": True}]),
        ],
        ends={"T-1": {"acceptanceCriteria": [{"text": "dry", "done": True}, {"text": "paid", "done": True}]}},
    ),
    Scenario(
        "one-word-in-two-spellings",
        [put("x", "T-3", title="Caf\u00e9", owner="bo"), put("y", "T-3", title="Cafe\u0301")],
        ends={"T-3": {"labels": START["T-3"]["labels"], "owner": "bo"}},
        shows={"hub": {"T-3": {"title": "Caf\u00e9"}}, "y": {"T-3": {"title": "Cafe\u0301"}}},
    ),
    Scenario("the-same-edit-twice", [put("x", "T-3", **_NAMED), put("y", "T-3", **_NAMED)], ends={"T-3": _NAMED}),
    Scenario(
        "three-spokes-at-once",
        [
            joined("z", "w"), synced(),
            put("x", "T-1", owner="bo"), put("w", "T-1", priority="p0"), put("z", "T-1", milestone="autumn"),
        ],
        ends={"T-1": {**START["T-1"], "owner": "bo", "priority": "p0", "milestone": "autumn"}},
    ),
)  # fmt: skip

CONFLICTS: Final = (
    Scenario("a-conflict", _DISPUTE, asks=_ASKED, ends={"T-3": START["T-3"]}),
    Scenario(
        "a-conflict-and-another-edit",
        [*_DISPUTE, put("x", "T-3", **_NAMED)],
        asks=_ASKED,
        ends={"T-3": {**START["T-3"], **_NAMED}},
    ),
    Scenario(
        "two-new-tasks-of-one-id",
        [put("x", "N-1", **_PLAIN, owner="bo"), put("y", "N-1", **_PLAIN, owner="cy")],
        asks={("N-1", "owner"): {"y": "cy", "hub": "bo"}},
        ends={"N-1": _PLAIN},
    ),
    Scenario(
        "a-conflict-among-three",
        [joined("z"), synced(), *_DISPUTE, put("z", "T-3", owner="di")],
        asks={("T-3", "owner"): {"x": "bo", "y": "cy", "z": "di", "hub": None}},
        ends={"T-3": START["T-3"]},
    ),
    Scenario(
        "a-conflict-answered",
        [*_DISPUTE, synced()],
        edited(answered("T-3", "owner", take="x")),
        ends={"T-3": {**START["T-3"], "owner": "bo"}},
    ),
    Scenario(
        "a-conflict-answered-otherwise",
        [*_DISPUTE, synced()],
        edited(answered("T-3", "owner", chosen="ana")),
        ends={"T-3": {**START["T-3"], "owner": "ana"}},
    ),
    Scenario(
        "a-conflict-given-up",
        [*_DISPUTE, synced(), put("y", "T-3", owner="bo")],
        ends={"T-3": {**START["T-3"], "owner": "bo"}},
    ),
)

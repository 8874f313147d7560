"""Whether a record exists: deleted, edited meanwhile, brought back, archived, made by the handful."""

from typing import Any, Final

from tests.proof.matrix.scenario import (
    START,
    Scenario,
    answered,
    deleted_in_hub,
    drop,
    edited,
    joined,
    put,
    restored_in_hub,
    synced,
    torn,
)  # fmt: skip

_ASKS_FIRST: Final[dict[str, Any]] = {
    "project-json": {"asks": {("T-3", "presence"): {"x": "gone", "hub": "present"}}, "ends": {}}
}
"""A task missing from a board is a question."""

_EDITED: Final = {"owner": "bo"}
_FIVE: Final = [f"N-{number}" for number in range(1, 6)]
_OLD: Final = {**START["T-3"], "archived": True}

DELETIONS: Final = (
    Scenario("deleted-here", [drop("x", "T-3")], ends={"T-3": None}, unlike=_ASKS_FIRST),
    Scenario("deleted-there", [drop("y", "T-3")], ends={"T-3": None}),
    Scenario("deleted-on-both", [drop("x", "T-3"), drop("y", "T-3")], ends={"T-3": None}, unlike={
        "project-json": {"asks": {("T-3", "presence"): {"x": "gone", "y": "gone", "hub": "present"}}, "ends": {}},
    }),
    Scenario(
        "deleted-behind-a-hole",
        [torn("y"), drop("y", "T-3"), synced(), torn("y", torn=False)],
        ends={"T-3": None},
    ),
    Scenario("deleted-from-three", [joined("z"), synced(), drop("y", "T-3")], ends={"T-3": None}),
    Scenario(
        "deleted-here-edited-there",
        [drop("x", "T-3"), put("y", "T-3", **_EDITED)],
        asks={("T-3", "presence"): {"x": "gone", "hub": "present"}},
        ends={"T-3": {**START["T-3"], **_EDITED}},
    ),
    Scenario(
        "deleted-there-and-edited-back-here",
        [put("x", "T-3", **_EDITED), drop("y", "T-3"), synced(), put("x", "T-3", owner=None)],
        asks={("T-3", "presence"): {"y": "gone", "hub": "present"}},
        ends={"T-3": START["T-3"]},
    ),
    Scenario(
        "edited-here-deleted-there",
        [put("x", "T-3", **_EDITED), drop("y", "T-3")],
        asks={("T-3", "presence"): {"y": "gone", "hub": "present"}},
        ends={"T-3": {**START["T-3"], **_EDITED}},
    ),
    Scenario(
        "a-deletion-taken-back",
        [put("x", "T-3", **_EDITED), drop("y", "T-3"), synced()],
        edited(answered("T-3", "presence", chosen="keep")),
        ends={"T-3": {**START["T-3"], **_EDITED}},
    ),
    Scenario(
        "a-deletion-upheld",
        [put("x", "T-3", **_EDITED), drop("y", "T-3"), synced()],
        edited(answered("T-3", "presence", chosen="delete")),
        ends={"T-3": None},
    ),
    Scenario("two-deleted-two-made", [
        drop("y", "T-3", "T-4"), put("y", "N-1", title="New"), put("x", "N-2", title="Newer"),
    ], ends={"T-3": None, "T-4": None, "N-1": {"title": "New"}, "N-2": {"title": "Newer"}}),
    Scenario("evidence-taken-away", [drop("y", "E-1")], ends={"E-1": START["E-1"]}),
    Scenario("deleted-by-command", (), edited(deleted_in_hub("T-3")), ends={"T-3": None}),
)  # fmt: skip

RETURNS: Final = (
    Scenario(
        "restored-by-command",
        [drop("y", "T-3"), synced()],
        edited(restored_in_hub("T-3")),
        ends={"T-3": START["T-3"]},
    ),
    Scenario(
        "restored-with-what-hangs-on-it",
        [put("y", "E-2", target="T-3", status="failed"), synced(), drop("y", "T-3"), synced()],
        edited(restored_in_hub("T-3")),
        ends={"T-3": START["T-3"], "E-2": {"target": "T-3", "status": "failed"}},
    ),
    Scenario(
        "restored-with-what-was-deleted-before",
        [edited(deleted_in_hub("E-1")), edited(deleted_in_hub("V-1")), edited(deleted_in_hub("T-1"))],
        edited(restored_in_hub("T-1")),
        ends={"T-1": {"title": START["T-1"]["title"]}, "E-1": START["E-1"], "V-1": START["V-1"]},
    ),
    Scenario(
        "back-on-one-spoke",
        [drop("y", "T-3"), synced(), put("y", "T-3", title="Oil it again")],
        asks={("T-3", "presence"): {"y": "present", "hub": "deleted"}},
    ),
    Scenario("archived-here", [put("x", "T-3", archived=True)], ends={"T-3": _OLD}),
    Scenario("archived-there", [put("y", "T-3", archived=True)], ends={"T-3": _OLD}),
    Scenario("archived-here-edited-there", [put("x", "T-3", archived=True), put("y", "T-3", **_EDITED)], ends={
        "T-3": {**_OLD, **_EDITED},
    }),
    Scenario(
        "taken-out-of-the-archive",
        [put("x", "T-3", archived=True), synced(), put("y", "T-3", archived=False, owner="bo")],
        ends={"T-3": {**START["T-3"], "archived": False, **_EDITED}},
    ),
)  # fmt: skip

HANDFULS: Final = (
    Scenario("five-made-here", [put("x", name, title=name) for name in _FIVE], ends={
        name: {"title": name} for name in _FIVE
    }),
    Scenario("five-made-there", [put("y", name, title=name) for name in _FIVE], ends={
        name: {"title": name} for name in _FIVE
    }),
    Scenario("all-edited-there", [put("y", f"T-{n}", priority="p9") for n in range(1, 5)], ends={
        f"T-{n}": {**START[f"T-{n}"], "priority": "p9"} for n in range(1, 5)
    }),
    Scenario("all-edited-crosswise", [
        *(put("xy"[n % 2], f"T-{n}", priority="p9") for n in range(1, 5)),
        *(put("yx"[n % 2], f"T-{n}", notes="Seen.") for n in range(1, 5)),
    ], ends={f"T-{n}": {"priority": "p9", "notes": "Seen."} for n in range(1, 5)}),
)  # fmt: skip

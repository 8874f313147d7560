"""The ledger and the hub: edits by command, taking back, adoption, a ledger that is lost or is an old one."""

from typing import Any, Final

from tallystick_sync.answers import undo
from tests.proof.matrix.project import Project
from tests.proof.matrix.scenario import (
    START,
    Scenario,
    Step,
    adopting,
    afresh,
    answered,
    closed,
    edited,
    joined,
    lost,
    made_in_hub,
    opened,
    put,
    rolled_back,
    set_in_hub,
    synced,
)  # fmt: skip

_FILES: Final[dict[str, Any]] = {"owner": "bo", "labels": ["metal", "loud"]}
_TWIN: Final = {"title": "Oil the winch"}


def _taking_back(field: str) -> Step:
    """The last run that changed a field of T-3 is taken back, then a run."""

    def act(project: Project) -> None:
        query = "SELECT max(run) FROM journal WHERE id = 'T-3' AND field = ? AND spoke <> ''"
        with project.ledger() as ledger:
            brought = ledger.db.execute(query, (field,)).fetchone()[0]
        edited(lambda editor: undo(editor, brought))(project)

    return act


COMMANDS: Final = (
    Scenario(
        "fields-set-by-command", (), edited(set_in_hub("T-3", **_FILES)), ends={"T-3": {**START["T-3"], **_FILES}}
    ),
    Scenario("a-task-made-by-command", (), edited(made_in_hub("N-1", title="New")), ends={"N-1": {"title": "New"}}),
    Scenario(
        "evidence-made-by-command",
        (),
        edited(made_in_hub("E-2", target="T-4", status="passed", method="pytest")),
        ends={"E-2": {"target": "T-4", "status": "passed"}},
    ),
    Scenario(
        "set-by-command-edited-there",
        [put("y", "T-3", priority="p1")],
        edited(set_in_hub("T-3", owner="bo")),
        ends={"T-3": {**START["T-3"], "owner": "bo", "priority": "p1"}},
    ),
    Scenario(
        "set-by-command-disputed",
        [put("y", "T-3", owner="cy")],
        edited(set_in_hub("T-3", owner="bo")),
        asks={("T-3", "owner"): {"y": "cy", "hub": "bo"}},
    ),
    Scenario(
        "a-run-taken-back",
        [put("y", "T-3", owner="bo", priority="p1"), synced()],
        _taking_back("owner"),
        ends={"T-3": START["T-3"]},
    ),
    Scenario(
        "a-run-taken-back-after-another-edit",
        [put("y", "T-3", owner="bo", priority="p1"), synced(), put("x", "T-3", owner="cy"), synced()],
        _taking_back("priority"),
        ends={"T-3": {**START["T-3"], "owner": "cy"}},
    ),
    Scenario(
        "reopened-and-taken-back-against-its-gate",
        [
            put("y", "T-3", status="completed"),
            synced(),
            put("y", "T-3", status="in-progress"),
            synced(),
            put("y", "T-3", decisionGate={"requiresVerification": True}),
            synced(),
        ],
        _taking_back("status"),
        ends={"T-3": {**START["T-3"], "status": "in-progress", "decisionGate": {"requiresVerification": True}}},
    ),
)

ADOPTIONS: Final = (
    Scenario("an-empty-spoke-joins", [joined("z")], ends=START),
    Scenario("a-spoke-joins-with-the-same", [joined("w"), put("w", "T-3", **START["T-3"])], ends=START),
    Scenario(
        "a-spoke-joins-with-its-own",
        [joined("z"), put("z", "N-1", title="New")],
        ends={**START, "N-1": {"title": "New"}},
    ),
    Scenario(
        "a-spoke-joins-with-other-words",
        [joined("z"), put("z", "T-3", **START["T-3"], owner="di")],
        ends={"T-3": {**START["T-3"], "owner": "di"}},
    ),
    Scenario(
        "a-spoke-joins-with-a-twin",
        [joined("z"), put("z", "N-1", **_TWIN)],
        asks={("N-1", "id"): {"z": "N-1", "hub": "T-3"}},
        shows={"x": {"N-1": None}, "y": {"N-1": None}, "z": {"T-3": None}},
    ),
    Scenario(
        "a-twin-is-another",
        [joined("z"), put("z", "N-1", **_TWIN), synced()],
        edited(answered("N-1", "id", chosen="N-1")),
        ends={"N-1": _TWIN, "T-3": START["T-3"]},
    ),
    Scenario("the-ledger-is-lost", [lost], ends=START),
    Scenario("the-ledger-is-lost-with-an-edit", [put("x", "T-3", **_FILES), lost], ends={}),
    Scenario(
        "the-ledger-is-lost-and-a-task-new",
        [put("y", "N-1", title="New"), lost],
        ends={**START, "N-1": {"title": "New"}},
    ),
    Scenario(
        "the-ledger-is-an-old-one",
        [rolled_back(put("x", "T-3", owner="bo"), synced())],
        adopting,
        ends={**START, "T-3": {**START["T-3"], "owner": "bo"}},
    ),
    Scenario("a-spoke-starts-afresh", (), afresh("x"), ends=START),
    Scenario(
        "a-spoke-is-opened-for-writing",
        [closed("x"), put("y", "T-3", **_FILES), synced(), opened("x")],
        ends={"T-3": {**START["T-3"], **_FILES}},
    ),
    Scenario(
        "a-spoke-is-not-written-to",
        [closed("x"), put("y", "T-3", **_FILES), put("x", "T-1", owner="cy"), put("y", "N-1", title="New")],
        shows={"x": {"T-3": START["T-3"], "N-1": None}, "y": {"T-3": _FILES, "T-1": {"owner": "cy"}, "N-1": {}}},
    ),
)

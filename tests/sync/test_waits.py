"""Spokes that ask to wait, and writes of which nobody knows whether they were done."""

from collections.abc import Sequence

from tallystick_contract.adapter import Change, Outcome, Waiting
from tallystick_contract.errors import Throttled, Unknown
from tests.sync.conftest import Project, filled
from tests.sync.faults import Meddled, Push, mend


def test_a_spoke_that_says_how_long_is_waited_for_and_goes_on_where_it_stopped(project: Project) -> None:
    rig = project("a b")
    for number in range(5):
        rig.put("a", f"T-{number}", title=f"Task {number}")
    tried: list[list[str]] = []

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        tried.append([change.key.id for change in changes])
        if len(tried) > 1:
            return write(changes)
        slow = Throttled("asks to slow down", wait=42.0)
        return [*write(changes[:2]), *(Outcome(change.key, error=slow) for change in changes[2:])]

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    report = rig.sync()
    assert rig.pauses == [42.0]
    assert tried == [[f"T-{number}" for number in range(5)], ["T-2", "T-3", "T-4"]]
    assert (report.spokes["b"].created, report.spokes["b"].error, report.problems) == (5, "", [])
    rig.check_rest()


def test_nobody_waits_longer_than_patience(project: Project) -> None:
    rig = filled(project)

    def push(_write: Push, _changes: Sequence[Change]) -> Sequence[Outcome]:
        raise Throttled("asks to slow down", wait=7200.0)

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    rig.put("a", "T-1", owner="ana")
    assert rig.sync().spokes["b"].error == "asks to slow down"
    assert rig.pauses == []
    mend(rig.places["b"])
    rig.sync()
    rig.check_rest()


def test_a_create_of_which_nobody_heard_is_told_so_until_somebody_did(project: Project) -> None:
    rig = filled(project)
    asked: list[str | None] = []

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        asked.extend(change.intended for change in changes)
        return (
            [Outcome(change.key, error=Unknown("no answer")) for change in changes]
            if len(asked) < 3
            else write(changes)
        )

    rig.places["b"].wrap = lambda inner: Meddled(inner, push)
    rig.put("a", "T-99", title="New")
    for _ in range(3):
        rig.sync()
    first, second, third = asked
    assert first is None
    assert second is not None
    assert second == third
    mend(rig.places["b"])
    rig.check_rest()


class Talking(Meddled):
    """A spoke that people talk on."""

    def __init__(self, inner: object, told: list[list[Waiting]]) -> None:
        super().__init__(inner, lambda write, changes: write(changes))  # type: ignore[arg-type]
        self._told = told

    def answer(self, waiting: Sequence[Waiting]) -> None:
        """Take note of what is to be answered."""
        self._told.append(list(waiting))


def test_people_are_told_on_their_spoke_why_their_move_waits(project: Project) -> None:
    rig = filled(project)
    told: list[list[Waiting]] = []
    rig.places["b"].wrap = lambda inner: Talking(inner, told)
    rig.put("a", "T-1", decisionGate={"noAutoClose": True})
    rig.sync()
    rig.put("b", "T-1", status="completed")
    rig.sync()
    (waiting,) = told[-1]
    assert (waiting.key.id, waiting.field, waiting.value, waiting.kept) == ("T-1", "status", "completed", "planned")
    assert "operator" in waiting.missing[0]
    rig.put("b", "T-1", status="planned")
    rig.sync()
    assert told[-1] == []

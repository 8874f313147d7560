"""Lifecycle: a status is what the spoke shows; whether a move was proper is the engine's business, not the spoke's."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import SPOKE, carried_out, decided, moved, planned
from tallystick_conformance.samples import STATUSES
from tallystick_contract.fields import value

EACH_STATUS = pytest.mark.parametrize("status", STATUSES)
JUMPS = pytest.mark.parametrize(
    ("before", "after"),
    [("planned", "completed"), ("completed", "planned"), ("cancelled", "completed"), ("blocked", "completed")],
)


class Lifecycle:
    """The checks of the level."""

    @EACH_STATUS
    def test_a_status_is_read_as_it_is(self, bench: Bench, status: str) -> None:
        """Each status on the spoke is read as itself."""
        bench.needs_field("task", "status")
        assert value("task", bench.settled("task", 1, status=status).image, "status") == status

    @EACH_STATUS
    def test_a_status_is_written_as_it_is(self, bench: Bench, status: str) -> None:
        """Each status is written as itself, from any other. The hub has decided; do not judge the move again."""
        bench.needs_field("task", "status", written=True)
        for number, before in enumerate(STATUSES, 1):
            shown = bench.write(bench.update(bench.settled("task", number, status=before), status=status))
            assert value("task", shown.image, "status") == status
            assert value("task", bench.there(shown.key) or {}, "status") == status

    @JUMPS
    def test_an_irregular_move_is_shown(self, bench: Bench, before: str, after: str) -> None:
        """A move outside the table, made on the spoke, is shown as it is. Boards are full of them."""
        bench.needs_field("task", "status")
        seen = bench.settled("task", 1, status=before)
        bench.edit(seen, status=after)
        assert [value("task", again.image, "status") for again in bench.pull().observed] == [after]

    def test_the_hub_takes_a_move_seen(self, bench: Bench) -> None:
        """A status moved on the spoke becomes the hub's, and the spoke is not painted over."""
        bench.needs_field("task", "status")
        made = decided(bench, moved(bench, bench.settled(), status="in-progress"))
        assert value("task", made.hub or {}, "status") == "in-progress"
        assert made.changes == {}

    def test_a_move_seen_leaves_an_event(self, bench: Bench) -> None:
        """The event of a status move is written where events are taken, and stands there."""
        bench.needs_field("task", "status", written=True)
        bench.needs_kind("event", written=True)
        made = planned(bench, moved(bench, bench.settled(), status="in-progress"))
        (event,) = [decision.key for decision in made.decisions if decision.key.kind == "event"]
        carried_out(bench, made)
        assert value("event", bench.there(event) or {}, "kind") == "status-change"

    def test_a_move_of_the_hub_is_written(self, bench: Bench) -> None:
        """A status moved in the hub is written to the spoke, that field alone."""
        bench.needs_field("task", "status", written=True)
        seen = bench.settled("task", 1, status="in-progress")
        case = moved(bench, seen, **{bench.word: "Edited by somebody else."})
        case.hub = {**(case.hub or {}), "status": "blocked"}
        made = planned(bench, case)
        assert [dict(change.fields) for change in made.changes(SPOKE)] == [{"status": "blocked"}]
        carried_out(bench, made)
        assert (value("task", bench.there(seen.key) or {}, "status"), bench.text_there(seen.key)) == (
            "blocked", "Edited by somebody else.",
        )  # fmt: skip

    def test_a_cancelled_task_is_not_completed(self, bench: Bench) -> None:
        """A cancelled task is neither read nor planned as completed."""
        bench.needs_field("task", "status")
        made = decided(bench, moved(bench, bench.settled(), status="cancelled"))
        assert (value("task", made.hub or {}, "status"), "deliveryState" in (made.hub or {})) == ("cancelled", False)

    def test_a_new_task_is_planned(self, bench: Bench) -> None:
        """A task without a word about its status is planned: the default is left out of the image."""
        bench.needs_field("task", "status")
        assert "status" not in bench.settled().image

    def test_an_archived_completion_stays_completed(self, bench: Bench) -> None:
        """The archive keeps a task's status."""
        bench.needs_field("task", "status", "archived")
        assert bench.settled("task", 1, status="completed", archived=True).image["status"] == "completed"

    def test_a_delivery_state_on_the_spoke_decides_nothing(self, bench: Bench) -> None:
        """A delivery state painted over by hand moves nothing in the hub. It is derived, never set."""
        if "deliveryState" not in bench.capabilities.shown("task"):
            bench.skip("declares task.deliveryState unsupported")
        bench.needs_tasks()
        key, doc = bench.plain("task")
        before = bench.write(bench.creation(key, {**doc, "deliveryState": "reported"}))
        bench.plant(key, {**doc, bench.word: "Another round.", "deliveryState": "applied"})
        case = moved(bench, before, **{bench.word: "One more."})
        made = decided(bench, case)
        assert [edit.field for edit in made.edits if edit.spoke] == [bench.word]
        assert (made.hub or {}).get("deliveryState") != "applied"

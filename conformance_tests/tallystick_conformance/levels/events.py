"""Events: the history is kept as it was told, entry by entry, and nothing in it is lost or told twice."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import decided, of_hub
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Stale
from tallystick_contract.fields import FIELDS, same, value

ACTORS = pytest.mark.parametrize("actor", ["operator", "agent", "engine", "external"])
KINDS = pytest.mark.parametrize("kind", ["note", "status-change", "reopen", "x-tide-turned"])


class Events:
    """The checks of the level."""

    @ACTORS
    def test_who_did_it_is_kept(self, bench: Bench, actor: str) -> None:
        """An event keeps its actor, type and id. Who may decide hangs on it."""
        bench.needs_field("event", "actor", written=True)
        _written(bench, "actor", {"type": actor, "id": "mika: 7"})

    @KINDS
    def test_what_happened_is_kept(self, bench: Bench, kind: str) -> None:
        """An event keeps its kind, one's own kinds included."""
        bench.needs_field("event", "kind", written=True)
        _written(bench, "kind", kind)

    def test_the_payload_is_kept_as_it_is(self, bench: Bench) -> None:
        """A payload is JSON and stays that: nesting, null, numbers, and texts that look like something else."""
        bench.needs_field("event", "payload", written=True)
        _written(bench, "payload", {"a": [1, {"b": None}, "-->"], "c d": "```\n}", "e": 0.5, "f": {}})

    @pytest.mark.parametrize("at", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901Z", "2026-01-02T05:04:05+02:00"])
    def test_the_instant_is_kept(self, bench: Bench, at: str) -> None:
        """An event keeps its instant, to the last digit."""
        bench.needs_field("event", "atIso", written=True)
        _written(bench, "atIso", at)

    def test_an_event_about_the_project_is_kept(self, bench: Bench) -> None:
        """An event may be about no task at all."""
        bench.needs_field("event", "taskId", written=True)
        _written(bench, "taskId", None)

    def test_an_event_about_an_unknown_task_is_kept(self, bench: Bench) -> None:
        """An event may be about a task the spoke does not have."""
        bench.needs_field("event", "taskId", written=True)
        _written(bench, "taskId", "T-404")

    def test_events_of_one_instant_are_two(self, bench: Bench) -> None:
        """Two events that differ in their id alone are two."""
        bench.needs_kind("event", written=True)
        _, doc = bench.plain("event")
        keys = {Key("event", "H-1"), Key("event", "H-2")}
        outcomes = bench.push(*(bench.creation(key, doc) for key in sorted(keys)))
        assert [outcome.error for outcome in outcomes] == [None, None]
        assert {key for key in bench.everything() if key.kind == "event"} == keys

    def test_a_new_event_leaves_the_older_ones(self, bench: Bench) -> None:
        """An event is added; those that are there stay as they were."""
        bench.needs_kind("event", written=True)
        older = bench.write(bench.creation(*bench.plain("event", 1)))
        bench.write(bench.creation(*bench.plain("event", 2)))
        assert bench.listed()[older.key] == older

    def test_an_event_told_twice_stands_once(self, bench: Bench) -> None:
        """Creating the same event again, as after a lost reply, adds nothing."""
        bench.needs_kind("event", written=True)
        change = bench.creation(*bench.plain("event"))
        first = bench.write(change)
        bench.state = {}
        assert bench.write(change) == first
        assert bench.there(change.key) is not None

    def test_an_event_leaves_its_task_alone(self, bench: Bench) -> None:
        """Adding an event to a task changes neither the task nor its revision."""
        bench.needs_tasks()
        bench.needs_kind("event", written=True)
        task = bench.settled()
        bench.write(bench.creation(*bench.plain("event")))
        assert bench.listed()[task.key] == task
        assert list(bench.pull().observed) == []

    def test_an_event_found_is_listed_once(self, bench: Bench) -> None:
        """An event on the spoke is listed by one pull and not by the next."""
        bench.needs_kind("event")
        key = bench.plant(*bench.plain("event"))
        assert [seen.key for seen in bench.pull().observed if seen.key.kind == "event"] == [key]
        assert list(bench.pull().observed) == []

    def test_events_that_are_only_read_get_no_writes(self, bench: Bench) -> None:
        """Where events are read-only the plan has no change for the spoke."""
        bench.needs_kind("event")
        if bench.capabilities.takes("event"):
            bench.skip("declares records of kind event writable")
        assert decided(bench, of_hub(*bench.plain("event", 2))).changes == {}

    def test_the_same_event_keeps_its_id(self, bench: Bench) -> None:
        """An event has the same key in every listing, by whichever instance."""
        bench.needs_kind("event")
        key = bench.plant(*bench.plain("event"))
        bench.plant(*bench.plain("event", 2))
        assert key in bench.listed()
        assert bench.listed().keys() == bench.listed().keys()

    def test_an_event_is_never_rewritten(self, bench: Bench) -> None:
        """An event whose id is taken by another one changes nothing there and answers Stale. History is only added."""
        bench.needs_field("event", "payload", written=True)
        key, doc = bench.plain("event")
        bench.write(bench.creation(key, doc))
        (outcome,) = bench.push(bench.creation(key, {**doc, "payload": {"text": "It was quite otherwise."}}))
        assert isinstance(outcome.error, Stale), outcome
        assert bench.differences("event", bench.there(key) or {}, doc) == []


def _written(bench: Bench, name: str, item: object) -> None:
    """Write an event with this value and find it shown and standing there."""
    key, doc = bench.plain("event", 1, **{name: item})
    shown = bench.write(bench.creation(key, doc))
    for found in (shown.image, bench.there(key) or {}):
        assert same(FIELDS["event"][name], value("event", found, name), item)

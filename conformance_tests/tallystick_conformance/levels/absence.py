"""Absence: what was listed and is not there any more is told once, and nothing else is taken for gone."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import SPOKE, carried_out, decided, planned, vanished
from tallystick_sync.case import PRESENCE

EACH_MORTAL = pytest.mark.parametrize("kind", ["task", "evidence"])
"""Runs a check for the kinds whose absence means something; events are history."""


class Absence:
    """The checks of the level."""

    @EACH_MORTAL
    def test_what_is_gone_is_told(self, bench: Bench, kind: str) -> None:
        """A record taken off the spoke is named in `gone` by the next pull. Compare with what the state knows."""
        bench.needs_kind(kind)
        seen, other = bench.settled(kind, 1), bench.settled(kind, 2)
        bench.plant(seen.key, None)
        pull = bench.pull()
        assert (list(pull.gone), list(pull.observed), pull.complete) == ([seen.key], [], True)
        assert set(bench.listed()) == {other.key}

    def test_gone_is_told_once(self, bench: Bench) -> None:
        """What was told as gone is not told again. Take it out of the state."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        bench.pull()
        assert list(bench.pull().gone) == []

    def test_a_full_pull_tells_what_is_gone_too(self, bench: Bench) -> None:
        """With `full` the keys that were listed before and are away are named as well."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        pull = bench.pull(full=True)
        assert (list(pull.gone), list(pull.observed), pull.total) == ([seen.key], [], 0)

    def test_what_was_never_listed_is_not_gone(self, bench: Bench) -> None:
        """A record that came and went between two pulls was never there for the engine."""
        bench.settled("task", 1)
        key = bench.plant(*bench.plain("task", 2))
        bench.plant(key, None)
        pull = bench.pull()
        assert (list(pull.gone), list(pull.observed)) == ([], [])

    def test_without_a_state_nothing_is_gone(self, bench: Bench) -> None:
        """With an empty state there is nothing that could have vanished."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        bench.state = {}
        assert list(bench.pull().gone) == []

    def test_the_total_falls_with_the_records(self, bench: Bench) -> None:
        """`total` counts what is there now, in a partial pull as well."""
        for number in (1, 2, 3):
            bench.settled("task", number)
        bench.plant(bench.plain("task", 2)[0], None)
        assert bench.pull().total == 2

    def test_an_emptied_spoke_tells_everything_gone(self, bench: Bench) -> None:
        """A spoke whose last record was taken is complete and empty. The engine's guards judge what that means."""
        some = [bench.settled("task", number) for number in (1, 2)]
        for seen in some:
            bench.plant(seen.key, None)
        pull = bench.pull()
        assert (sorted(pull.gone), pull.total, pull.complete) == (sorted(seen.key for seen in some), 0, True)

    def test_our_own_deletion_is_not_told_back(self, bench: Bench) -> None:
        """A record deleted by a push is not `gone` in the next pull. Take it out of the state."""
        bench.needs_deletion()
        bench.push(bench.deletion(bench.settled()))
        assert list(bench.pull().gone) == []

    def test_what_came_back_is_not_gone(self, bench: Bench) -> None:
        """A record taken away and put back between two pulls is there."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        bench.plant(seen.key, bench.fit("task", seen.image))
        assert list(bench.pull().gone) == []

    def test_what_comes_back_later_is_listed(self, bench: Bench) -> None:
        """A record that was told gone and stands there again is listed."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        bench.pull()
        bench.plant(seen.key, bench.fit("task", seen.image))
        assert [again.key for again in bench.pull().observed] == [seen.key]

    def test_an_archived_record_is_not_gone(self, bench: Bench) -> None:
        """A task moved to the archive is still listed, as archived. Read the archive too."""
        bench.needs_field("task", "archived")
        seen = bench.settled("task", 1, status="completed")
        bench.edit(seen, archived=True)
        pull = bench.pull()
        assert ([again.key for again in pull.observed], list(pull.gone), pull.total) == ([seen.key], [], 1)
        assert pull.observed[0].image["archived"] is True

    def test_absence_means_what_is_declared(self, bench: Bench) -> None:
        """The engine takes an absence as the spoke declares it: a deletion, or a question to a person."""
        seen = bench.settled()
        bench.plant(seen.key, None)
        assert list(bench.pull().gone) == [seen.key]
        made = decided(bench, vanished(seen))
        asked = [question.field for question in made.conflicts]
        assert (made.deleted, asked) == ((False, [PRESENCE]) if bench.capabilities.absence == "ask" else (True, []))

    def test_evidence_that_vanished_is_put_back(self, bench: Bench) -> None:
        """Evidence is never deleted by absence alone: the engine writes it anew, and it stands there once."""
        bench.needs_kind("evidence", written=True)
        bench.settled("task", 1)
        seen = bench.settled("evidence", 1)
        bench.plant(seen.key, None)
        bench.pull()
        made = planned(bench, vanished(seen))
        assert [change.op for change in made.changes(SPOKE)] == ["create"]
        carried_out(bench, made)
        assert bench.there(seen.key) is not None

    def test_a_deletion_of_the_hub_is_carried_out(self, bench: Bench) -> None:
        """A record deleted in the hub is deleted on the spoke, or reported as a gap where it deletes nothing."""
        bench.needs_tasks()
        case = vanished(bench.settled())
        case.deleted = True
        case.copies[SPOKE].gone = False
        made = planned(bench, case)
        if bench.capabilities.deletes:
            carried_out(bench, made)
            assert bench.there(case.key) is None
        else:
            assert made.decisions[0].gaps == [(SPOKE, "deletion")]

    def test_an_unreadable_record_is_not_gone(self, bench: Bench) -> None:
        """A record that cannot be read is there: named as quarantined under its key, counted, and never gone."""
        seen = bench.spoiled()
        for full in (False, True):
            pull = bench.pull(full=full)
            assert ([bad.key for bad in pull.quarantined], list(pull.gone), pull.total) == ([seen.key], [], 1)

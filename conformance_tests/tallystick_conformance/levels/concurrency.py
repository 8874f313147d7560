"""Concurrency: several instances at once, runs that were killed, replies that were lost, states that were put back."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from tallystick_conformance.bench import Bench
from tallystick_contract.adapter import Change, Outcome
from tallystick_contract.errors import Stale


class Concurrency:
    """The checks of the level."""

    def test_of_two_updates_of_one_record_one_is_stale(self, bench: Bench) -> None:
        """Two runs that read the same record cannot both write it: the second is Stale."""
        bench.needs_tasks()
        seen = bench.settled()
        with bench.run() as one, bench.run() as two:
            one.pull(bench.state), two.pull(bench.state)
            (first,), (second,) = one.push([bench.rewording(seen, "one")]), two.push([bench.rewording(seen, "two")])
        assert (first.error, type(second.error)) == (None, Stale)
        assert bench.text_there(seen.key) == "one"

    def test_updates_of_two_records_both_land(self, bench: Bench) -> None:
        """Two runs that write different records do not undo each other. Never write a whole listing back."""
        bench.needs_tasks()
        left, right = bench.settled("task", 1), bench.settled("task", 2)
        with bench.run() as one, bench.run() as two:
            one.pull(bench.state), two.pull(bench.state)
            (first,), (second,) = one.push([bench.rewording(left, "one")]), two.push([bench.rewording(right, "two")])
        assert (first.error, second.error) == (None, None)
        assert (bench.text_there(left.key), bench.text_there(right.key)) == ("one", "two")

    def test_two_creates_of_one_id_make_one_record(self, bench: Bench) -> None:
        """Of two runs that create different records under one id, the second is Stale."""
        bench.needs_tasks()
        key, doc = bench.plain("task")
        with bench.run() as one, bench.run() as two:
            one.pull({}), two.pull({})
            (first,) = one.push([bench.creation(key, {**doc, bench.word: "one"})])
            (second,) = two.push([bench.creation(key, {**doc, bench.word: "two"})])
        assert (first.error, type(second.error)) == (None, Stale)
        assert bench.text_there(key) == "one"

    def test_two_creates_of_the_same_record_make_one(self, bench: Bench) -> None:
        """Two runs that create the very same record make one copy."""
        bench.needs_tasks()
        change = bench.creation(*bench.plain("task"))
        with bench.run() as one, bench.run() as two:
            one.pull({}), two.pull({})
            one.push([change]), two.push([change])
        assert list(bench.everything()) == [change.key]

    def test_creates_of_two_runs_both_stand(self, bench: Bench) -> None:
        """Two runs that create different records do not undo each other."""
        bench.needs_tasks()
        left, right = bench.creation(*bench.plain("task", 1)), bench.creation(*bench.plain("task", 2))
        with bench.run() as one, bench.run() as two:
            one.pull({}), two.pull({})
            one.push([left]), two.push([right])
        assert set(bench.everything()) == {left.key, right.key}

    def test_a_deletion_meets_an_update(self, bench: Bench) -> None:
        """A run that deletes what another has just written is Stale."""
        bench.needs_deletion()
        seen = bench.settled()
        with bench.run() as one, bench.run() as two:
            one.pull(bench.state), two.pull(bench.state)
            one.push([bench.rewording(seen, "one")])
            (second,) = two.push([bench.deletion(seen)])
        assert isinstance(second.error, Stale)
        assert bench.text_there(seen.key) == "one"

    def test_an_open_run_sees_another_s_writes(self, bench: Bench) -> None:
        """What one run wrote, another that is open already reads with its next pull."""
        bench.needs_tasks()
        bench.settled("task", 1)
        before = bench.state
        two = bench.open()
        two.pull(before)
        shown = bench.write(bench.creation(*bench.plain("task", 2)))
        assert [seen.key for seen in two.pull(before).observed] == [shown.key]

    def test_writers_at_the_same_time_lose_nothing(self, bench: Bench) -> None:
        """Runs that write at the very same time all get their records in, or are told Stale and none is lost."""
        bench.needs_tasks()
        start = Barrier(3)

        def write(number: int) -> Outcome:
            adapter = bench.build()
            try:
                adapter.pull({})
                start.wait(timeout=60)
                (outcome,) = adapter.push([bench.creation(*bench.plain("task", number))])
            finally:
                adapter.close()
            return outcome

        with ThreadPoolExecutor(3) as pool:
            outcomes = list(pool.map(write, range(1, 4)))
        done = {outcome.key for outcome in outcomes if outcome.error is None}
        assert done
        assert set(bench.everything()) == done
        assert all(isinstance(outcome.error, Stale | None) for outcome in outcomes)

    def test_a_run_killed_after_writing_wrote_it_once(self, bench: Bench) -> None:
        """When a run dies after its write and before its state is saved, the next one lists what it wrote."""
        bench.needs_tasks()
        before = bench.state
        shown = bench.write(bench.creation(*bench.plain("task")))
        bench.state = before
        assert [(seen.key, seen.image) for seen in bench.pull().observed] == [(shown.key, shown.image)]

    def test_a_write_whose_reply_was_lost_is_not_done_twice(self, bench: Bench) -> None:
        """The same changes pushed again by a run that knows nothing of the first leave every record once, as asked."""
        bench.needs_tasks()
        seen = bench.settled("task", 1)
        changes = [bench.creation(*bench.plain("task", 2)), bench.rewording(seen, "Written by the engine.")]
        before = bench.state
        bench.push(*changes)
        once = bench.everything()
        bench.state = before
        _done_or_stale(changes, bench.push(*changes))
        assert bench.everything() == once

    def test_a_deletion_whose_reply_was_lost_harms_nothing(self, bench: Bench) -> None:
        """A deletion pushed again after it was done is done, or Stale."""
        bench.needs_deletion()
        change, before = bench.deletion(bench.settled()), bench.state
        bench.push(change)
        bench.state = before
        _done_or_stale([change], bench.push(change))
        assert bench.everything() == {}

    def test_the_next_run_learns_what_a_lost_one_wrote(self, bench: Bench) -> None:
        """An update whose run left no state is listed by the next run, with a revision that can be written upon."""
        bench.needs_tasks()
        seen = bench.settled()
        before = bench.state
        bench.write(bench.rewording(seen, "Written and forgotten."))
        bench.state = before
        (again,) = bench.pull().observed
        bench.write(bench.rewording(again, "Written again."))
        assert bench.text_there(seen.key) == "Written again."

    def test_a_run_killed_after_reading_loses_nothing(self, bench: Bench) -> None:
        """What a run read and did not live to tell is listed by the next one. Keep nothing outside of the state."""
        seen = bench.settled()
        bench.reword(seen, "Edited by somebody else.")
        bench.open().pull(bench.state)
        assert [again.key for again in bench.pull().observed] == [seen.key]

    def test_a_run_may_end_before_it_began(self, bench: Bench) -> None:
        """An instance that was never used can be closed, and closed again."""
        adapter = bench.open()
        adapter.close()
        adapter.close()

    def test_runs_one_after_another_tell_each_change_once(self, bench: Bench) -> None:
        """Over many runs each edit is told in exactly one of them."""
        seen = bench.settled()
        told = []
        for number in range(4):
            bench.reword(seen, f"Edit {number}.")
            told += [bench.fit("task", again.image)[bench.word] for again in bench.pull().observed]
            told += [bench.fit("task", again.image)[bench.word] for again in bench.pull().observed]
        assert told == [f"Edit {number}." for number in range(4)]


def _done_or_stale(changes: list[Change], outcomes: list[Outcome]) -> None:
    assert [outcome.key for outcome in outcomes] == [change.key for change in changes]
    assert all(isinstance(outcome.error, Stale | None) for outcome in outcomes), outcomes

"""Staleness: no write lands on a record that is not what it was when the write was planned."""

from collections.abc import Sequence

from tallystick_conformance.bench import Bench
from tallystick_contract.adapter import Observed, Outcome
from tallystick_contract.errors import Stale

THEIRS = "Edited by somebody else."
OURS = "Planned by the engine."


class Staleness:
    """The checks of the level."""

    def test_an_update_with_a_passed_revision_is_stale(self, bench: Bench) -> None:
        """An update that expects another revision writes nothing and answers Stale. Compare before writing."""
        bench.needs_tasks()
        seen = bench.settled()
        bench.reword(seen, THEIRS)
        _stale(bench.push(bench.rewording(seen, OURS)))
        assert bench.text_there(seen.key) == THEIRS

    def test_a_delete_with_a_passed_revision_is_stale(self, bench: Bench) -> None:
        """A delete that expects another revision deletes nothing: a deletion never beats an edit."""
        bench.needs_deletion()
        seen = bench.settled()
        bench.reword(seen, THEIRS)
        _stale(bench.push(bench.deletion(seen)))
        assert bench.text_there(seen.key) == THEIRS

    def test_an_update_of_what_is_gone_is_stale(self, bench: Bench) -> None:
        """An update of a record that is not there any more does not bring it back."""
        bench.needs_tasks()
        seen = bench.settled()
        bench.plant(seen.key, None)
        _stale(bench.push(bench.rewording(seen, OURS)))
        assert bench.there(seen.key) is None

    def test_a_delete_of_what_is_gone_harms_nothing(self, bench: Bench) -> None:
        """A delete of a record that is not there any more is done, or Stale; its neighbours stay."""
        bench.needs_deletion()
        seen, other = bench.settled("task", 1), bench.settled("task", 2)
        bench.plant(seen.key, None)
        (outcome,) = bench.push(bench.deletion(seen))
        assert outcome.error is None or isinstance(outcome.error, Stale)
        assert set(bench.everything()) == {other.key}

    def test_a_create_over_another_record_is_stale(self, bench: Bench) -> None:
        """A create whose id is taken by something else overwrites nothing and answers Stale."""
        bench.needs_tasks()
        key, doc = bench.plain("task")
        bench.plant(key, {**doc, bench.word: THEIRS})
        _stale(bench.push(bench.creation(key, {**doc, bench.word: OURS})))
        assert bench.text_there(key) == THEIRS

    def test_a_create_of_what_stands_there_is_done(self, bench: Bench) -> None:
        """A create of the very record that is there, as after a lost reply, is answered with it and adds nothing."""
        bench.needs_tasks()
        key, doc = bench.plain("task")
        bench.plant(key, doc)
        shown = bench.write(bench.creation(key, doc))
        assert (bench.there(key), bench.listed()[key]) == (bench.everything()[key], shown)

    def test_an_edit_between_reading_and_writing_survives(self, bench: Bench) -> None:
        """An edit made after the pull of the same run makes the write Stale. Read again just before writing."""
        bench.needs_tasks()
        seen = bench.settled()
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.reword(seen, THEIRS)
            _stale(adapter.push([bench.rewording(seen, OURS)]))
        assert bench.text_there(seen.key) == THEIRS

    def test_a_deletion_between_reading_and_writing_stands(self, bench: Bench) -> None:
        """A record deleted after the pull of the same run is not written back."""
        bench.needs_tasks()
        seen = bench.settled()
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.plant(seen.key, None)
            _stale(adapter.push([bench.rewording(seen, OURS)]))
        assert bench.there(seen.key) is None

    def test_a_record_born_between_reading_and_writing_stands(self, bench: Bench) -> None:
        """A record that appeared after the pull is not overwritten by a create of the same id."""
        bench.needs_tasks()
        bench.settled("task", 2)
        key, doc = bench.plain("task")
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.plant(key, {**doc, bench.word: THEIRS})
            _stale(adapter.push([bench.creation(key, {**doc, bench.word: OURS})]))
        assert bench.text_there(key) == THEIRS

    def test_another_record_s_edit_makes_nothing_stale(self, bench: Bench) -> None:
        """A write is judged by its own record: an edit of a neighbour after the pull does not stop it."""
        bench.needs_tasks()
        seen, other = bench.settled("task", 1), bench.settled("task", 2)
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.reword(other, THEIRS)
            (outcome,) = adapter.push([bench.rewording(seen, OURS)])
        assert outcome.error is None, outcome.error
        assert (bench.text_there(seen.key), bench.text_there(other.key)) == (OURS, THEIRS)

    def test_what_was_edited_meanwhile_is_listed_next_time(self, bench: Bench) -> None:
        """An edit that made a write Stale is news for the next pull. Do not take it into the state unseen."""
        bench.needs_tasks()
        seen, other = bench.settled("task", 1), bench.settled("task", 2)
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.reword(seen, THEIRS)
            adapter.push([bench.rewording(seen, OURS), bench.rewording(other, OURS)])
        _news_of(bench, seen, other)

    def test_an_unwritten_edit_meanwhile_is_listed_next_time(self, bench: Bench) -> None:
        """An edit made during a run, to a record the run did not write, is news for the next pull."""
        bench.needs_tasks()
        seen, other = bench.settled("task", 1), bench.settled("task", 2)
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.reword(seen, THEIRS)
            adapter.push([bench.rewording(other, OURS)])
        _news_of(bench, seen, other)

    def test_after_stale_the_same_run_can_read_and_write_again(self, bench: Bench) -> None:
        """A Stale record is read again and written within the run: a second pull shows the edit and its revision."""
        bench.needs_tasks()
        seen = bench.settled()
        with bench.run() as adapter:
            adapter.pull(bench.state)
            bench.reword(seen, THEIRS)
            adapter.push([bench.rewording(seen, OURS)])
            (again,) = adapter.pull(bench.state).observed
            (outcome,) = adapter.push([bench.rewording(again, "Planned again.")])
        assert outcome.error is None, outcome.error
        assert bench.text_there(seen.key) == "Planned again."

    def test_the_revision_of_an_outcome_is_good_for_the_next_write(self, bench: Bench) -> None:
        """What an outcome shows can be written upon, in the same run and in the next."""
        bench.needs_tasks()
        with bench.run() as adapter:
            adapter.pull({})
            (outcome,) = adapter.push([bench.creation(*bench.plain("task"))])
            assert outcome.shown is not None
            (outcome,) = adapter.push([bench.rewording(outcome.shown, "Once.")])
            assert outcome.shown is not None
        shown = bench.write(bench.rewording(outcome.shown, "Twice."))
        assert bench.text_there(shown.key) == "Twice."

    def test_every_stale_record_of_a_batch_is_told(self, bench: Bench) -> None:
        """Each change of a batch is judged by itself, and all that are stale are told."""
        bench.needs_tasks()
        some = [bench.settled("task", number) for number in (1, 2, 3, 4)]
        for seen in some[::2]:
            bench.reword(seen, THEIRS)
        outcomes = bench.push(*(bench.rewording(seen, OURS) for seen in some))
        assert [isinstance(outcome.error, Stale) for outcome in outcomes] == [True, False, True, False]
        assert [bench.text_there(seen.key) for seen in some] == [THEIRS, OURS, THEIRS, OURS]

    def test_a_stale_answer_says_what_and_where(self, bench: Bench) -> None:
        """An error names what happened and the record. A person reads it."""
        bench.needs_tasks()
        seen = bench.settled()
        bench.reword(seen, THEIRS)
        error = _stale(bench.push(bench.rewording(seen, OURS)))
        assert error.what.strip() != ""
        assert seen.key.id in str(error)

    def test_an_edit_that_leaves_the_size_is_seen(self, bench: Bench) -> None:
        """An edit of the same length, made at once, is a change. Do not trust size and whole-second times."""
        bench.needs_tasks()
        seen = bench.settled("task", 1, **{bench.word: "aaaa"})
        bench.reword(seen, "bbbb")
        assert [bench.fit("task", again.image)[bench.word] for again in bench.pull().observed] == ["bbbb"]

    def test_an_edit_that_leaves_the_size_makes_a_write_stale(self, bench: Bench) -> None:
        """An edit of the same length, made at once, makes a write Stale. Compare content, not times."""
        bench.needs_tasks()
        seen = bench.settled("task", 1, **{bench.word: "aaaa"})
        bench.reword(seen, "bbbb")
        _stale(bench.push(bench.rewording(seen, "cccc")))
        assert bench.text_there(seen.key) == "bbbb"


def _stale(outcomes: Sequence[Outcome]) -> Stale:
    """Return the error of a single outcome, which must be Stale."""
    (outcome,) = outcomes
    assert isinstance(outcome.error, Stale), f"wanted Stale, got {outcome}"
    return outcome.error


def _news_of(bench: Bench, seen: Observed, other: Observed) -> None:
    """Hold the next pull to telling somebody's edit; our own write may be told along with it, as it stands."""
    told = {again.key: bench.fit("task", again.image)[bench.word] for again in bench.pull().observed}
    assert told in ({seen.key: THEIRS}, {seen.key: THEIRS, other.key: OURS})

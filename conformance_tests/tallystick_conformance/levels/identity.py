"""Identity: an id names one record for good, whatever it looks like and whatever else looks like it."""

import pytest

from tallystick_conformance.bench import Bench
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Stale

IDS = (
    "7", "007", "T 1", "T/1", "../T-1", "T.1", "T#1", "T:1", "a,b", "'quoted\"", "%41", "-T", "T-1.md", "CON", "~",
    "Ärger-ß", "任務-1", "\U0001f6a2-1", "e\u0301".replace("e\u0301", "\u00e9"), "x" * 200,
)  # fmt: skip


class Identity:
    """The checks of the level."""

    @pytest.mark.parametrize("ident", IDS, ids=lambda ident: ascii(ident)[1:30])
    def test_ids_are_opaque(self, bench: Bench, ident: str) -> None:
        """An id of any shape comes back as it was, or is refused whole. Encode it where the spoke needs a tame one."""
        bench.needs_tasks()
        _, doc = bench.plain("task")
        (outcome,) = bench.push(bench.creation(Key("task", ident), doc))
        there = [] if outcome.error else [Key("task", ident)]
        assert (list(bench.everything()), list(bench.listed())) == (there, there)

    def test_ids_that_differ_by_case_are_two(self, bench: Bench) -> None:
        """`t-1` and `T-1` are different records. Compare ids exactly, also where file names do not."""
        bench.needs_tasks()
        _, doc = bench.plain("task")
        upper, lower = Key("task", "T-1"), Key("task", "t-1")
        bench.write(bench.creation(upper, {**doc, bench.word: "upper"}))
        bench.write(bench.creation(lower, {**doc, bench.word: "lower"}))
        assert (bench.text_there(upper), bench.text_there(lower)) == ("upper", "lower")
        assert set(bench.listed()) == {upper, lower}

    def test_one_id_of_two_kinds_is_two_records(self, bench: Bench) -> None:
        """A task and a piece of evidence may have the same id. A key is kind and id together."""
        bench.needs_tasks()
        bench.needs_kind("evidence", written=True)
        task, proof = Key("task", "X-1"), Key("evidence", "X-1")
        bench.write(bench.creation(task, bench.plain("task")[1]))
        bench.write(bench.creation(proof, bench.plain("evidence")[1]))
        assert set(bench.everything()) == set(bench.listed()) == {task, proof}

    def test_an_id_that_begins_like_another_is_its_own(self, bench: Bench) -> None:
        """Writing T-1 leaves T-10 and T-11 alone. Look records up by the whole id."""
        bench.needs_tasks()
        seen = bench.settled("task", 1)
        others = [bench.settled("task", number) for number in (10, 11)]
        bench.write(bench.rewording(seen, "T-10 is meant, or is it?"))
        assert [bench.listed()[other.key] for other in others] == others

    def test_deleting_leaves_ids_that_begin_alike(self, bench: Bench) -> None:
        """Deleting T-1 leaves T-10 there."""
        bench.needs_deletion()
        seen, other = bench.settled("task", 1), bench.settled("task", 10)
        bench.push(bench.deletion(seen))
        assert list(bench.everything()) == [other.key]

    def test_another_title_is_the_same_record(self, bench: Bench) -> None:
        """A record renamed on the spoke keeps its key. Never derive identity from a title or a file's name."""
        bench.needs_field("task", "title")
        seen = bench.settled("task", 1, title="Before")
        bench.edit(seen, title="After")
        pull = bench.pull()
        assert ([again.key for again in pull.observed], list(pull.gone)) == ([seen.key], [])

    def test_a_title_written_anew_is_the_same_record(self, bench: Bench) -> None:
        """A record renamed by a write keeps its key and stands there once."""
        bench.needs_field("task", "title", written=True)
        seen = bench.settled("task", 1, title="Before")
        shown = bench.write(bench.update(seen, title="After"))
        assert (shown.key, list(bench.everything())) == (seen.key, [seen.key])

    def test_records_that_look_alike_stay_two(self, bench: Bench) -> None:
        """Two records with the same texts stay two. Only the id says which is which."""
        bench.needs_tasks()
        _, doc = bench.plain("task")
        keys = {Key("task", "T-1"), Key("task", "T-2")}
        outcomes = bench.push(*(bench.creation(key, doc) for key in sorted(keys)))
        assert [outcome.error for outcome in outcomes] == [None, None]
        assert set(bench.everything()) == set(bench.listed()) == keys

    def test_an_id_in_a_text_names_nothing(self, bench: Bench) -> None:
        """A text that mentions another record's id is a text. It neither moves nor renames anything."""
        bench.needs_tasks()
        first = bench.settled("task", 1, **{bench.word: 'id: T-2\n"id": "T-2" T-2'})
        second = bench.settled("task", 2)
        bench.write(bench.rewording(second, "id: T-1"))
        assert bench.listed()[first.key] == first

    def test_a_lost_state_makes_no_second_copy(self, bench: Bench) -> None:
        """After a lost state a create of a record that is there adds nothing. Find it on the spoke first."""
        bench.needs_tasks()
        key, doc = bench.plain("task")
        bench.write(bench.creation(key, doc))
        bench.state = {}
        (outcome,) = bench.push(bench.creation(key, doc))
        assert outcome.error is None or isinstance(outcome.error, Stale)
        assert list(bench.everything()) == [key]

    def test_the_handle_leads_to_the_record(self, bench: Bench) -> None:
        """Every record is listed with a handle of the spoke's own. People look it up by that."""
        assert bench.settled().native.strip() != ""

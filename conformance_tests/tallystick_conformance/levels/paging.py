"""Paging: a spoke with more records than fit one page, or one second, is listed whole."""

from tallystick_conformance.bench import Bench
from tallystick_contract.adapter import Key, Pull

MANY = 120
"""More than the usual page of 30, 50 or 100."""


class Paging:
    """The checks of the level."""

    def test_many_records_are_all_listed(self, bench: Bench) -> None:
        """Every page is read. Follow the links, or go on until a page is empty."""
        keys, pull = _many(bench)
        assert ({seen.key for seen in pull.observed}, pull.total, pull.complete) == (keys, MANY, True)

    def test_many_records_are_listed_once_each(self, bench: Bench) -> None:
        """No record is listed twice, though it may stand on two pages."""
        _, pull = _many(bench)
        assert len(pull.observed) == MANY

    def test_many_records_are_known_afterwards(self, bench: Bench) -> None:
        """After a long listing nothing is news. The state must take in every page."""
        _many(bench)
        pull = bench.pull()
        assert (list(pull.observed), list(pull.gone), pull.total) == ([], [], MANY)

    def test_the_oldest_record_s_change_is_seen(self, bench: Bench) -> None:
        """A change of the record planted first, on the last page perhaps, is seen."""
        _, pull = _many(bench)
        self._one_change(bench, pull, 1)

    def test_the_newest_record_s_change_is_seen(self, bench: Bench) -> None:
        """A change of the record planted last is seen, alone."""
        _, pull = _many(bench)
        self._one_change(bench, pull, MANY)

    @staticmethod
    def _one_change(bench: Bench, pull: Pull, number: int) -> None:
        (seen,) = [seen for seen in pull.observed if seen.key == bench.plain("task", number)[0]]
        bench.reword(seen, "Edited by somebody else.")
        assert [again.key for again in bench.pull().observed] == [seen.key]

    def test_one_gone_of_many_is_told_alone(self, bench: Bench) -> None:
        """When one of many records goes, it alone is gone, however the pages shift."""
        keys, _ = _many(bench)
        key = bench.plain("task", MANY // 2)[0]
        bench.plant(key, None)
        pull = bench.pull()
        assert (list(pull.gone), list(pull.observed), pull.total) == ([key], [], len(keys) - 1)

    def test_changes_of_one_moment_are_all_seen(self, bench: Bench) -> None:
        """Records changed in the same second are all listed, whichever of them were seen already."""
        some = [bench.settled("task", number) for number in range(1, 6)]
        bench.reword(some[0], "Edited by somebody else.")
        assert [again.key for again in bench.pull().observed] == [some[0].key]
        for seen in some[1:]:
            bench.reword(seen, "Edited in the same second.")
        assert {again.key for again in bench.pull().observed} == {seen.key for seen in some[1:]}

    def test_a_second_change_of_one_moment_is_seen(self, bench: Bench) -> None:
        """A record changed again in the second in which it was read is listed again."""
        seen = bench.settled()
        for text in ("Edited once.", "Edited twice.", "Edited thrice."):
            bench.reword(seen, text)
            assert [bench.fit("task", again.image)[bench.word] for again in bench.pull().observed] == [text]

    def test_many_creates_all_stand(self, bench: Bench) -> None:
        """A large batch is written whole, with one outcome for each change."""
        bench.needs_tasks()
        changes = [bench.creation(*bench.plain("task", number)) for number in range(1, MANY + 1)]
        outcomes = bench.push(*changes)
        assert [outcome.key for outcome in outcomes if outcome.error is None] == [change.key for change in changes]
        assert set(bench.everything()) == {change.key for change in changes}

    def test_many_updates_all_land(self, bench: Bench) -> None:
        """A large batch of updates lands on each record."""
        bench.needs_tasks()
        _, pull = _many(bench)
        outcomes = bench.push(*(bench.rewording(seen, f"To {seen.key.id}.") for seen in pull.observed))
        assert [outcome.error for outcome in outcomes if outcome.error] == []
        assert {key: bench.fit("task", doc)[bench.word] for key, doc in bench.everything().items()} == {
            seen.key: f"To {seen.key.id}." for seen in pull.observed
        }


def _many(bench: Bench) -> tuple[set[Key], Pull]:
    """Plant many tasks, and return their keys and the first listing of them."""
    keys = {bench.plant(*bench.plain("task", number)) for number in range(1, MANY + 1)}
    return keys, bench.pull()

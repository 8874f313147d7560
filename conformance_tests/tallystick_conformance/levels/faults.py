"""Faults: what the adapter makes of a backend that throttles, refuses, fails, forgets and repeats itself.

Every check arms a fault plan and makes sure the fault was met. They need the fixture `trouble`.
"""

from collections.abc import Sequence

import pytest

from tallystick_conformance.bench import Bench, as_json
from tallystick_conformance.faults import Fault, FaultPlan, What
from tallystick_contract.adapter import Adapter, Change, Observed, Outcome, Pull
from tallystick_contract.errors import Refused, Stale, TallystickError, Throttled, Unknown

FOR_GOOD = 1_000_000
"""So many times over that no retrying gets past it."""

THROTTLES = pytest.mark.parametrize("what", [What.THROTTLED, What.THROTTLED_SILENTLY], ids=["header", "no-header"])


class Faults:
    """The checks of the level."""

    @THROTTLES
    def test_a_throttled_read_says_so(self, bench: Bench, what: What) -> None:
        """A listing that stays throttled ends in Throttled. It is neither an empty spoke nor a broken one."""
        trouble = bench.trouble(what)
        bench.settled()
        trouble.arm(Fault(what, "read", times=FOR_GOOD))
        with pytest.raises(Throttled):
            bench.open().pull(bench.state)
        assert trouble.met

    @THROTTLES
    def test_a_throttled_write_says_so(self, bench: Bench, what: What) -> None:
        """A write that stays throttled ends in Throttled, raised, and nothing was written."""
        trouble = bench.trouble(what)
        bench.needs_tasks()
        seen = bench.settled()
        before = bench.everything()
        trouble.arm(Fault(what, "write", times=FOR_GOOD))
        with bench.run() as adapter:
            adapter.pull(bench.state)
            with pytest.raises(Throttled):
                adapter.push([bench.rewording(seen, "Written by the engine.")])
        assert (bool(trouble.met), bench.everything()) == (True, before)

    @THROTTLES
    def test_throttling_ends(self, bench: Bench, what: What) -> None:
        """After a throttled run the next one does everything. Remember nothing of the trouble but how long to wait."""
        trouble = bench.trouble(what)
        bench.needs_tasks()
        seen = bench.settled()
        trouble.arm(Fault(what, "read", times=FOR_GOOD))
        with pytest.raises(Throttled):
            bench.open().pull(bench.state)
        trouble.disarm()
        bench.write(bench.rewording(seen, "Written by the engine."))
        assert (bench.text_there(seen.key), bool(trouble.met)) == ("Written by the engine.", True)

    def test_a_refused_write_stops_no_other(self, bench: Bench) -> None:
        """A write the backend does not allow is Refused in its outcome, and the others are done."""
        trouble = bench.trouble(What.REFUSED)
        bench.needs_tasks()
        some = [bench.settled("task", number) for number in (1, 2, 3)]
        trouble.arm(Fault(What.REFUSED, "write", times=FOR_GOOD, key=some[1].key))
        outcomes = bench.push(*(bench.rewording(seen, "Written by the engine.") for seen in some))
        assert [type(outcome.error) for outcome in outcomes] == [type(None), Refused, type(None)]
        assert [bench.text_there(seen.key) == "Written by the engine." for seen in some] == [True, False, True]
        assert trouble.met

    def test_a_refused_listing_concludes_nothing(self, bench: Bench) -> None:
        """A listing that is refused is an error, or incomplete. Nothing is gone because of it."""
        self._unsure(bench, What.REFUSED)

    def test_a_failed_listing_concludes_nothing(self, bench: Bench) -> None:
        """A listing that fails is an error, or incomplete. Nothing is gone because of it."""
        self._unsure(bench, What.FAILED)

    def test_a_page_cut_short_concludes_nothing(self, bench: Bench) -> None:
        """A listing cut short is an error, incomplete, or read to its end. It never shows records as gone."""
        self._unsure(bench, What.TRUNCATED)

    @staticmethod
    def _unsure(bench: Bench, what: What) -> None:
        trouble = bench.trouble(what)
        for number in range(1, 6):
            bench.settled("task", number)
        for full in (False, True):
            trouble.arm(Fault(what, "read", times=FOR_GOOD))
            pull = _tried(bench, full=full)
            trouble.disarm()
            assert pull is None or list(pull.gone) == []
            assert pull is None or not pull.complete or pull.total == 5, "cut short, and called complete"
        assert trouble.met

    def test_after_a_page_cut_short_nothing_is_missed(self, bench: Bench) -> None:
        """What a listing cut short did not show is listed by the next. Move the cursor past what was read only."""
        trouble = bench.trouble(What.TRUNCATED)
        keys = {bench.plant(*bench.plain("task", number)) for number in range(1, 6)}
        trouble.arm(Fault(What.TRUNCATED, "read"))
        told = {seen.key for seen in _pulled(bench)}
        trouble.disarm()
        told |= {seen.key for seen in _pulled(bench)}
        assert (told, bool(trouble.met)) == (keys, True)

    def test_a_record_listed_twice_counts_once(self, bench: Bench) -> None:
        """A record that stands on two pages is listed and counted once."""
        trouble = bench.trouble(What.REPLY_DOUBLED)
        keys = {bench.plant(*bench.plain("task", number)) for number in (1, 2, 3)}
        trouble.arm(Fault(What.REPLY_DOUBLED, "read"))
        pull = bench.pull()
        assert (sorted(seen.key for seen in pull.observed), pull.total) == (sorted(keys), 3)
        assert trouble.met

    def test_a_create_carried_out_twice_stands_once_for_the_engine(self, bench: Bench) -> None:
        """A create the backend carried out twice is one record: one copy stands, or the double is told."""
        trouble = bench.trouble(What.REPLY_DOUBLED)
        bench.needs_tasks()
        trouble.arm(Fault(What.REPLY_DOUBLED, "write"))
        change = bench.creation(*bench.plain("task"))
        bench.push(change)
        trouble.disarm()
        pull = bench.open().pull({}, full=True)
        copies = sum(1 for key, _ in bench.peek() if key == change.key)
        assert [seen.key for seen in pull.observed] == [change.key]
        assert copies == 1 or pull.quarantined or pull.findings, "a double stands there and nobody says so"
        assert trouble.met

    @pytest.mark.parametrize("what", [What.REPLY_LOST, What.FAILED], ids=["after-the-write", "before-the-write"])
    @pytest.mark.parametrize("op", ["create", "update", "delete"])
    def test_an_unclear_write_is_not_done_twice(self, bench: Bench, op: str, what: What) -> None:
        """A write whose outcome is unclear is looked up or Unknown, and stands once after it is tried again."""
        trouble = bench.trouble(what)
        bench.needs_deletion() if op == "delete" else bench.needs_tasks()
        change = _some(bench, op)
        trouble.arm(Fault(what, "write"))
        told = _pushed(bench, change)
        trouble.disarm()
        assert trouble.met
        if told.error is None:
            assert (bench.there(change.key) is None) is (op == "delete"), "told as done, and it is not"
        else:
            assert isinstance(told.error, Unknown), f"wanted Unknown, got {told.error!r}"
        (again,) = bench.push(change)
        assert again.error is None or isinstance(again.error, Stale), again.error
        assert bench.text_there(change.key) == (None if op == "delete" else change.image[bench.word])

    def test_a_write_with_a_lost_reply_is_found_by_the_next_pull(self, bench: Bench) -> None:
        """A create whose reply was lost is listed by the next run that looks, so that it is never posted again."""
        trouble = bench.trouble(What.REPLY_LOST)
        bench.needs_tasks()
        trouble.arm(Fault(What.REPLY_LOST, "write"))
        change = _some(bench, "create")
        _pushed(bench, change)
        trouble.disarm()
        assert (list(bench.listed()), bool(trouble.met)) == ([change.key], True)

    def test_a_lost_create_before_another_one_is_found(self, bench: Bench) -> None:
        """A create whose reply was lost is not posted again because a later one of the same run was answered."""
        trouble = bench.trouble(What.REPLY_LOST)
        bench.needs_tasks()
        changes = [bench.creation(*bench.plain("task", number)) for number in (1, 2)]
        trouble.arm(Fault(What.REPLY_LOST, "write", key=changes[0].key))
        with bench.run() as adapter:
            adapter.pull(bench.state)
            for change in changes:
                _tried_to_push(adapter, change)
        trouble.disarm()
        for outcome in bench.push(*changes):
            assert isinstance(outcome.error, Stale | None), outcome.error
        assert (sorted(bench.everything()), bool(trouble.met)) == ([change.key for change in changes], True)

    def test_a_write_between_check_and_write_is_not_lost(self, bench: Bench) -> None:
        """An edit that lands between the adapter's last look and its write is kept, or the loss is told."""
        trouble = bench.trouble(What.MEDDLED)
        bench.needs_tasks()
        seen = bench.settled()
        theirs = "Edited by somebody else."
        trouble.arm(Fault(What.MEDDLED, "write", act=lambda: bench.reword(seen, theirs)))
        told = _pushed(bench, bench.rewording(seen, "Written by the engine."))
        assert trouble.met
        assert isinstance(told.error, Stale | Unknown), "an edit was overwritten, and nobody said so"
        if bench.capabilities.revisions == "checked":
            assert bench.text_there(seen.key) == theirs

    def test_an_edit_while_listing_is_not_missed(self, bench: Bench) -> None:
        """A record that changes while pages are read is told as it is, by this pull or the next."""
        trouble = bench.trouble(What.MEDDLED)
        for number in range(1, 6):
            bench.settled("task", number)
        seen = bench.listed()[bench.plain("task", 3)[0]]
        trouble.arm(Fault(What.MEDDLED, "read", act=lambda: bench.reword(seen, "Edited while listing.")))
        told = [*_pulled(bench), *_pulled(bench)]
        assert [bench.fit("task", again.image)[bench.word] for again in told] == ["Edited while listing."]
        assert trouble.met

    def test_no_secret_is_told(self, bench: Bench) -> None:
        """No error, finding or state shows the token or password. Redact where messages are made."""
        trouble = bench.trouble(What.REFUSED, What.FAILED)
        if not trouble.secret:
            bench.skip("the fault plan names no secret the adapter was given")
        told = [repr(bench.pull()), str(bench.state), bench.adapter.scope(), repr(bench.open().check())]
        faults = (Fault(What.REFUSED, "read", times=FOR_GOOD), Fault(What.FAILED, "read", times=FOR_GOOD))
        told += [_complaint(bench.open(), trouble, fault) for fault in faults]
        assert [text for text in told if trouble.secret in text] == []


def _tried(bench: Bench, *, full: bool = False) -> Pull | None:
    """Return what one run was told, and keep its state; None where it was told that the spoke cannot be read."""
    adapter = bench.open()
    try:
        pull = adapter.pull(bench.state, full=full)
    except TallystickError:
        return None
    bench.state = as_json(adapter.state())
    return pull


def _pulled(bench: Bench) -> Sequence[Observed]:
    pull = _tried(bench)
    return pull.observed if pull else ()


def _some(bench: Bench, op: str) -> Change:
    if op == "create":
        return bench.creation(*bench.plain("task", 2))
    seen = bench.settled("task", 2)
    return bench.deletion(seen) if op == "delete" else bench.rewording(seen, "Written by the engine.")


def _pushed(bench: Bench, change: Change) -> Outcome:
    """Return what became of one change; an error that was raised counts as its outcome."""
    adapter = bench.open()
    adapter.pull(bench.state)
    return _tried_to_push(adapter, change)


def _tried_to_push(adapter: Adapter, change: Change) -> Outcome:
    try:
        (outcome,) = adapter.push([change])
    except TallystickError as error:
        return Outcome(change.key, error=error)
    return outcome


def _complaint(adapter: Adapter, trouble: FaultPlan, fault: Fault) -> str:
    """Return everything an adapter says when a read goes wrong, causes included."""
    trouble.arm(fault)
    try:
        return repr(adapter.pull({}, full=True))
    except TallystickError as error:
        return f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    finally:
        trouble.disarm()

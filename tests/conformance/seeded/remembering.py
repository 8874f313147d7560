"""Reference spokes that list badly, or remember the wrong things from one run to the next."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import ClassVar

from tallystick_conformance.reference import Reference
from tallystick_contract.adapter import Change, Key, Outcome, Pull, Quarantined, SpokeState
from tallystick_contract.errors import TallystickError


class ListsTheDeltaInFull(Reference):
    """Answers a full pull from what is remembered."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        return super().pull(state, full=full and not state)


class RemembersOnTheSide(Reference):
    """Compares with what it saw last, whatever state it is given."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        aside = vars(self.store)
        pull = super().pull(aside.get("last", state), full=full)
        aside["last"] = self.state()
        return pull


class KeepsItsListing(Reference):
    """Reads the store once in a run."""

    _listing: Pull | None = None

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        if self._listing is None or full:
            self._listing = super().pull(state, full=full)
        return self._listing


class CountsTheDelta(Reference):
    """Counts what it lists instead of what is there."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        return replace(pull, total=len(pull.observed))


class TellsGoneForEver(Reference):
    """Keeps what is gone among what it knows."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        self._known |= dict.fromkeys(pull.gone, "")
        return pull


class NeverTellsGone(Reference):
    """Lists what is there and forgets what was."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        return replace(super().pull(state, full=full), gone=())


class TakesUnreadableForGone(Reference):
    """Leaves what it cannot read out of the listing."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        return replace(pull, gone=[*pull.gone, *(bad.key for bad in pull.quarantined if bad.key)], quarantined=())


class StumblesOverOne(Reference):
    """Cannot read anything when it cannot read one record."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        if pull.quarantined:
            raise TallystickError("a record cannot be read")
        return pull


class WritesOverTheUnreadable(Reference):
    """Writes over what it could not read."""

    def _apply(self, change: Change) -> Outcome:
        self.store.unreadable.discard(change.key)
        return super()._apply(change)


class NeverForgives(Reference):
    """Looks no more at a record that could not be read once."""

    _bad: Sequence[Key] = ()

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        known = {Key(*pair) for pair in state.get("bad", ())}
        self._bad = sorted(known | {one.key for one in pull.quarantined if one.key})
        rest = [seen for seen in pull.observed if seen.key not in self._bad]
        return replace(pull, observed=rest, quarantined=[Quarantined(key.id, "was bad", key) for key in self._bad])

    def state(self) -> SpokeState:
        return {**super().state(), "bad": [list(key) for key in self._bad]}


class ForgetsItsWrites(Reference):
    """Remembers what it pulled and not what it pushed."""

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        before = dict(self._known)
        outcomes = super().push(changes)
        self._known = before
        return outcomes


class RemembersTooMuch(Reference):
    """Takes what others wrote meanwhile into the state, unseen."""

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes = super().push(changes)
        self.pull({})
        return outcomes


class RemembersByNumber(Reference):
    """Remembers under numbers, which JSON gives back as texts."""

    def state(self) -> SpokeState:
        return {**super().state(), "cursor": {1: 2}}


class WritesWhileReading(Reference):
    """Leaves a mark on everything it has read."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        for seen in pull.observed:
            self.store.records[seen.key].setdefault("extensions", {"x-read": True})
        return pull


class IsElsewhereEachTime(Reference):
    """Names its scope anew in every run."""

    _numbers: ClassVar = count()

    def scope(self) -> str:
        return f"{self.store.scope} {next(self._numbers)}"

"""Adapters of the hostile tracker that take it at its word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from unittest.mock import ANY

from tallystick_conformance.hostile import codec, tracker
from tallystick_conformance.hostile.adapter import Hostile
from tallystick_conformance.hostile.tracker import Answer, Entry, Shelf
from tallystick_contract.adapter import Change, Key, Observed, Outcome, Pull, SpokeState
from tallystick_contract.errors import Broken, Refused, Throttled, Unknown


class ReadsOnePage(Hostile):
    """Stops at the first page, and looks up only what it knew."""

    def _listed(self, shelf: Shelf, known: Mapping[str, object]) -> tuple[dict[int, Entry], bool]:
        whole, _ = super()._listed(shelf, known)
        page = self._tracker.page(shelf, 1).body or ()
        return {entry["number"]: whole[entry["number"]] for entry in page}, True


class BelievesTheListing(Hostile):
    """Takes what a listing does not show for gone, and looks nowhere else."""

    def _listed(self, shelf: Shelf, known: Mapping[str, object]) -> tuple[dict[int, Entry], bool]:
        whole, _ = super()._listed(shelf, known)
        listed = {entry["number"] for entry in _pages(self, shelf)}
        return {number: entry for number, entry in whole.items() if number in listed}, True


class TakesFailureForNothing(Hostile):
    """Reads an error page as an empty listing."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        try:
            return super().pull(state, full=full)
        except Broken:
            return Pull(gone=[Key(kind, ident) for kind, ident, _ in state.get("entries", {}).values()])


class CountsDoubles(Hostile):
    """Counts what pages show, twice if they show it twice."""

    _doubles = 0

    def _listed(self, shelf: Shelf, known: Mapping[str, object]) -> tuple[dict[int, Entry], bool]:
        listed = [entry["number"] for entry in _pages(self, shelf)]
        self._doubles += len(listed) - len(set(listed))
        return super()._listed(shelf, known)

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        return replace(pull, total=pull.total + self._doubles)


class BelievesTheClock(Hostile):
    """Lists what changed after the newest time it has seen."""

    _since = ""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        self._since = state.get("since", "")
        pull = super().pull(state, full=full)
        fresh = [seen for seen in pull.observed if full or self._tracker.clock > self._since]
        return replace(pull, observed=fresh)

    def state(self) -> SpokeState:
        return {**super().state(), "since": self._tracker.clock}


class ComparesTimes(Hostile):
    """Takes the time of the last change for the revision."""

    def _observed(self, entry: Entry, key: Key, kept: Key | None = None) -> Observed:
        return replace(super()._observed(entry, key, kept), revision=entry["updated"])


class CreatesBlindly(Hostile):
    """Posts without looking whether it is there."""

    def _now(self, key: Key) -> Entry | None:
        return super()._now(key) if key in self._numbers else None

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        known = {Key(kind, ident) for kind, ident, _ in state.get("entries", {}).values()}
        self._numbers = {key: number for key, number in self._numbers.items() if key in known}
        return pull


class LooksAheadOnly(Hostile):
    """Looks for what is not listed beyond the highest number it knows, and nowhere below."""

    def _listed(self, shelf: Shelf, known: Mapping[str, object]) -> tuple[dict[int, Entry], bool]:
        numbers = [int(native[1:]) for native in known if native[0] == codec.NATIVE[shelf]]
        self._read_to[shelf] = max([self._read_to[shelf], *numbers])
        return super()._listed(shelf, known)


class WritesWithoutCondition(Hostile):
    """Reads again, and then writes whatever happened in between."""

    def _now(self, key: Key) -> Entry | None:
        entry = super()._now(key)
        return entry if entry is None else {**entry, "version": ANY}


class TakesLostForDone(Hostile):
    """Takes a write without an answer for done."""

    def _tried(self, change: Change) -> Outcome:
        outcome = super()._tried(change)
        if not isinstance(outcome.error, Unknown):
            return outcome
        return Outcome(change.key, Observed(change.key, "#0", "", change.image) if change.op != "delete" else None)


class TakesThrottledForDone(Hostile):
    """Leaves a write that is throttled for later, and says nothing."""

    def _tried(self, change: Change) -> Outcome:
        try:
            return super()._tried(change)
        except Throttled:
            return Outcome(change.key)


class TakesThrottledForBroken(Hostile):
    """Knows one way in which a listing can fail."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        try:
            return super().pull(state, full=full)
        except Throttled as error:
            raise Broken(error.what, error.where) from error


class GivesUpWhenRefused(Hostile):
    """Takes one refusal for the end of everything."""

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes = []
        for change in changes:
            outcomes.append(outcome := self._tried(change))
            if isinstance(outcome.error, Refused):
                raise Broken("the tracker refuses", change.key.id)
        return outcomes


class TellsTheToken(Hostile):
    """Repeats what an error page says."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        answer = self._tracker.page("tickets", 1)
        if answer.status in {tracker.FORBIDDEN, tracker.BAD_GATEWAY}:
            raise Broken(f"the tracker says: {answer.body}")
        return super().pull(state, full=full)


class ReadsLabelsForStatus(Hostile):
    """Guesses a status from any label that looks like one."""

    def _observed(self, entry: Entry, key: Key, kept: Key | None = None) -> Observed:
        seen = super()._observed(entry, key, kept)
        guessed = {"status": "completed"} if "status:done" in seen.image.get("labels", ()) else {}
        return replace(seen, image={**seen.image, **guessed})


class ForgetsItsMarker(Hostile):
    """Gives every ticket it finds the name of its number."""

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        pull = super().pull(state, full=full)
        renamed = [replace(seen, key=Key(seen.key.kind, f"tracker-{seen.native}")) for seen in pull.observed]
        return replace(pull, observed=renamed)


class WritesComments(Hostile):
    """Declares comments of people read-only, and writes them."""

    def _tried(self, change: Change) -> Outcome:
        if change.key.kind != "event":
            return super()._tried(change)
        entry = self._tracker.create("comments", {"body": change.image["payload"]["text"]}).body
        return Outcome(change.key, Observed(change.key, f"c{entry['number']}", "1", change.image))


def _pages(adapter: Hostile, shelf: Shelf) -> Iterator[Entry]:
    """Yield what the listing shows, as it shows it."""
    page: int | None = 1
    while page is not None:
        answer: Answer = adapter._tracker.page(shelf, page)
        yield from answer.body if answer.status == tracker.OK else ()
        page = answer.next

"""Reference spokes that keep their word badly: preconditions, outcomes, ids and revisions."""

from collections.abc import Sequence
from dataclasses import replace

from tallystick_conformance.reference import Reference
from tallystick_contract.adapter import Change, Key, Observed, Outcome
from tallystick_contract.canonical import canonical_json, digest

# Preconditions


class IgnoresTheRevision(Reference):
    """Updates whatever stands there."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "update" and change.key in self.store.records:
            change = replace(change, expect=self._observed(change.key).revision)
        return super()._apply(change)


class DeletesWhatMoved(Reference):
    """Deletes whatever stands there."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "delete" and change.key in self.store.records:
            change = replace(change, expect=self._observed(change.key).revision)
        return super()._apply(change)


class CreatesOverAnother(Reference):
    """Creates over a task that has the id already."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "create" and change.key.kind == "task":
            self.store.records.pop(change.key, None)
        return super()._apply(change)


class RewritesEvents(Reference):
    """Takes a second event of one id for a correction."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "create" and change.key.kind == "event":
            self.store.records.pop(change.key, None)
        return super()._apply(change)


class BringsBackTheDead(Reference):
    """Updates a record that is gone by creating it."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "update" and change.key not in self.store.records:
            change = replace(change, op="create", expect=None, fields=change.image)
        return super()._apply(change)


class TrustsTheSize(Reference):
    """Takes texts of one length for one text."""

    def _observed(self, key: Key) -> Observed:
        seen = super()._observed(key)
        return replace(seen, revision=str(len(canonical_json(seen.image))))


# Writes and outcomes


class WritesTheWholeImage(Reference):
    """Writes the image instead of the fields."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "update" and change.key in self.store.records:
            gone = dict.fromkeys(self.store.records[change.key].keys() - change.image.keys())
            change = replace(change, fields={**gone, **change.image})
        return super()._apply(change)


class WritesNothing(Reference):
    """Answers a create as if it were done."""

    def _apply(self, change: Change) -> Outcome:
        if change.op == "create" and change.key not in self.store.records:
            return Outcome(change.key, Observed(change.key, change.key.id, "1", change.image))
        return super()._apply(change)


class ShowsWhatWasAsked(Reference):
    """Answers with the image of the change, not with what stands there."""

    def _apply(self, change: Change) -> Outcome:
        outcome = super()._apply(change)
        return outcome if outcome.shown is None else Outcome(change.key, replace(outcome.shown, image=change.image))


class ShowsWhatWasThere(Reference):
    """Answers an update with the record as it was before."""

    def _apply(self, change: Change) -> Outcome:
        before = self._observed(change.key) if change.key in self.store.records else None
        outcome = super()._apply(change)
        return Outcome(change.key, before) if outcome.shown and before else outcome


class StopsAtTheFirstFailure(Reference):
    """Raises what belongs into an outcome."""

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes = []
        for change in changes:
            outcomes.append(outcome := self._apply(change))
            if outcome.error is not None and len(changes) > 1:
                raise outcome.error
        return outcomes


class AnswersInItsOwnOrder(Reference):
    """Writes and answers sorted by key."""

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        return super().push(sorted(changes, key=lambda change: change.key))


class SwallowsFailures(Reference):
    """Answers as if nothing had been wrong."""

    def _apply(self, change: Change) -> Outcome:
        outcome = super()._apply(change)
        there = change.key in self.store.records
        return Outcome(change.key, self._observed(change.key) if there else None) if outcome.error else outcome


class ErrsWithoutAWord(Reference):
    """Answers with an error that says nothing."""

    def _apply(self, change: Change) -> Outcome:
        outcome = super()._apply(change)
        return Outcome(change.key, error=type(outcome.error)("failed")) if outcome.error else outcome


class DeletesEvidenceToo(Reference):
    """Takes the evidence of a task along with it."""

    def _apply(self, change: Change) -> Outcome:
        outcome = super()._apply(change)
        if change.op == "delete" and outcome.error is None:
            about = [key for key, doc in self.store.records.items() if doc.get("target") == change.key.id]
            for key in about:
                del self.store.records[key]
        return outcome


# Identity


class LowersIds(Reference):
    """Has a store that does not tell upper from lower case."""

    def _apply(self, change: Change) -> Outcome:
        low = Key(change.key.kind, change.key.id.lower())
        taken = next((key for key in self.store.records if Key(key.kind, key.id.lower()) == low), change.key)
        return super()._apply(replace(change, key=taken))


class MixesKinds(Reference):
    """Looks evidence up by its id alone."""

    def _apply(self, change: Change) -> Outcome:
        if change.key.kind == "evidence" and Key("task", change.key.id) in self.store.records:
            change = replace(change, key=Key("task", change.key.id))
        return super()._apply(change)


# Revisions


class SharesOneRevision(Reference):
    """Has one revision for the whole store."""

    def _observed(self, key: Key) -> Observed:
        every = sorted((*one, dict(doc)) for one, doc in self.store.records.items())
        return replace(super()._observed(key), revision=digest(canonical_json(every)))


class NeverMoves(Reference):
    """Has the same revision for ever."""

    def _observed(self, key: Key) -> Observed:
        return replace(super()._observed(key), revision="1")

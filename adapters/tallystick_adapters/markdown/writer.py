"""Writing notes: one group of changes to one note at a time, checked against what the note holds at that moment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tallystick_contract.adapter import Change, Key, Observed, Outcome
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Broken, Invalid, Refused, Stale, TallystickError, Unsupported

from . import codec, edits
from .codec import Note
from .index import UNSETTLED, Index, Signed, revisions
from .names import stem_of
from .survey import Revisions, task_of
from .vault import PROJECT_NOTE, Vault, decoded


@dataclass(frozen=True, slots=True)
class _Opened:
    """A note as it is on disk now."""

    data: bytes
    signature: Signed
    note: Note


class Writer:
    """Writes into one vault and keeps its index right. The caller holds the vault's lock."""

    def __init__(self, vault: Vault, index: Index) -> None:
        self._vault = vault
        self._index = index

    def write(self, path: str, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Make the changes to the note at `path`, which is created if there is none; one outcome per change."""
        if path not in self._index.entries:
            return self._create(path, changes)
        task = task_of(revisions(self._index.entries[path]))
        opened = self._open(path, task)
        if isinstance(opened, TallystickError):
            return [Outcome(change.key, error=opened) for change in changes]
        return self._amend(path, opened, task, changes)

    def identify(self, path: str, key: Key) -> Observed | None:
        """Write the id line into the note of `key`; None if the note has changed too much, and the next run sees."""
        opened = self._open(path, key)
        if isinstance(opened, TallystickError):
            return None
        marked = Change("update", key, codec.revision(opened.note.task or {}), {}, {})
        return self._amend(path, opened, key, [marked])[0].shown

    def _open(self, path: str, task: Key | None) -> _Opened | TallystickError:
        """Read the note of a task (None: the project's) as it is now; the error if it is not that any more."""
        try:
            data, signature = self._vault.read(path)
            note = codec.parse(decoded(data), stem_of(path))
        except FileNotFoundError:
            return Stale("the note is not there any more", where=path)
        except Invalid as error:
            return Stale(f"the note cannot be read any more: {error}", where=path)
        except Broken as error:
            return Refused(error.what, where=path, todo=error.todo, code="unreadable")
        if note is None or (note.id and Key("task", note.id) != task) or (note.task is None) != (task is None):
            return Stale("the note is another's by now", where=path)
        return _Opened(data, signature, note)

    def _create(self, path: str, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        images: dict[Key, Doc] = {}
        for change in changes:
            outcome = self._drafted(path, change)
            if outcome.shown is not None:
                images[change.key] = outcome.shown.image
            outcomes.append(outcome)
        task = next((key for key in images if key.kind == "task"), None)
        if not images:
            return outcomes
        if task is None and path != PROJECT_NOTE:
            orphaned = Stale("its task was not written", where=path)
            return [Outcome(one.key, error=one.error or orphaned) for one in outcomes]
        text = edits.draft((task.id, images[task]) if task else None, _of("evidence", images), _of("event", images))
        try:
            signature = self._vault.create(path, text)
        except TallystickError as error:
            return [Outcome(one.key, error=one.error or _lasting(error)) for one in outcomes]
        shown = [one.shown for one in outcomes if one.shown is not None]
        self._index.remember(path, signature, {one.key: one.revision for one in shown})
        return outcomes

    @staticmethod
    def _drafted(path: str, change: Change) -> Outcome:
        """Return what a new note will show of a change."""
        error = edits.refusal(change, {})
        if error is not None or change.op != "create":
            return Outcome(change.key, error=error)
        try:
            return Outcome(change.key, shown=Observed(change.key, path, codec.revision(change.image), change.image))
        except Invalid as invalid:
            return Outcome(change.key, error=Unsupported(invalid.what, where=change.key.id, todo=invalid.todo))

    def _amend(self, path: str, opened: _Opened, task: Key | None, changes: Sequence[Change]) -> Sequence[Outcome]:
        before = opened.note
        amended = edits.amend(before, task, changes)
        errors: dict[int, TallystickError] = dict(amended.errors)
        try:
            if amended.text is None or _deletes(task, changes, errors):
                return self._remove(path, opened, amended.text, changes, errors)
            after = before if amended.text == before.text else codec.parse(amended.text, stem_of(path))
            shown = {} if after is None else codec.records(after, task)
            fresh = {key: codec.revision(image) for key, image in shown.items()}
            signature = opened.signature
            if amended.text != before.text:
                signature = self._vault.replace(path, amended.text, opened.data)
        except TallystickError as error:
            return [Outcome(change.key, error=errors.get(at) or _lasting(error)) for at, change in enumerate(changes)]
        made = {change.key for at, change in enumerate(changes) if at not in errors}
        self._settle(path, signature, made, fresh)
        return [
            Outcome(change.key, error=errors[at])
            if at in errors
            else Outcome(change.key, shown=_observed(change.key, path, fresh, shown))
            for at, change in enumerate(changes)
        ]

    def _settle(self, path: str, signature: Signed, made: set[Key], fresh: Revisions) -> None:
        """Remember a note after a write.

        What we did not write stays as it was last observed, so that an edit nobody has seen yet is still seen.
        """
        known = revisions(self._index.entries[path])
        records = {key: revision for key, revision in known.items() if key not in made}
        records |= {key: fresh[key] for key in made if key in fresh}
        self._index.forget(known.keys() - records.keys())
        self._index.remember(path, signature if records == fresh else UNSETTLED, records)

    def _remove(
        self,
        path: str,
        opened: _Opened,
        rest: str | None,
        changes: Sequence[Change],
        errors: Mapping[int, TallystickError],
    ) -> Sequence[Outcome]:
        """Delete a task's note, or leave what people wrote in it; its other records move to the project's note."""
        made = {change.key: change for at, change in enumerate(changes) if at not in errors}
        moved = self._move(path, edits.left_over(opened.note, made), made)
        if rest is None:
            self._vault.remove(path, opened.data)
            del self._index.entries[path]
        else:
            self._index.remember(path, self._vault.replace(path, rest, opened.data), {})
        return [
            Outcome(change.key, error=errors[at]) if at in errors else moved.get(change.key, Outcome(change.key))
            for at, change in enumerate(changes)
        ]

    def _move(self, path: str, left: Mapping[Key, Doc], made: Mapping[Key, Change]) -> Mapping[Key, Outcome]:
        """Write what is left over of a note into the project's note; the next pull observes what nobody asked for."""
        self._index.forget(revisions(self._index.entries[path]))
        if not left:
            return {}
        moves = [Change("create", key, None, image, image) for key, image in left.items()]
        moved = {one.key: one for one in self.write(PROJECT_NOTE, moves)}
        known = revisions(self._index.entries.get(PROJECT_NOTE))
        asked = {key: revision for key, revision in known.items() if key in made or key not in left}
        self._index.remember(PROJECT_NOTE, UNSETTLED, asked)
        return moved


def _of(kind: str, images: Mapping[Key, Doc]) -> Iterable[tuple[str, Doc]]:
    return ((key.id, image) for key, image in images.items() if key.kind == kind)


def _deletes(task: Key | None, changes: Sequence[Change], errors: Mapping[int, TallystickError]) -> bool:
    return any(one.key == task and one.op == "delete" and at not in errors for at, one in enumerate(changes))


def _lasting(error: TallystickError) -> TallystickError:
    """Return what one note's failure means for its changes: only this note's."""
    if isinstance(error, Broken):
        return Refused(error.what, where=error.where, todo=error.todo, code="unwritable")
    if isinstance(error, Invalid):
        return Unsupported(f"a note cannot hold this: {error.what}", where=error.where, todo=error.todo)
    return error


def _observed(key: Key, path: str, fresh: Revisions, shown: Mapping[Key, Doc]) -> Observed | None:
    return Observed(key, path, fresh[key], shown[key]) if key in shown else None

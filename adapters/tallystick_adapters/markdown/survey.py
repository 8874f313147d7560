"""Who is who in a vault: which note shows which record, what is new, what is gone, what cannot be read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tallystick_contract.adapter import Finding, Key, Observed, Quarantined
from tallystick_contract.errors import Invalid

from . import codec
from .codec import Note
from .names import minted, stem_of

type Revisions = Mapping[Key, str]
"""The records one note showed, with their revisions."""

type Shown = Mapping[tuple[str, str], tuple[str, str]]
"""By key, the note a record stands in and its revision."""


@dataclass(slots=True)
class Survey:
    """What reading some notes led to. `records` is per note, to be remembered; notes in `again` must be read again."""

    observed: list[Observed] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    records: dict[str, Revisions] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    unmarked: dict[str, Key] = field(default_factory=dict)


def task_of(records: Revisions) -> Key | None:
    """Return the task among the records of a note."""
    return next((key for key in records if key.kind == "task"), None)


def survey(
    spoke: str,
    known: Mapping[str, Revisions],
    unread: Shown,
    read: Mapping[str, Note | Invalid | None],
    *,
    everything: bool,
) -> Survey:
    """Find out what the notes just read show.

    `known` is what these and the missing notes showed before, `unread` what the unchanged ones still show; with
    `everything`, records that did not change are observed as well.
    """
    result = Survey()
    homes = {key: path for path, records in known.items() for key in records}
    named = {path: _task_key(spoke, path, note, known.get(path, {})) for path, note in read.items()}
    copies = _copies(homes, unread, named)
    taken: dict[Key, tuple[str, str]] = {}
    order = sorted(read, key=lambda path: (path not in known, path))
    for path in order:
        note, before = read[path], known.get(path, {})
        task = named[path]
        if note is None and before:
            note = Invalid(
                "its frontmatter is gone", where="line 1", todo="put it back, or delete the note to delete the task"
            )
        if path in copies:
            note = Invalid(f"has the same id as {copies[path]}", todo="give the copy an id of its own, or delete it")
        if isinstance(note, Invalid):
            _set_aside(result, path, note, before, task)
        elif note is None:
            result.records[path] = {}
        else:
            _take(result, path, note, before, task, unread=unread, taken=taken)
            if note.task is not None and not note.id and task is not None:
                result.unmarked[path] = task
                result.again.add(path)  # until its id is written, whatever stops this run
    changed = _changed(homes, known, result, everything=everything)
    result.observed = [one for one in result.observed if changed(one)]
    return result


def _changed(
    homes: Mapping[Key, str], known: Mapping[str, Revisions], result: Survey, *, everything: bool
) -> Callable[[Observed], bool]:
    def differs(one: Observed) -> bool:
        home = homes.get(one.key)
        moved = home != one.native or known[home].get(one.key) != one.revision
        return everything or moved or result.unmarked.get(one.native) == one.key

    return differs


def _task_key(spoke: str, path: str, note: Note | Invalid | None, before: Revisions) -> Key | None:
    """Return the key of a note's task: its own id, else the id it had, else one from its file name."""
    if not isinstance(note, Note):
        return task_of(before)
    if note.task is None:
        return None
    return Key("task", note.id) if note.id else task_of(before) or Key("task", minted(spoke, stem_of(path)))


def _copies(homes: Mapping[Key, str], unread: Shown, named: Mapping[str, Key | None]) -> dict[str, str]:
    """Return the notes that show a task which another note shows, with that other's path; the linked path wins."""
    claims: dict[Key, list[str]] = {}
    for path, key in named.items():
        if key is not None:
            claims.setdefault(key, []).append(path)
    copies: dict[str, str] = {}
    for key, paths in claims.items():
        home = homes.get(key)
        if key in unread:
            home = unread[key][0]
            paths.append(home)
        if len(paths) > 1:
            for path in paths:
                others = [home] if home in paths else sorted(set(paths) - {path})
                if path != home:
                    copies[path] = " and ".join(str(other) for other in others)
    return copies


def _set_aside(result: Survey, path: str, error: Invalid, before: Revisions, task: Key | None) -> None:
    place = f"{error.where}: " if error.where else ""
    advice = f" ({error.todo})" if error.todo else ""
    result.quarantined.append(Quarantined(path, f"{path}: {place}{error.what}{advice}", task_of(before) or task))
    result.records[path] = dict(before)
    result.again.add(path)


def _take(
    result: Survey, path: str, note: Note, before: Revisions, task: Key | None, *,
    unread: Shown, taken: dict[Key, tuple[str, str]],
) -> None:  # fmt: skip
    """Take the records of a note that could be read; those of its blocks that could not be are set aside."""
    try:
        shown = {key: (codec.revision(image), image) for key, image in codec.records(note, task).items()}
    except Invalid as error:
        _set_aside(result, path, error, before, task)
        return
    records: dict[Key, str] = {}
    for key, (revision, image) in shown.items():
        other = unread.get(key) or taken.setdefault(key, (path, revision))
        if other == (path, revision):
            records[key] = revision
            result.observed.append(Observed(key, path, revision, image))
        elif other[1] != revision:
            reason = f"{path}: {key.kind} {key.id} stands in {other[0]} as well, and differs"
            result.quarantined.append(Quarantined(path, reason, key))
    result.findings += [Finding(one.code, one.what, f"{path}, line {one.line}") for one in note.remarks]
    broken = [stray.key for stray in note.strays if stray.key is not None and stray.key not in records]
    if note.strays:
        broken += [key for key in before if key.kind != "task" and key not in records and key not in broken]
    for key in broken:
        reason = f"{path}: {key.kind} {key.id} cannot be read any more (put its text right)"
        result.quarantined.append(Quarantined(path, reason, key))
        result.again.add(path)
        if key in before:
            records[key] = before[key]
    result.records[path] = records

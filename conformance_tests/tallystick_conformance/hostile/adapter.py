"""The adapter of the tracker: believes no clock, no listing and no reply, and writes to no ticket that has moved."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tallystick_conformance.hostile import codec, tracker
from tallystick_conformance.hostile.tracker import Answer, Entry, Shelf, Tracker
from tallystick_contract.adapter import Change, Health, Key, Observed, Outcome, Pull, Quarantined, SpokeState
from tallystick_contract.canonical import Doc, digest, normalise_text
from tallystick_contract.capabilities import Capabilities
from tallystick_contract.errors import Broken, Invalid, Refused, Stale, TallystickError, Throttled, Unknown, Unsupported
from tallystick_contract.fields import sparse

SHELF: Final[Mapping[str, Shelf]] = {"task": "tickets", "evidence": "comments", "event": "comments"}
SHELVES: Final[Sequence[Shelf]] = ("tickets", "comments")

CAPABILITIES: Final = Capabilities(
    codec.PLACES, absence="ask", revisions="checked", marker="last line of the body", read_only=frozenset({"event"})
)


class Hostile:
    """A tracker as a spoke. `name` gives ids to tickets that were born there."""

    def __init__(self, tracker: Tracker, name: str = "tracker") -> None:
        self._tracker = tracker
        self._scope = f"{name}, as {tracker.account}"
        self._names = codec.Names(name, tracker.account)
        self._known: dict[str, tuple[Key, str]] = {}
        self._numbers: dict[Key, int] = {}
        self._heads: dict[Shelf, int] = dict.fromkeys(SHELVES, 0)
        self._read_to: dict[Shelf, int] = dict.fromkeys(SHELVES, 0)
        self._unreadable: dict[Key, str] = {}

    def capabilities(self) -> Capabilities:
        """Return what tickets and comments hold."""
        return CAPABILITIES

    def scope(self) -> str:
        """Return the tracker and the account."""
        return self._scope

    def check(self) -> Health:
        """Ask for one page."""
        try:
            _read(self._tracker.page("tickets", 1), "tickets")
        except TallystickError as error:
            return Health(ready=False, messages=[str(error)])
        return Health(ready=True)

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the document as ticket or comment would show it."""
        return codec.image(key.kind, doc)

    def close(self) -> None:
        """Nothing is held open."""

    def state(self) -> SpokeState:
        """Return key and revision of every entry by its number, and how far the pull has read."""
        entries = {native: [*key, revision] for native, (key, revision) in self._known.items()}
        return {"entries": entries, "read to": self._read_to}

    # Reading

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List every page, look up what should be there and was not listed, and tell what differs from `state`."""
        known = {native: (Key(kind, ident), told) for native, (kind, ident, told) in state.get("entries", {}).items()}
        self._known, self._numbers, self._unreadable = {}, {}, {}
        self._read_to = {shelf: state.get("read to", {}).get(shelf, 0) for shelf in SHELVES}
        found: dict[str, Entry] = {}
        complete = True
        for shelf in SHELVES:
            entries, whole = self._listed(shelf, known)
            complete = complete and whole
            found |= {f"{codec.NATIVE[shelf]}{number}": entry for number, entry in sorted(entries.items())}
        observed: list[Observed] = []
        bad: list[Quarantined] = []
        for native, entry in found.items():
            self._take(native, entry, known, observed, bad)
        there = {key for key, _ in self._known.values()}
        gone = [key for native, (key, _) in known.items() if native not in found and key not in there]
        if not complete:
            self._known = {**known, **self._known}
            gone = []
        changed = [
            seen for seen in observed if full or known.get(seen.native) != (seen.key, seen.revision)
        ]  # fmt: skip
        return Pull(changed, gone, len(found), complete, bad)

    def _take(
        self,
        native: str,
        entry: Entry,
        known: Mapping[str, tuple[Key, str]],
        observed: list[Observed],
        bad: list[Quarantined],
    ) -> None:
        """Read one entry of a listing; what cannot be read, or is there twice, is set aside and keeps its name."""
        key = self._names.key(_shelf(native), entry)
        kept = known[native][0] if native in known else key
        if key in self._numbers:
            bad.append(Quarantined(native, f"a second copy of {key.kind} {key.id}"))
            return
        self._numbers[kept] = entry["number"]
        try:
            seen = self._observed(entry, key, kept)
        except Invalid as error:
            bad.append(Quarantined(native, str(error), kept))
            self._unreadable[kept] = str(error)
            self._known[native] = kept, ""
        else:
            observed.append(self._noted(seen))

    def _listed(self, shelf: Shelf, known: Mapping[str, object]) -> tuple[dict[int, Entry], bool]:
        """Return the entries of a shelf, and whether these are all: listings lag, skip, repeat and end too soon.

        Whatever was there before is looked up, and so is every number that was given since and is not listed.
        """
        found: dict[int, Entry] = {}
        page: int | None = 1
        total = 0
        while page is not None:
            answer = _read(self._tracker.page(shelf, page), shelf)
            found |= {entry["number"]: entry for entry in answer.body}
            total, page = answer.total, answer.next
        unsure = {int(native[1:]) for native in known if _shelf(native) == shelf}
        unsure |= set(range(self._read_to[shelf] + 1, max([0, *found, *unsure])))
        for number in sorted(unsure - found.keys()):
            answer = _read(self._tracker.get(shelf, number), shelf)
            if answer.status == tracker.OK:
                found[number] = answer.body
        self._heads[shelf] = max([self._read_to[shelf], *found])
        found |= {entry["number"]: entry for entry in self._ahead(shelf)}
        self._read_to[shelf] = self._heads[shelf]
        return found, len(found) >= total

    def _ahead(self, shelf: Shelf) -> Iterator[Entry]:
        """Yield the entries beyond the highest number seen: no listing may show them yet."""
        while (answer := _read(self._tracker.get(shelf, self._heads[shelf] + 1), shelf)).status != tracker.MISSING:
            self._heads[shelf] += 1
            if answer.status == tracker.OK:
                yield answer.body

    def _observed(self, entry: Entry, key: Key, kept: Key | None = None) -> Observed:
        """Return an entry as a record; `kept` is the one it was before. Raises `Invalid`."""
        if kept not in {None, key}:
            raise Invalid("its hidden line is gone or damaged")
        shelf = SHELF[key.kind]
        content = {name: entry[name] for name in tracker.BLANK[shelf]}
        text, marker = self._names.parts(shelf, entry)
        if shelf == "tickets":
            image = codec.read_ticket(key, entry, text, marker)
        else:
            tasks = {number: one.id for one, number in self._numbers.items() if one.kind == "task"}
            image = codec.read_comment(key, entry, text, marker, tasks.get(entry["ticket"]))
        native = f"{codec.NATIVE[shelf]}{entry['number']}"
        return Observed(key, native, digest(json.dumps(content, sort_keys=True)), image)

    # Writing

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write one record after the other, each just after reading it again."""
        return [self._tried(change) for change in changes]

    def _tried(self, change: Change) -> Outcome:
        try:
            return Outcome(change.key, self._carry_out(change))
        except (Stale, Refused, Unsupported, Unknown) as error:
            return Outcome(change.key, error=error)

    def _carry_out(self, change: Change) -> Observed | None:
        """Carry out one change and return what the tracker then shows."""
        key = change.key
        if key.kind == "event":
            raise Unsupported("comments of people are read only", key.id)
        if key in self._unreadable:
            raise Refused(self._unreadable[key], key.id, "mend it on the tracker")
        before = self._now(key)
        seen = self._observed(before, key) if before else None
        if change.op == "create" and seen and seen.image == change.image:  # an earlier reply was lost
            return self._noted(seen)
        if change.expect != (seen.revision if seen else None):
            raise Stale("is not what it was", key.id)
        if before is None or seen is None:
            return self._noted(self._observed(self._created(change), key))
        if change.op == "delete":
            _written(self._tracker.delete(SHELF[key.kind], before["number"], before["version"]), key)
            del self._numbers[key], self._known[seen.native]
            return None
        return self._noted(self._observed(self._updated(change, before, seen.image), key))

    def _now(self, key: Key) -> Entry | None:
        """Return the entry of a record as it is now, None where there is none; one nobody has listed yet is found."""
        shelf = SHELF[key.kind]
        if key not in self._numbers:
            for entry in self._ahead(shelf):
                self._numbers.setdefault(self._names.key(shelf, entry), entry["number"])
        if key not in self._numbers:
            return None
        answer = _read(self._tracker.get(shelf, self._numbers[key]), key.id)
        return answer.body if answer.status == tracker.OK and self._names.key(shelf, answer.body) == key else None

    def _created(self, change: Change) -> Entry:
        key = change.key
        if key.kind == "task":
            content = codec.write_ticket(key, change.image, (), {})
        else:
            about = self._numbers.get(Key("task", str(change.image.get("target"))))
            content = {"ticket": about, "body": codec.write_comment(key, change.image)}
        entry: Entry = _written(self._tracker.create(SHELF[key.kind], content), key).body
        self._numbers[key] = entry["number"]
        return entry

    def _updated(self, change: Change, before: Entry, image: Doc) -> Entry:
        """Change an entry step by step, each step only if nobody came between."""
        key, shelf, number = change.key, SHELF[change.key.kind], before["number"]
        doc = sparse(key.kind, {**image, **change.fields})
        if shelf == "tickets":
            content = codec.write_ticket(key, doc, before["labels"], self._names.parts(shelf, before)[1])
        else:
            content = {"body": codec.write_comment(key, doc)}
        labels: list[str] = content.pop("labels", [])
        entry = before
        if changed := {name: item for name, item in content.items() if not _alike(item, before[name])}:
            entry = _written(self._tracker.patch(shelf, number, entry["version"], changed), key).body
        for label in [label for label in before.get("labels", ()) if label not in labels]:
            entry = _written(self._tracker.remove_label(number, entry["version"], label), key).body
        for label in [label for label in labels if label not in before["labels"]]:
            entry = _written(self._tracker.add_label(number, entry["version"], label), key).body
        return entry

    def _noted(self, seen: Observed) -> Observed:
        self._known[seen.native] = seen.key, seen.revision
        return seen


def _shelf(native: str) -> Shelf:
    return "tickets" if native.startswith(codec.NATIVE["tickets"]) else "comments"


def _alike(left: Any, right: Any) -> bool:
    """Tell whether two values mean the same to the tracker, which has line ends of its own."""
    return left == right or (isinstance(left, str) and isinstance(right, str) and left == normalise_text(right))


def _read(answer: Answer, where: str) -> Answer:
    """Return the answer to a read, or raise what it means; never what it says, which may hold the token."""
    if answer.status in {tracker.OK, tracker.MISSING, tracker.GONE}:
        return answer
    if answer.status == tracker.THROTTLED:
        raise _throttled(answer, where)
    raise Broken(f"the tracker answered {answer.status}", where, "run again later")


def _written(answer: Answer, key: Key) -> Answer:
    """Return the answer to a write, or raise what it means."""
    where = f"{key.kind} {key.id}"
    match answer.status:
        case tracker.OK:
            return answer
        case tracker.THROTTLED:
            raise _throttled(answer, where)
        case tracker.CONFLICT | tracker.MISSING | tracker.GONE:
            raise Stale("somebody else was faster", where)
        case tracker.FORBIDDEN:
            raise Refused("the tracker does not allow it", where, "ask for the permission")
        case tracker.UNFIT:
            raise Unsupported("the tracker cannot hold it", where)
        case _:
            raise Unknown("the tracker did not say whether it was done", where, "run again")


def _throttled(answer: Answer, where: str) -> Throttled:
    wait = "a while" if answer.retry_after is None else f"{answer.retry_after:g} s"
    return Throttled("the tracker asks to slow down", where, f"wait {wait}, then run again")

"""The tracker: tickets and comments behind a small paged API, with the habits of real ones.

It numbers tickets and comments itself, turns every line end into CRLF, has a clock that stands in the past and knows
whole seconds only, shows what is new in its listings late, touches a ticket when somebody comments on it, answers a
write it lost exactly as one it carried out, and repeats the token it was sent on its error pages.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tallystick_conformance.faults import Fault, FaultPlan, What
from tallystick_contract.adapter import Key

type Shelf = Literal["tickets", "comments"]
type Entry = dict[str, Any]

PAGE: Final = 7
LAG: Final = 2

OK, GONE, MISSING, CONFLICT, UNFIT, FORBIDDEN, THROTTLED, BAD_GATEWAY = 200, 410, 404, 409, 422, 403, 429, 502

BLANK: Final[Mapping[Shelf, Mapping[str, Any]]] = {
    "tickets": {
        "title": "", "body": "", "state": "open", "reason": "", "labels": (), "assignee": None, "milestone": None,
    },
    "comments": {"ticket": None, "body": ""},
}  # fmt: skip
"""What tickets and comments hold, and what they hold at first."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the tracker answers: a status, what it found, and headers as far as it sends any."""

    status: int
    body: Any = None
    total: int = 0
    next: int | None = None
    retry_after: float | None = None


@dataclass
class Tracker:
    """Tickets and comments by number; `plan` says what goes wrong, `named` tells which record an entry is.

    A number that is None was deleted. `lag` is how many listings of a shelf an entry is missing from that came
    through the API.
    """

    account: str = "tally-bot"
    plan: FaultPlan = field(default_factory=FaultPlan)
    named: Callable[[Shelf, Entry], Key | None] = lambda _shelf, _entry: None
    lag: int = LAG
    clock: str = "1999-12-31T23:59:59Z"
    shelves: dict[Shelf, dict[int, Entry | None]] = field(default_factory=lambda: {"tickets": {}, "comments": {}})
    _listings: dict[Shelf, int] = field(default_factory=lambda: {"tickets": 0, "comments": 0})
    _shown_from: dict[tuple[Shelf, int], int] = field(default_factory=dict)

    # The API

    def page(self, shelf: Shelf, number: int) -> Answer:
        """Answer with one page of a shelf, the oldest first, and with the number of entries there are to list."""
        fault = self.plan.due("read")
        if failed := self._failed(fault):
            return failed
        if number == 1:
            self._listings[shelf] += 1
        begun = self._listings[shelf]
        entries = [entry for place, entry in self.shelves[shelf].items() if self._shown_from[shelf, place] <= begun]
        listed = [entry for entry in entries if entry is not None]
        there = listed[(number - 1) * PAGE : number * PAGE]
        more = number + 1 if number * PAGE < len(listed) else None
        if fault and fault.what is What.TRUNCATED:
            there = there[: len(there) // 2]
        if fault and fault.what is What.REPLY_DOUBLED:
            there = [*there, *there]
        return Answer(OK, copy.deepcopy(there), total=len(listed), next=more)

    def get(self, shelf: Shelf, number: int) -> Answer:
        """Answer with one entry as it is now, listed or not; what was deleted is known to have been there."""
        entry = self.shelves[shelf].get(number)
        if failed := self._failed(self.plan.due("read", self.named(shelf, entry) if entry else None)):
            return failed
        if entry is None:
            return Answer(GONE if number in self.shelves[shelf] else MISSING)
        return Answer(OK, copy.deepcopy(self.shelves[shelf][number]))

    def create(self, shelf: Shelf, content: Mapping[str, Any]) -> Answer:
        """Add an entry, by the engine's account."""
        asked = {**BLANK[shelf], **content, "author": self.account}
        return self._write(self.named(shelf, asked), lambda: self._created(shelf, content))

    def patch(self, shelf: Shelf, number: int, version: int, content: Mapping[str, Any]) -> Answer:
        """Change members of an entry that still has this version; labels have requests of their own."""
        return self._write_at(shelf, number, version, lambda entry: entry.update(content))

    def add_label(self, number: int, version: int, label: str) -> Answer:
        """Add one label after the others."""
        return self._write_at("tickets", number, version, lambda entry: entry["labels"].append(label))

    def remove_label(self, number: int, version: int, label: str) -> Answer:
        """Take one label away."""
        return self._write_at("tickets", number, version, lambda entry: entry["labels"].remove(label))

    def delete(self, shelf: Shelf, number: int, version: int) -> Answer:
        """Delete an entry that still has this version; its number is not given again."""
        return self._write_at(shelf, number, version, lambda _entry: self.remove(shelf, number))

    # What people do in the browser

    def add(self, shelf: Shelf, author: str, content: Mapping[str, Any]) -> Entry:
        """Add an entry by any author, and return it."""
        number = len(self.shelves[shelf]) + 1
        entry: Entry = {"number": number, "author": author, "version": 1, "created": self.clock, "updated": self.clock}
        entry |= copy.deepcopy({**BLANK[shelf], **content})
        if shelf == "tickets":
            entry["labels"] = list(entry["labels"])
        elif (about := self.shelves["tickets"].get(entry["ticket"])) is not None:
            about["updated"] = self.clock
        self.shelves[shelf][number] = _typed(entry)
        self._shown_from[shelf, number] = self._listings[shelf]
        return entry

    def edit(self, shelf: Shelf, number: int, content: Mapping[str, Any]) -> None:
        """Change members of an entry."""
        entry = self.shelves[shelf][number]
        if entry is None:
            raise KeyError(number)
        entry |= copy.deepcopy(dict(content))
        entry |= {"version": entry["version"] + 1, "updated": self.clock}
        _typed(entry)

    def remove(self, shelf: Shelf, number: int) -> None:
        """Delete an entry."""
        self.shelves[shelf][number] = None

    # How a request is carried out

    def _write_at(self, shelf: Shelf, number: int, version: int, change: Callable[[Entry], object]) -> Answer:
        entry = self.shelves[shelf].get(number)
        return self._write(
            self.named(shelf, entry) if entry else None, lambda: self._changed(shelf, number, version, change)
        )

    def _write(self, key: Key | None, act: Callable[[], Answer]) -> Answer:
        fault = self.plan.due("write", key)
        if failed := self._failed(fault):
            return failed
        answer = act()
        if fault and fault.what is What.REPLY_DOUBLED:
            act()
        return Answer(BAD_GATEWAY, "try again") if fault and fault.what is What.REPLY_LOST else answer

    def _created(self, shelf: Shelf, content: Mapping[str, Any]) -> Answer:
        if shelf == "tickets" and not content["title"].strip():
            return Answer(UNFIT, "a ticket needs a title")
        entry = self.add(shelf, self.account, content)
        self._shown_from[shelf, entry["number"]] += 1 + self.lag
        return Answer(OK, copy.deepcopy(entry))

    def _changed(self, shelf: Shelf, number: int, version: int, change: Callable[[Entry], object]) -> Answer:
        entry = self.shelves[shelf].get(number)
        if entry is None:
            return Answer(GONE)
        if entry["version"] != version:
            return Answer(CONFLICT)
        change(entry)
        if self.shelves[shelf][number] is None:
            return Answer(OK)
        self.edit(shelf, number, {})
        return Answer(OK, copy.deepcopy(entry))

    def _failed(self, fault: Fault | None) -> Answer | None:
        match fault and fault.what:
            case What.THROTTLED:
                return Answer(THROTTLED, "slow down", retry_after=fault.wait if fault else None)
            case What.THROTTLED_SILENTLY:
                return Answer(THROTTLED, "slow down")
            case What.REFUSED:
                return Answer(FORBIDDEN, f"token {self.plan.secret} may not do this")
            case What.FAILED:
                return Answer(BAD_GATEWAY, f"while serving token {self.plan.secret}: try again")
            case _:
                return None


def _typed(entry: Entry) -> Entry:
    """Give all texts of an entry the line ends a browser sends."""
    for name in ("title", "body"):
        if name in entry:
            entry[name] = entry[name].replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    return entry

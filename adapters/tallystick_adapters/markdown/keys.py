"""The keys of the frontmatter that are ours, and what a person may write behind them."""

import re
from dataclasses import dataclass
from typing import Any, Final

from tallystick_contract.canonical import is_day, normalise_text
from tallystick_contract.errors import Invalid

from .frontmatter import Slot
from .names import linked

FLAGS: Final = ("noAutoClose", "requiresVerification", "requiresOperatorApproval")
TEXTS: Final = ("title", "owner", "milestone", "parent", "due")
LISTS: Final = ("dependsOn", "labels", "files")
LINKS: Final = frozenset({"dependsOn", "parent"})
KEYS: Final = (
    "id", "title", "status", "priority", "dependsOn", "owner", "milestone", "labels", "files", "parent", "due",
    "archived", *FLAGS, "extensions",
)  # fmt: skip
"""The keys of the frontmatter that are ours, in the order in which a new note shows them (K-110)."""

TELLING: Final = frozenset({"id", "status", "priority", "dependsOn", "archived", *FLAGS})
"""Any of these makes a note a task; the others (`title`, `labels`, `due` ...) are common in notes of other kinds."""

_STATUSES: Final = frozenset({"planned", "in-progress", "blocked", "completed", "cancelled"})
_PRIORITY: Final = re.compile(r"unset|p[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about a note worth a person's attention, with the line it is on."""

    code: str
    what: str
    line: int


def take(doc: dict[str, Any], key: str, slot: Slot, remarks: list[Remark]) -> None:
    """Read one key into `doc`. Raises `Invalid` with its line."""
    if key in LISTS:
        doc[key] = list(spelled_items(key, slot))
    elif key == "archived":
        doc[key] = _truth(key, slot)
    elif key in FLAGS:
        if _truth(key, slot):
            doc.setdefault("decisionGate", {})[key] = True
    elif key == "extensions":
        if not isinstance(slot.value, dict):
            raise _bad(key, slot, "is not a mapping", 'write {"name": value}')
        doc[key] = slot.value
    else:
        doc[key] = _word(key, one_text(key, slot), slot, remarks)
        if key == "title" and slot.comment:
            what = f"the title reads {doc[key]!r}: what follows # is a comment; put the title in double quotes"
            remarks.append(Remark("comment-in-value", what, slot.line))


def _word(key: str, text: str, slot: Slot, remarks: list[Remark]) -> str:
    if key == "status":
        if text == "in_progress":
            remarks.append(Remark("D-02", "status 'in_progress' is read as 'in-progress'", slot.line))
            return "in-progress"
        if text not in _STATUSES:
            raise _bad(key, slot, f"{text!r} is not a status", "write " + ", ".join(sorted(_STATUSES)))
    elif key == "priority":
        text = text.lower()
        if not _PRIORITY.fullmatch(text):
            raise _bad(key, slot, f"{text!r} is not a priority", "write p0 to p99, or leave the line out")
    elif key == "due":
        if text and not is_day(text):
            raise _bad(key, slot, f"{text!r} is no day of the calendar", "write YYYY-MM-DD")
    elif key in LINKS:
        return linked(text)
    return text


def _bad(key: str, slot: Slot, what: str, todo: str) -> Invalid:
    return Invalid(f"{key}: {what}", where=f"line {slot.line}", todo=todo)


def one_text(key: str, slot: Slot) -> str:
    """Return the text behind a key; "" for an id that is not there. Raises `Invalid` with its line."""
    value = slot.value
    if isinstance(value, list) and len(value) == 1 and key in LINKS:
        value = value[0]  # an unquoted [[link]] is a list in a list to YAML
    if value is None and key == "id":
        return ""
    if not isinstance(value, str):
        raise _bad(key, slot, "is not text", "put the value in double quotes")
    return value


def _truth(key: str, slot: Slot) -> bool:
    word = slot.value.lower() if isinstance(slot.value, str) else ""
    if word not in ("true", "false"):
        raise _bad(key, slot, f"{slot.value!r} is neither true nor false", "write true, or leave the line out")
    return word == "true"


def spelled_items(key: str, slot: Slot) -> dict[str, str]:
    """Return the items of a list key with the way each is written; a single text is a list of one."""
    raw = slot.value if isinstance(slot.value, list) else [slot.value]
    items = {}
    for item in raw:
        if item is None:
            continue
        if not isinstance(item, str):
            raise _bad(key, slot, f"{item!r} is not text", "put it in double quotes")
        items[linked(normalise_text(item)) if key in LINKS else normalise_text(item)] = item
    return items

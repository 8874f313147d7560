"""The append-only journal and its replay: the same entries give the same records, whatever came twice (K-084)."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, digest
from tallystick_contract.fields import sparse

WHOLE: Final = ""
"""The field name of an entry about the whole record: created (or restored) with a document, or deleted."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of one record.

    `id` is the idempotency key. `parent` is the entry that this one follows: the last one of the same record and
    field, or the record's last whole entry. A whole entry also follows every earlier entry of its record.
    """

    id: str
    key: Key
    field: str
    before: Any
    after: Any
    parent: str | None = None


def entry_id(key: Key, field: str, before: Any, after: Any, source: str) -> str:
    """Return the id of a change: the same change seen by two engines is one change.

    Values are canonical, hence normalised, already. `source` is the id of the event it came from, or the spoke and the
    revision that showed it.
    """
    return digest(json.dumps([*key, field, before, after, source], sort_keys=True))


def replay(entries: Iterable[Entry]) -> dict[Key, Doc]:
    """Return the records the entries lead to, in any order their causes allow, repeats ignored."""
    seen: set[str] = set()
    records: dict[Key, dict[str, Any]] = {}
    for entry in entries:
        if entry.id in seen:
            continue
        seen.add(entry.id)
        if entry.field != WHOLE:
            records.setdefault(entry.key, {})[entry.field] = entry.after
        elif entry.after is None:
            records.pop(entry.key, None)
        else:
            records[entry.key] = dict(entry.after)
    return {key: sparse(key.kind, record) for key, record in records.items()}

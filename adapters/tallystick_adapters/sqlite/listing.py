"""What a pull reports: every row, or only what the journal names since the last run."""

import sqlite3

from tallystick_adapters.sqlite import rows
from tallystick_adapters.sqlite.codec import TABLES
from tallystick_adapters.sqlite.cursor import Cursor
from tallystick_contract.adapter import Key, Observed, Pull, Quarantined

type Found = list[tuple[Key, Observed | Quarantined]]


def whole(db: sqlite3.Connection, cursor: Cursor, *, counted: bool) -> Pull:
    """List every row, and as gone what the cursor knew and is there no more; the cursor then knows these rows."""
    found = [(Key(kind, row[0]), rows.observed(kind, row)) for kind in TABLES for row in rows.every(db, kind)]
    present = {key for key, _ in found}
    gone = [key for key in cursor.known_keys() if key not in present]
    return _report(db, cursor, found, gone, counted=counted)


def delta(db: sqlite3.Connection, cursor: Cursor, head: Cursor) -> Pull:
    """List the rows changed and deleted after the cursor, and once more those that were no valid records."""
    fresh = {}
    gone = []
    if cursor.seq < head.seq:
        fresh = {Key(kind, row[0]): row for kind in TABLES for row in rows.newer(db, kind, cursor.seq)}
        gone = [key for key in rows.deleted(db, cursor.seq) if key.id in cursor.known[key.kind]]
    for kind, ids in cursor.unread.items():
        for key in (Key(kind, record) for record in sorted(ids)):
            row = fresh.get(key) or rows.one(db, key)
            if row is not None:
                fresh[key] = row
    return _report(db, cursor, [(key, rows.observed(key.kind, row)) for key, row in fresh.items()], gone, counted=False)


def _report(db: sqlite3.Connection, cursor: Cursor, found: Found, gone: list[Key], *, counted: bool) -> Pull:
    for key, item in found:
        cursor.note(key, readable=isinstance(item, Observed))
    cursor.forget(gone)
    counts = rows.counts(db)
    good = [item for _, item in found if isinstance(item, Observed)]
    bad = [item for _, item in found if isinstance(item, Quarantined)]
    return Pull(good, gone, sum(counts.values()), quarantined=bad, counts=counts if counted else {})

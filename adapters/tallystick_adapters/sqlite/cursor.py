"""What the spoke remembers between runs: where in which database's journal it stood, and which rows it knew."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tallystick_adapters.sqlite.codec import TABLES
from tallystick_contract.adapter import Key, SpokeState

type Ids = dict[str, set[str]]


def _empty() -> Ids:
    return {kind: set() for kind in TABLES}


def _ids(stored: Mapping[str, Any]) -> Ids:
    return {kind: set(stored.get(kind, ())) for kind in TABLES}


@dataclass(slots=True)
class Cursor:
    """A place in one database's journal.

    `entry` is the id of the journal entry numbered `seq`: a database put back from a copy has
    another one there, or none. `known` are the rows that were there, `unread` those of them that were no
    valid records.
    """

    database: str = ""
    seq: int = 0
    entry: str = ""
    known: Ids = field(default_factory=_empty)
    unread: Ids = field(default_factory=_empty)

    @classmethod
    def of(cls, state: SpokeState) -> "Cursor":
        """Read what `state` wrote; an empty state gives a cursor that follows no database."""
        if not state:
            return cls()
        return cls(state["database"], state["seq"], state["entry"], _ids(state["known"]), _ids(state["unread"]))

    @classmethod
    def head(cls, db: sqlite3.Connection) -> "Cursor":
        """Return the place at the end of a database's journal, knowing no rows."""
        database = db.execute("SELECT value FROM meta WHERE key = 'database_id'").fetchone()[0]
        last = db.execute("SELECT seq, id FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        return cls(database, *(last or (0, "")))

    def state(self) -> dict[str, Any]:
        """Return the cursor as JSON; nothing for one that follows no database."""
        if not self.database:
            return {}
        known, unread = ({kind: sorted(ids) for kind, ids in rows.items()} for rows in (self.known, self.unread))
        return {"database": self.database, "seq": self.seq, "entry": self.entry, "known": known, "unread": unread}

    def leads_to(self, head: "Cursor", db: sqlite3.Connection) -> bool:
        """Tell whether the journal that ends at `head` continues the one this cursor stood in."""
        if self.database != head.database or self.seq > head.seq:
            return False
        row = db.execute("SELECT id FROM journal WHERE seq = ?", (self.seq,)).fetchone()
        return row == (self.entry,) if self.seq else True

    def at(self, head: "Cursor") -> bool:
        """Tell whether nothing lies between this cursor and `head`."""
        return head.seq == 0 or (self.database, self.seq, self.entry) == (head.database, head.seq, head.entry)

    def moved(self, head: "Cursor") -> None:
        """Go on to `head`."""
        self.database, self.seq, self.entry = head.database, head.seq, head.entry

    def known_keys(self) -> list[Key]:
        """Return the keys of the known rows, in order."""
        return [Key(kind, record) for kind, ids in self.known.items() for record in sorted(ids)]

    def note(self, key: Key, *, readable: bool) -> None:
        """Remember that a row is there, and whether it is a valid record."""
        self.known[key.kind].add(key.id)
        if readable:
            self.unread[key.kind].discard(key.id)
        else:
            self.unread[key.kind].add(key.id)

    def forget(self, keys: Iterable[Key]) -> None:
        """Remember that rows are gone."""
        for key in keys:
            self.known[key.kind].discard(key.id)
            self.unread[key.kind].discard(key.id)

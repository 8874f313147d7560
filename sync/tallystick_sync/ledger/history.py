"""The ledger's history: the journal of hub changes, the writes to spokes, open intents, and replay."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick_contract.adapter import Change, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import value
from tallystick_contract.journal import WHOLE, Entry, entry_id, replay
from tallystick_sync.case import Decision, Edit
from tallystick_sync.ledger.store import Ledger

ENGINE = {"type": "engine", "id": "tallystick"}


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every line of history carries: the run, the UTC instant, and who is behind it (None: the spoke itself)."""

    run: int
    at: str
    actor: Mapping[str, str] | None = None


def record_decisions(ledger: Ledger, decisions: Sequence[Decision], stamp: Stamp, before: Mapping[Key, Doc]) -> None:
    """Journal what the decisions change in the hub; the caller holds the transaction.

    A record that is new enters whole; one that is deleted leaves whole; else every edited field is a line.
    """
    rows: list[tuple[Any, ...]] = []
    empty = ledger.db.execute("SELECT 1 FROM journal LIMIT 1").fetchone() is None
    for decision in decisions:
        known = before.get(decision.key)
        if decision.deleted:
            spoke = min(decision.copies, default="")
            rows.append(line(ledger, decision.key, Edit(WHOLE, known, None, spoke), stamp))
        elif decision.hub is not None and known is None:
            shown = {spoke: copy.revision for spoke, copy in decision.copies.items() if copy is not None}
            edit = Edit(WHOLE, None, decision.hub, *min(shown.items(), default=("", "")))
            rows.append(line(ledger, decision.key, edit, stamp, orphan=empty))
        elif decision.hub is not None:
            rows += [line(ledger, decision.key, edit, stamp) for edit in decision.edits]
    append(ledger, rows)


def append(ledger: Ledger, rows: Iterable[tuple[Any, ...]]) -> None:
    """Add lines made by `line` to the journal."""
    ledger.db.executemany(
        "INSERT INTO journal (event, run, kind, id, field, before, after, parent, actor, spoke, at)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        rows,
    )


def line(ledger: Ledger, key: Key, edit: Edit, stamp: Stamp, *, orphan: bool = False) -> tuple[Any, ...]:
    """Return the journal's line for one edit; an `orphan` is known to follow none."""
    source = f"{edit.spoke} {edit.revision}" if edit.spoke else f"run {stamp.run}"
    parent = None if orphan else _parent(ledger, key, edit.field)
    identity = entry_id(key, edit.field, edit.before, edit.after, f"{source} {parent or ''}")
    actor = dict(stamp.actor or ({"type": "external", "id": edit.spoke} if edit.spoke else ENGINE))
    before, after = json.dumps(edit.before), json.dumps(edit.after)
    return (
        identity, stamp.run, *key, edit.field, before, after, parent, json.dumps(actor), edit.spoke, stamp.at,
    )  # fmt: skip


def _parent(ledger: Ledger, key: Key, field: str) -> str | None:
    """Return the newest entry this one follows: of the same field, or about the whole record."""
    followed = "" if field == WHOLE else "AND field IN ('', ?)"
    query = f"SELECT event FROM journal WHERE kind = ? AND id = ? {followed} ORDER BY seq DESC LIMIT 1"  # noqa: S608 -- literal
    row = ledger.db.execute(query, (*key, *([field] if followed else []))).fetchone()
    return row[0] if row else None


def intend(ledger: Ledger, spoke: str, changes: Sequence[Change], stamp: Stamp) -> None:
    """Write down, durably, what is about to be done. The caller holds the transaction."""
    ledger.db.executemany(
        "INSERT OR REPLACE INTO intents (spoke, kind, id, op, run, at) VALUES (?,?,?,?,?,?)",
        [(spoke, *change.key, change.op, stamp.run, change.intended or stamp.at) for change in changes],
    )


def unclear(ledger: Ledger) -> dict[tuple[str, Key], str]:
    """Return since when it is not known what became of a create, by spoke and record."""
    query = "SELECT spoke, kind, id, at FROM intents WHERE op = 'create'"
    return {(spoke, Key(kind, ident)): at for spoke, kind, ident, at in ledger.db.execute(query)}


def close_intents(ledger: Ledger, spoke: str, keys: Iterable[Key]) -> None:
    """Strike out intents whose outcome is known."""
    ledger.db.executemany(
        "DELETE FROM intents WHERE spoke = ? AND kind = ? AND id = ?", [(spoke, *key) for key in keys]
    )


def record_writes(ledger: Ledger, spoke: str, writes: Iterable[tuple[Change, Doc]], stamp: Stamp) -> None:
    """Journal writes to a spoke, each changed field before and after; the caller holds the transaction."""
    rows = []
    for change, before in writes:
        updated = change.fields if change.op == "update" else {}
        fields = {name: [value(change.key.kind, before, name), item] for name, item in updated.items()}
        rows.append((stamp.run, spoke, change.op, *change.key, json.dumps(fields), stamp.at))
    ledger.db.executemany("INSERT INTO writes (run, spoke, op, kind, id, fields, at) VALUES (?,?,?,?,?,?,?)", rows)


def entries(ledger: Ledger, run: int | None = None) -> Iterator[Entry]:
    """Yield the journal, or one run of it, oldest first."""
    where, values = ("WHERE run = ?", (run,)) if run is not None else ("", ())
    query = f"SELECT event, kind, id, field, before, after, parent FROM journal {where} ORDER BY seq"  # noqa: S608
    for event, kind, ident, field, before, after, parent in ledger.db.execute(query, values):
        yield Entry(event, Key(kind, ident), field, json.loads(before), json.loads(after), parent)


def replay_differences(ledger: Ledger) -> list[str]:
    """Return in what the records rebuilt from the journal differ from the hub; empty when they are equal (K-084)."""
    rebuilt = replay(entries(ledger))
    query = "SELECT kind, id, doc FROM records WHERE deleted IS NULL"
    stored = {Key(kind, ident): json.loads(doc) for kind, ident, doc in ledger.db.execute(query)}
    return [
        f"{key.kind} {key.id}: {'missing' if key not in stored else 'unexpected' if key not in rebuilt else 'differs'}"
        for key in sorted(set(rebuilt) | set(stored))
        if rebuilt.get(key) != stored.get(key)
    ]


def forget(ledger: Ledger, stamp: Stamp, spoke: str | None = None, *, gated: bool = False) -> None:
    """Forget what was agreed, with one spoke, or with all of them and the hub too; tombstones and history stay.

    Tasks whose completion a gate decides stay as well, all of them if every task is `gated`: else forgetting would
    let a completion that is held pass as history.
    """
    with ledger.transaction() as db:
        if spoke is not None:
            db.execute("UPDATE records SET dirty = 1 WHERE deleted IS NULL")
            db.execute("DELETE FROM copies WHERE spoke = ?", (spoke,))
            db.execute("DELETE FROM spokes WHERE name = ?", (spoke,))
            return
        query = "SELECT kind, id, doc FROM records WHERE deleted IS NULL"
        live = {Key(kind, ident): json.loads(doc) for kind, ident, doc in db.execute(query).fetchall()}
        live = {key: doc for key, doc in live.items() if not _guarded(key, doc, gated=gated)}
        append(ledger, [line(ledger, key, Edit(WHOLE, doc, None, ""), stamp) for key, doc in live.items()])
        db.executemany("DELETE FROM records WHERE kind = ? AND id = ?", live)
        db.execute("UPDATE records SET dirty = 1 WHERE deleted IS NULL")
        for table in ("copies", "conflicts", "held", "quarantine", "spokes", "intents"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 -- the names stand one line above


def _guarded(key: Key, doc: Doc, *, gated: bool) -> bool:
    return key.kind == "task" and doc.get("status") != "completed" and (gated or bool(doc.get("decisionGate")))

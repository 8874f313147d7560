"""Reading cases out of the ledger, and writing decisions and outcomes into it."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from tallystick_contract.adapter import Key, Observed, Pull
from tallystick_contract.canonical import Doc, digest
from tallystick_contract.fields import FIELDS, value
from tallystick_sync.case import Case, Conflict, Copy, Decision, Held
from tallystick_sync.ledger.store import Ledger

_MANY = 400
"""From so many keys on, one scan of a table is cheaper than a look-up each."""

_STORE_HUB = """INSERT INTO records (kind, id, doc, about, words, dirty) VALUES (?,?,?,?,?,?)
                ON CONFLICT (kind, id) DO UPDATE
                SET doc = excluded.doc, about = excluded.about, words = excluded.words, dirty = excluded.dirty"""

_INSERT_COPY = "INSERT OR REPLACE INTO copies VALUES (?,?,?,?,?,?,?,?,?)"

compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""JSON text as the ledger stores it."""


def words(doc: Doc) -> str | None:
    """Return what two records with the same title and description share; None for a record without any."""
    text = [doc.get("title"), doc.get("description")]
    return digest(json.dumps(text)) if any(text) else None


def load_cases(ledger: Ledger, keys: Collection[Key], spokes: Collection[str]) -> dict[Key, Case]:
    """Return what is known of the records, one case a key, those unknown included; spokes not named are left out."""
    cases = {key: Case(key, None, {}) for key in keys}
    for kind, ident, doc, deleted in _rows(ledger, "kind, id, doc, deleted", "records", keys):
        case = cases.get(Key(kind, ident))
        if case is not None:
            case.hub, case.deleted = json.loads(doc), deleted is not None
    columns = "kind, id, spoke, native, revision, base, seen, gone, since"
    for kind, ident, spoke, native, revision, base, seen, gone, since in _rows(ledger, columns, "copies", keys):
        case = cases.get(Key(kind, ident))
        if case is not None and spoke in spokes:
            case.copies[spoke] = Copy(
                _loaded(base), _loaded(seen), native, revision, bool(gone), since=json.loads(since or "{}")
            )
    return cases


def _rows(ledger: Ledger, columns: str, table: str, keys: Collection[Key]) -> Iterable[Any]:
    query = f"SELECT {columns} FROM {table}"  # noqa: S608 -- both are literals of this module
    if len(keys) > _MANY:
        return ledger.db.execute(query)
    return (row for key in keys for row in ledger.db.execute(f"{query} WHERE kind = ? AND id = ?", tuple(key)))


def _loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def open_keys(ledger: Ledger) -> set[Key]:
    """Return the records that some spoke waits for, or on which a question is open."""
    query = """SELECT kind, id FROM records WHERE dirty = 1 UNION
               SELECT kind, id FROM copies WHERE seen IS NOT NULL OR gone = 1 UNION
               SELECT kind, id FROM intents"""
    return {Key(*row) for row in ledger.db.execute(query)}


def observe(cases: Mapping[Key, Case], spoke: str, pull: Pull) -> None:
    """Lay what a spoke shows over what was known of it."""
    for seen in pull.observed:
        copy = cases[seen.key].copies.setdefault(spoke, Copy())
        if copy.since:
            kind, old = seen.key.kind, copy.seen or {}
            names = copy.since.keys() & FIELDS[kind].keys()
            kept = {name for name in names if value(kind, old, name) == value(kind, seen.image, name)}
            copy.since = {name: run for name, run in copy.since.items() if name in kept}
        copy.seen, copy.native, copy.revision, copy.gone = seen.image, seen.native, seen.revision, False
    for key in pull.gone:
        if key in cases and spoke in cases[key].copies:
            cases[key].copies[spoke].gone = True
            cases[key].copies[spoke].seen = None
    for bad in pull.quarantined:
        if bad.key is not None and bad.key in cases:
            cases[bad.key].copies.setdefault(spoke, Copy(native=bad.native)).unreadable = True


def write_decisions(ledger: Ledger, decisions: Sequence[Decision], run: int) -> None:
    """Store hub documents, bases, questions and holds; the caller holds the transaction."""
    db, texts = ledger.db, _Texts()
    hubs, tombs, copies, lost, conflicts, held = [], [], [], [], [], []
    for decision in decisions:
        kind, ident = decision.key
        dirty = int(bool(decision.changes or decision.waiting))
        if decision.hub is not None:
            hubs.append(_hub_row(decision.key, decision.hub, texts(decision.hub), dirty))
        else:
            tombs.append((dirty, run if decision.deleted else None, kind, ident))
        for spoke, copy in decision.copies.items():
            if copy is None:
                lost.append((kind, ident, spoke))
            else:
                copies.append((kind, ident, spoke, *_columns(copy, texts)))
        conflicts += [_conflict_row(item, run) for item in decision.conflicts]
        held += [_held_row(item, run) for item in decision.held]
    _clear_questions(ledger, [decision.key for decision in decisions], conflicts, held)
    db.executemany(_STORE_HUB, hubs)
    db.executemany("UPDATE records SET dirty = ?, deleted = coalesce(?, deleted) WHERE kind = ? AND id = ?", tombs)
    db.executemany(_INSERT_COPY, copies)
    db.executemany("DELETE FROM copies WHERE kind = ? AND id = ? AND spoke = ?", lost)


class _Texts:
    """JSON texts of documents; one that several spokes share is written once."""

    def __init__(self) -> None:
        self._last: tuple[Any, str] = (None, "")

    def __call__(self, doc: Doc | None) -> str | None:
        if doc is None:
            return None
        if doc is not self._last[0] and doc != self._last[0]:
            self._last = (doc, compact(doc))
        return self._last[1]


def _columns(copy: Copy, texts: Callable[[Doc | None], str | None]) -> tuple[Any, ...]:
    since = json.dumps(copy.since) if copy.since else None
    return copy.native, copy.revision, texts(copy.base), texts(copy.seen), int(copy.gone), since


def _conflict_row(item: Conflict, run: int) -> tuple[Any, ...]:
    return *item.key, item.field, json.dumps(item.values), run


def _held_row(item: Held, run: int) -> tuple[Any, ...]:
    return *item.key, item.field, json.dumps(item.value), json.dumps(item.spokes), json.dumps(item.missing), run


def _clear_questions(ledger: Ledger, keys: Sequence[Key], conflicts: list[Any], held: list[Any]) -> None:
    """Replace the open questions of these records by the ones that are still open, keeping since when."""
    for table, rows, width in (("conflicts", conflicts, 5), ("held", held, 7)):
        known = {
            tuple(row[:3]): row[3]
            for row in ledger.db.execute(f"SELECT kind, id, field, run FROM {table}")  # noqa: S608 -- literal
        }
        if known:
            ledger.db.executemany(f"DELETE FROM {table} WHERE kind = ? AND id = ?", keys)  # noqa: S608 -- literal
        marks = ",".join("?" * width)
        ledger.db.executemany(
            f"INSERT OR REPLACE INTO {table} VALUES ({marks})",  # noqa: S608 -- literal
            [(*row[:-1], known.get(row[:3], row[-1])) for row in rows],
        )


def settle(
    ledger: Ledger, spoke: str, shown: Mapping[Key, Observed | None], frozen: Mapping[Key, Collection[str]]
) -> None:
    """Make what the spoke now shows the base of these copies; frozen fields keep the base they had."""
    texts, rows = _Texts(), []
    for key, seen in shown.items():
        if seen is None:
            continue
        copy = Copy(seen.image, None, seen.native, seen.revision)
        if frozen.get(key):
            known = load_cases(ledger, [key], [spoke])[key].copies.get(spoke, Copy())
            base = {name: item for name, item in seen.image.items() if name not in frozen[key]}
            base |= {name: item for name, item in (known.base or {}).items() if name in frozen[key]}
            copy = Copy(base, seen.image, seen.native, seen.revision, since=known.since)
        rows.append((*key, spoke, *_columns(copy, texts)))
    ledger.db.executemany(_INSERT_COPY, rows)
    lost = [(*key, spoke) for key, seen in shown.items() if seen is None]
    ledger.db.executemany("DELETE FROM copies WHERE kind = ? AND id = ? AND spoke = ?", lost)


def write_hub(ledger: Ledger, key: Key, doc: Doc) -> None:
    """Make `doc` the hub's version of a record, and mark it as due on its spokes; the caller holds the transaction."""
    ledger.db.execute(_STORE_HUB, _hub_row(key, doc, compact(doc), 1))


def _hub_row(key: Key, doc: Doc, text: str | None, dirty: int) -> tuple[Any, ...]:
    about = doc.get("target") or doc.get("taskId")
    return *key, text, about, words(doc) if key.kind == "task" else None, dirty


def write_copy(ledger: Ledger, key: Key, spoke: str, copy: Copy) -> None:
    """Store what is known of a record on one spoke."""
    ledger.db.execute(_INSERT_COPY, (*key, spoke, *_columns(copy, _Texts())))


def replace_quarantine(ledger: Ledger, spoke: str, pull: Pull, run: int) -> None:
    """Store which records of a spoke cannot be read, keeping since when."""
    known = dict(ledger.db.execute("SELECT native, run FROM quarantine WHERE spoke = ?", (spoke,)))
    ledger.db.execute("DELETE FROM quarantine WHERE spoke = ?", (spoke,))
    ledger.db.executemany(
        "INSERT OR REPLACE INTO quarantine VALUES (?,?,?,?,?,?)",
        [
            (spoke, bad.native, *(bad.key or (None, None)), bad.reason, known.get(bad.native, run))
            for bad in pull.quarantined
        ],
    )

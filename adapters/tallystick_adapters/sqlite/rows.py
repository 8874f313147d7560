"""Reading and writing single rows inside an open transaction."""

import contextlib
import sqlite3
from collections.abc import Iterator

from tallystick_adapters.sqlite import codec
from tallystick_contract.adapter import Change, Key, Observed, Outcome, Quarantined
from tallystick_contract.errors import Invalid, Refused, Stale, TallystickError, Unsupported

type Row = tuple[str, int, str]
"""Id, row version and document, as the views show them."""


def newer(db: sqlite3.Connection, kind: str, seq: int) -> list[Row]:
    """Return the rows whose last journal entry is numbered above `seq`."""
    query = f"SELECT id, row_version, document FROM {kind}_documents WHERE row_version > ?"  # noqa: S608 -- a literal kind
    return db.execute(query, (seq,)).fetchall()


def every(db: sqlite3.Connection, kind: str) -> list[Row]:
    """Return all rows of a kind."""
    return db.execute(f"SELECT id, row_version, document FROM {kind}_documents").fetchall()  # noqa: S608 -- a literal kind


def one(db: sqlite3.Connection, key: Key) -> Row | None:
    """Return one row, or None where it is not there."""
    query = f"SELECT id, row_version, document FROM {key.kind}_documents WHERE id = ?"  # noqa: S608 -- a literal kind
    row: Row | None = db.execute(query, (key.id,)).fetchone()
    return row


def deleted(db: sqlite3.Connection, seq: int) -> list[Key]:
    """Return the keys that the journal after `seq` names as deleted and that have no row now."""
    query = "SELECT DISTINCT kind, record FROM journal WHERE seq > ? AND field = '' AND after IS NULL"
    named = [Key(kind, record) for kind, record in db.execute(query, (seq,)) if kind in codec.TABLES]
    return [key for key in named if one(db, key) is None]


def counts(db: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows there are of each kind."""
    return {
        kind: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 -- a literal table
        for kind, table in codec.TABLES.items()
    }


def observed(kind: str, row: Row) -> Observed | Quarantined:
    """Return a row as a record, or quarantined with the reason why it is none."""
    record_id, version, document = row
    key, native = Key(kind, record_id), f"{codec.TABLES[kind]}/{record_id}"
    try:
        image = codec.decode(kind, record_id, document)
    except Invalid as error:
        return Quarantined(native, error.what, key)
    return Observed(key, native, codec.revision(version, document), image)


def write(db: sqlite3.Connection, change: Change) -> Outcome:
    """Carry out one change, or nothing of it; the outcome says which."""
    try:
        if change.key.kind not in codec.TABLES:
            raise Unsupported(f"records of kind {change.key.kind} have no table")
        with _savepoint(db):
            shown = _DO[change.op](db, change)
    except TallystickError as error:
        error.where = error.where or change.key.id
        return Outcome(change.key, error=error)
    except (sqlite3.IntegrityError, sqlite3.DataError, UnicodeEncodeError) as error:
        return Outcome(change.key, error=Refused(f"the database does not take it: {error}", where=change.key.id))
    return Outcome(change.key, shown)


@contextlib.contextmanager
def _savepoint(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("SAVEPOINT one")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk ends the whole transaction by itself
            db.execute("ROLLBACK TO one")
            db.execute("RELEASE one")
        raise
    db.execute("RELEASE one")


def _create(db: sqlite3.Connection, change: Change) -> Observed:
    key = change.key
    row = one(db, key)
    if row is not None:
        return _wanted(row, change, "is there already")
    values = {"id": key.id, **codec.DEFAULTS[key.kind], **codec.encode(key.kind, change.image)}
    db.execute(
        f"INSERT INTO {codec.TABLES[key.kind]} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608 -- literal columns
        tuple(values.values()),
    )
    return _written(db, key)


def _update(db: sqlite3.Connection, change: Change) -> Observed:
    key = change.key
    row = one(db, key)
    if row is None:
        raise Stale("is no longer there")
    if codec.revision(row[1], row[2]) != change.expect:
        return _wanted(row, change, "was changed meanwhile")
    shown = observed(key.kind, row)
    image = shown.image if isinstance(shown, Observed) else {}
    values = codec.encode(key.kind, codec.arranged(key.kind, change.fields, image))
    if values:
        db.execute(
            f"UPDATE {codec.TABLES[key.kind]} SET {', '.join(f'{name} = ?' for name in values)} WHERE id = ?",  # noqa: S608 -- literal columns
            (*values.values(), key.id),
        )
    return _written(db, key)


def _delete(db: sqlite3.Connection, change: Change) -> None:
    key = change.key
    row = one(db, key)
    if row is not None:
        if codec.revision(row[1], row[2]) != change.expect:
            raise Stale("was changed meanwhile")
        db.execute(f"DELETE FROM {codec.TABLES[key.kind]} WHERE id = ?", (key.id,))  # noqa: S608 -- a literal table


_DO = {"create": _create, "update": _update, "delete": _delete}


def _wanted(row: Row, change: Change, why_not: str) -> Observed:
    """Return the row if it shows what the change wants all the same. Raises `Stale` with the reason."""
    shown = observed(change.key.kind, row)
    if isinstance(shown, Observed) and codec.alike(change.key.kind, shown.image, change.image):
        return shown
    raise Stale(why_not)


def _written(db: sqlite3.Connection, key: Key) -> Observed:
    row = one(db, key)
    shown = observed(key.kind, row) if row else None
    if not isinstance(shown, Observed):
        raise Refused(shown.reason if shown else "another trigger took the row away")
    return shown

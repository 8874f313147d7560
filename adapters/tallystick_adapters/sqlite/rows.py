"""Reading and writing single rows inside an open transaction."""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from tallystick_adapters.sqlite import codec
from tallystick_contract.adapter import Change, Key, Observed, Outcome, Quarantined
from tallystick_contract.errors import Invalid, Refused, Stale, TallystickError, Unsupported
from tallystick_contract.fields import arranged

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


def some(db: sqlite3.Connection, kind: str, keys: Collection[Key]) -> list[Row]:
    """Return the rows of a kind that are there under these keys."""
    marks = ", ".join("?" * len(keys))
    query = f"SELECT id, row_version, document FROM {kind}_documents WHERE id IN ({marks})"  # noqa: S608 -- only marks
    return db.execute(query, [key.id for key in keys]).fetchall()


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


def write_all(db: sqlite3.Connection, changes: Sequence[Change]) -> list[Outcome]:
    """Carry out the changes in their order, each wholly or not at all.

    New rows of one kind go in together; if the database takes one of them badly, each is tried by itself.
    """
    outcomes: list[Outcome] = []
    for (op, kind), group in groupby(changes, key=lambda change: (change.op, change.key.kind)):
        some = list(group)
        together = _create_together(db, kind, some) if op == "create" and kind in codec.TABLES else None
        outcomes += together or [_write(db, change) for change in some]
    return outcomes


def _create_together(db: sqlite3.Connection, kind: str, changes: Sequence[Change]) -> list[Outcome] | None:
    """Insert all of them and read them back; None, with nothing done, if one of them wants a closer look."""
    keys = {change.key for change in changes}
    try:
        with _savepoint(db):
            lines = [{"id": one.key.id, **codec.DEFAULTS[kind], **codec.encode(kind, one.image)} for one in changes]
            db.executemany(_insertion(kind, lines[0]), [tuple(line.values()) for line in lines])
            shown = {
                record.key: record
                for row in some(db, kind, keys)
                if isinstance(record := observed(kind, row), Observed)
            }
            if len(shown) < len(changes):
                raise Stale("not all of them can be read back")
    except (TallystickError, sqlite3.IntegrityError, sqlite3.DataError, UnicodeEncodeError):
        return None  # nothing was done; `_write` finds which one it was and says so
    return [Outcome(change.key, shown[change.key]) for change in changes]


def _insertion(kind: str, line: Mapping[str, object]) -> str:
    columns = ", ".join(line)
    return f"INSERT INTO {codec.TABLES[kind]} ({columns}) VALUES ({', '.join('?' * len(line))})"  # noqa: S608 -- literal


def _write(db: sqlite3.Connection, change: Change) -> Outcome:
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
    db.execute(_insertion(key.kind, values), tuple(values.values()))
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
    values = codec.encode(key.kind, arranged(key.kind, change.fields, image))
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

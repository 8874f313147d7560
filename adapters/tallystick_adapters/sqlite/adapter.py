"""The SQLite spoke: tables anyone may read and edit with plain SQL, and a journal that notices every edit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tallystick_adapters.sqlite import codec, listing, rows
from tallystick_adapters.sqlite.cursor import Cursor
from tallystick_adapters.sqlite.mounts import filesystem
from tallystick_adapters.sqlite.store import Store
from tallystick_adapters.support.settings import read
from tallystick_contract import journal
from tallystick_contract.adapter import Change, Finding, Health, Key, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Capabilities
from tallystick_contract.errors import Broken
from tallystick_contract.fields import sparse


class Settings(BaseModel):
    """What a spoke of type `sqlite` is told: its file, and how many seconds to wait for another program's lock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, Field(min_length=1)]
    timeout: Annotated[float, Field(gt=0)] = 5.0


class Sqlite:
    """A database file as a spoke; `probe` tells the type of the file system a path lies on."""

    def __init__(
        self, name: str, settings: Mapping[str, Any], root: str, probe: Callable[[Path], str] = filesystem
    ) -> None:
        self._settings = read(Settings, settings, name)
        self._store = Store(Path(root, self._settings.path), self._settings.timeout, probe)
        self._cursor = Cursor()
        self._unmoved: SpokeState = {}

    def capabilities(self) -> Capabilities:
        """Return the places of all fields: the tables hold every one of them."""
        return Capabilities(codec.PLACES, absence="delete", atomicity="batch", revisions="checked")

    def scope(self) -> str:
        """Return the path as it is configured."""
        return f"sqlite {self._settings.path}"

    def check(self) -> Health:
        """Look, without writing, whether the database can be used; warn where its disk or journal mode is unsure."""
        try:
            notes = self._store.look()
        except Broken as error:
            return Health(ready=False, messages=[str(error)])
        return Health(ready=True, messages=[f"{self._store.path}: {note}" for note in notes])

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        """List the rows the journal names after `state`; all of them when `state` belongs to another journal.

        Rows that were no valid records are looked at again every time. Raises `Broken`.
        """
        cursor = Cursor.of(state)
        with self._store.reading() as db:
            if db is None:
                self._cursor, self._unmoved = Cursor(), {}
                return Pull(gone=cursor.known_keys())
            head = Cursor.head(db)
            follows = cursor.leads_to(head, db)
            pull = listing.delta(db, cursor, head) if follows and not full else listing.whole(db, cursor, counted=full)
        self._unmoved = state if follows and cursor.at(head) else {}
        cursor.moved(head)
        self._cursor = cursor
        if follows or not state:
            return pull
        what = "is another database than at the last run, or was put back from a copy; every row was compared"
        return replace(pull, findings=[Finding("history-replaced", what, str(self._store.path))])

    def image(self, key: Key, doc: Doc) -> Doc:
        """Return the whole document: the tables hold every field. Raises `Invalid` for one that is no valid record."""
        return codec.clean(key.kind, doc)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write all changes in one transaction, each only if its row has the revision it expects."""
        if not changes:
            return []
        with self._store.writing() as db:
            before = Cursor.head(db)
            outcomes = rows.write_all(db, changes)
            after = Cursor.head(db)
        self._unmoved = {}
        if self._cursor.at(before):  # else others wrote since the pull, and the next one must see it
            self._cursor.moved(after)
        for outcome in outcomes:
            if outcome.shown is not None:
                self._cursor.note(outcome.key, readable=True)
            elif outcome.error is None:
                self._cursor.forget([outcome.key])
        return outcomes

    def state(self) -> SpokeState:
        """Return the place in the journal and the rows known there."""
        return self._unmoved or self._cursor.state()

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def entries(self) -> Iterator[journal.Entry]:
        """Yield the journal, oldest entry first. Raises `Broken`."""
        query = "SELECT id, kind, record, field, before, after, parent FROM journal ORDER BY seq"
        with self._store.reading() as db:
            found = db.execute(query).fetchall() if db else []
        for entry, kind, record, name, before, after, parent in found:
            yield journal.Entry(entry, Key(kind, record), name, _value(before), _value(after), parent)

    def records(self) -> dict[Key, Doc]:
        """Return every row as the journal writes it, valid record or not. Raises `Broken`."""
        with self._store.reading() as db:
            return {
                Key(kind, row[0]): sparse(kind, codec.parse(row[2]))
                for kind in codec.TABLES
                for row in (rows.every(db, kind) if db else ())
            }

    def replay(self) -> list[Key]:
        """Return the keys of the rows that are not what the journal leads to; none in a sound database."""
        built, shown = journal.replay(self.entries()), self.records()
        return sorted(key for key in built.keys() | shown.keys() if built.get(key) != shown.get(key))


def _value(text: str | None) -> Any:
    return None if text is None else codec.parse(text)

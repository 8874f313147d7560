"""The whole project at one moment: hub, tombstones, questions, what every spoke shows, and how long the journal is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse
from tests.sync.rig import Rig

type Place = tuple[Key, str]
"""A field of a record."""


@dataclass(frozen=True)
class Snapshot:
    """What is compared before and after: plain data, and equal when nothing moved."""

    docs: Mapping[Key, Doc]
    buried: Mapping[Key, Doc]
    conflicts: Mapping[Place, Mapping[str, Any]]
    held: Mapping[Place, list[tuple[Any, list[str]]]]
    shown: Mapping[str, Mapping[Key, Doc]]
    journal: int
    writes: int
    known: frozenset[str]
    unclear: Mapping[tuple[str, Key], str]


def take(rig: Rig) -> Snapshot:
    """Return the project as it is now."""
    rows = rig.ledger.db.execute("SELECT kind, id, doc, deleted FROM records").fetchall()
    asked = rig.ledger.db.execute('SELECT kind, id, field, "values" FROM conflicts').fetchall()
    held: dict[Place, list[tuple[Any, list[str]]]] = {}
    for kind, ident, name, item, movers in rig.ledger.db.execute("SELECT kind, id, field, value, spokes FROM held"):
        held.setdefault((Key(kind, ident), name), []).append((json.loads(item), json.loads(movers)))
    (journal, writes) = rig.ledger.db.execute(
        "SELECT (SELECT coalesce(max(seq), 0) FROM journal), (SELECT coalesce(max(seq), 0) FROM writes)"
    ).fetchone()
    return Snapshot(
        {Key(kind, ident): json.loads(doc) for kind, ident, doc, deleted in rows if deleted is None},
        {Key(kind, ident): json.loads(doc) for kind, ident, doc, deleted in rows if deleted is not None},
        {(Key(kind, ident), name): json.loads(values) for kind, ident, name, values in asked},
        held,
        {
            spoke: {key: sparse(key.kind, record) for key, record in place.store.records.items()}
            for spoke, place in rig.places.items()
        },
        journal,
        writes,
        frozenset(row[0] for row in rig.ledger.db.execute("SELECT name FROM spokes")),
        {
            (spoke, Key(kind, ident)): at
            for spoke, kind, ident, at in rig.ledger.db.execute(
                "SELECT spoke, kind, id, at FROM intents WHERE op = 'create'"
            )
        },
    )


def differences(before: Snapshot, after: Snapshot) -> dict[str, Any]:
    """Return what is not the same, before and after, by what it is."""
    pairs = {item.name: (getattr(before, item.name), getattr(after, item.name)) for item in fields(Snapshot)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

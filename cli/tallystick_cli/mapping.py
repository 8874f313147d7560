"""The field-by-field map of all installed adapters, from what each declares (K-107, K-171)."""

import tempfile
from typing import Any

from tallystick_adapters import registry
from tallystick_contract.capabilities import Mapped
from tallystick_contract.fields import FIELDS

type Map = dict[str, dict[str, dict[str, dict[str, str]]]]
"""Record kind to field to adapter type to `fidelity`, `place` and `note`."""


def declared() -> Map:
    """Ask every installed adapter for its declaration. Raises `Invalid` when one cannot be imported or built."""
    with tempfile.TemporaryDirectory() as nowhere:
        declarations = {name: registry.sample(name, nowhere).capabilities().fields for name in registry.names()}
    return {
        kind: {
            field: {name: _cell(fields.get(kind, {}).get(field)) for name, fields in declarations.items()}
            for field in table
        }
        for kind, table in FIELDS.items()
    }


def as_markdown(tables: Map) -> str:
    """Return the map as one Markdown table per record kind."""
    parts = [_INTRODUCTION]
    for kind, rows in tables.items():
        columns = list(next(iter(rows.values())))
        parts += [f"\n## {kind}\n", _row(["field", *columns]), _row(["---"] * (len(columns) + 1))]
        parts += [_row([f"`{field}`", *(_words(cells[name]) for name in columns)]) for field, cells in rows.items()]
    return "\n".join(parts)


_INTRODUCTION = """\
# Where each adapter keeps each field

Made by `tally map` from what the adapters declare; the conformance kit proves every word of it.

- **native**: in a place of the spoke's own, both directions, no loss
- **encoded**: in a place we invented on the spoke, both directions, no loss
- **derived**: shown, never read back
- **unsupported**: neither shown nor compared: a gap"""


def _cell(mapped: Mapped | None) -> dict[str, str]:
    if mapped is None:
        return {"fidelity": "unsupported", "place": "", "note": ""}
    return {"fidelity": str(mapped.fidelity), "place": mapped.place, "note": mapped.note}


def _words(cell: dict[str, Any]) -> str:
    return ", ".join(part for part in (cell["fidelity"], cell["place"], cell["note"]) if part)


def _row(cells: list[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"

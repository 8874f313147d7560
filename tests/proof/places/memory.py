"""The reference spoke; what it holds in memory lies in a file, so that it outlives the process that writes to it."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Change, Key, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse


class Memory:
    """A file of documents by key, standing in for a server that goes on when its clients die."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._file, self.torn = name, folder / f"{name}.store", folder / f"{name}.torn"

    def tear(self, *, torn: bool) -> None:
        """Let what the server lists have holes, or be whole again."""
        self.torn.touch() if torn else self.torn.unlink()

    def adapter(self) -> "Remembered":
        return Remembered(self)

    def plant(self, key: Key, doc: Doc | None) -> None:
        others: dict[Key, Doc] = {known: found for known, found in self.read().items() if known != key}
        self.write(others if doc is None else {**others, key: sparse(key.kind, doc)})

    def peek(self) -> list[tuple[Key, Doc]]:
        return list(self.read().items())

    def read(self) -> dict[Key, dict[str, Any]]:
        """Return the documents by key."""
        if not self._file.exists():
            return {}
        found = json.loads(self._file.read_text(encoding="utf-8"))
        return {Key(*name.split("/", 1)): doc for name, doc in found.items()}

    def write(self, records: Mapping[Key, Doc]) -> None:
        """Replace the documents in one step."""
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"/".join(key): doc for key, doc in records.items()}), encoding="utf-8")
        os.replace(new, self._file)  # noqa: PTH105 -- the one step that counts


class Remembered(Reference):
    """A reference spoke that asks the server every time, and writes to it record by record."""

    def __init__(self, place: Memory) -> None:
        super().__init__(Store(place.name))
        self._place = place

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        self.store.records, self.store.complete = self._place.read(), not self._place.torn.exists()
        return super().pull(state, full=full)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        for change in changes:
            self.store.records = self._place.read()
            outcomes += super().push([change])
            self._place.write(self.store.records)
        return outcomes

"""The reference spoke; what it holds in memory lies in a file, so that it outlives the process that writes to it."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import sparse


class Memory:
    """A file of documents by key, standing in for a server that goes on when its clients die."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name, self._file = name, folder / f"{name}.store"

    def adapter(self) -> "Remembered":
        return Remembered(Store(self._name, self._read()), self._write)

    def plant(self, key: Key, doc: Doc | None) -> None:
        others: dict[Key, Doc] = {known: found for known, found in self._read().items() if known != key}
        self._write(others if doc is None else {**others, key: sparse(key.kind, doc)})

    def peek(self) -> list[tuple[Key, Doc]]:
        return list(self._read().items())

    def _read(self) -> dict[Key, dict[str, Any]]:
        if not self._file.exists():
            return {}
        found = json.loads(self._file.read_text(encoding="utf-8"))
        return {Key(*name.split("/", 1)): doc for name, doc in found.items()}

    def _write(self, records: Mapping[Key, Doc]) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"/".join(key): doc for key, doc in records.items()}), encoding="utf-8")
        os.replace(new, self._file)  # noqa: PTH105 -- the one step that counts


class Remembered(Reference):
    """A reference spoke that keeps its store record by record, as it is written to."""

    def __init__(self, store: Store, keep: Callable[[Mapping[Key, Doc]], None]) -> None:
        super().__init__(store)
        self._keep = keep

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        outcomes: list[Outcome] = []
        for change in changes:
            outcomes += super().push([change])
            self._keep(self.store.records)
        return outcomes

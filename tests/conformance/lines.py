"""Two hands on a file of lines that know JSON, and nothing of the hello adapter."""

import json
from pathlib import Path

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc


class Lines:
    """A file with one task a line."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def peek(self) -> list[tuple[Key, Doc]]:
        """Return every task as it stands there."""
        text = self._file.read_text(encoding="utf-8") if self._file.exists() else ""
        lines = [json.loads(row) for row in text.split("\n") if row]
        return [(Key("task", line.pop("id")), line) for line in lines]

    def plant(self, key: Key, doc: Doc | None) -> None:
        """Put a task there, or take it away."""
        docs = {there.id: line for there, line in self.peek()} | ({key.id: doc} if doc is not None else {})
        rows = [json.dumps({"id": ident, **line}) for ident, line in docs.items() if doc is not None or ident != key.id]
        self._file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    def spoil(self, key: Key) -> None:
        """Let a careless hand give a task a status there is none of."""
        self.plant(key, {"title": "Spoiled", "status": "nearly"})

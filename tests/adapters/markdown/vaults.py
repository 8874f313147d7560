"""A vault on disk with a small engine around it: it remembers the state and knows what every record last showed."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_contract.adapter import Change, Key, Observed, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, arranged


def task(number: int | str) -> Key:
    """Return the key of a task."""
    return Key("task", f"T-{number}")


class Desk:
    """One vault and what an engine knows of it. Every call uses a new adapter, as every run does."""

    def __init__(self, root: Path, **settings: str) -> None:
        self.folder = root / "vault"
        self.settings = {"path": "vault", **settings}
        self.root = root
        self.saved: SpokeState = {}
        self.shown: dict[Key, Observed] = {}

    def spoke(self) -> Markdown:
        """Return a new adapter on the vault."""
        return Markdown("vault", self.settings, str(self.root))

    def pull(self, *, full: bool = False) -> Pull:
        """Run a pull, settle identities as the engine does, and remember."""
        spoke = self.spoke()
        pull = spoke.pull(self.saved, full=full)
        for one in (*pull.observed, *spoke.settle_identities()):
            self.shown[one.key] = one
        for key in pull.gone:
            self.shown.pop(key, None)
        self._remember(spoke)
        return pull

    def push(self, *changes: Change) -> list[Outcome]:
        """Run a pull and a push, and remember; no outcome may be an error the test did not ask for."""
        spoke = self.spoke()
        spoke.pull(self.saved)
        outcomes = list(spoke.push(changes))
        for change, outcome in zip(changes, outcomes, strict=True):
            if outcome.shown is not None:
                self.shown[outcome.key] = outcome.shown
            elif outcome.error is None and change.op == "delete":
                self.shown.pop(change.key, None)
        self._remember(spoke)
        return outcomes

    def _remember(self, spoke: Markdown) -> None:
        self.saved = json.loads(json.dumps(spoke.state()))

    def create(self, key: Key, doc: Mapping[str, Any]) -> Change:
        """Return the change that creates a record."""
        image = self.spoke().image(key, doc)
        return Change("create", key, None, image, image)

    def update(self, key: Key, **fields: Any) -> Change:
        """Return the change that updates fields of a record as it was last shown, sets in the order they will have."""
        shown = self.shown[key]
        wanted = self.spoke().image(key, {**shown.image, **arranged(key.kind, fields, shown.image)})
        return Change("update", key, shown.revision, fields, wanted, shown.native)

    def delete(self, key: Key) -> Change:
        """Return the change that deletes a record as it was last shown."""
        shown = self.shown[key]
        return Change("delete", key, shown.revision, {}, {}, shown.native)

    def path(self, name: str) -> Path:
        """Return a note's path."""
        return self.folder / name

    def write(self, name: str, text: str) -> Path:
        """Write a note as a person would; it never looks as old as the last one."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def age(self) -> None:
        """Make every note look written long ago, so that none has to be read again for being too new."""
        for path in self.folder.rglob("*.md"):
            os.utime(path, ns=(10**18 + 1, 10**18 + 1))

    def agrees(self) -> bool:
        """Tell whether a new reader of the whole vault sees exactly what the engine thinks is there."""
        pull = self.spoke().pull({}, full=True)
        return {one.key: one for one in pull.observed} == self.shown


def docs(observed: Mapping[Key, Observed]) -> dict[Key, Doc]:
    """Return just the images."""
    return {key: one.image for key, one in observed.items()}


def whole(kind: str, doc: Doc) -> dict[str, Any]:
    """Return a document with every field, defaults included."""
    return {name: doc.get(name, field.default) for name, field in FIELDS[kind].items()}

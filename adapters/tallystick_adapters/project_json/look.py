"""One look at the board: the files that changed are read, the others are as they were told."""

from collections.abc import Mapping
from functools import cached_property

from tallystick_adapters.project_json.folder import Folder
from tallystick_adapters.project_json.notes import Listing, Note, Place, resolve
from tallystick_adapters.project_json.sheet import HANDOFF, Entry, Sheet
from tallystick_contract.adapter import Finding, Key, Observed
from tallystick_contract.errors import Broken


class Look:
    """`notes` is what the files hold now, `findings` what stopped a file that the board can do without."""

    def __init__(self, folder: Folder, told: Mapping[str, Note], *, full: bool = False) -> None:
        """Look at the folder. Raises `Broken` when a file cannot be used."""
        self._folder = folder
        self.notes: dict[str, Note] = {}
        self.findings: list[Finding] = []
        self.sheets: dict[str, Sheet] = {}
        self._entries: dict[str, dict[Key, Entry]] = {}
        signatures = folder.signatures()
        lost = [name for name, note in told.items() if name not in signatures and note.rows]
        for name in (*signatures, *(name for name in lost if not name.startswith("archive/"))):
            note = told.get(name, Note())
            if not full and name in signatures and note.unchanged(signatures[name]):
                self.notes[name] = note
            else:
                self._read(name, note, anew=full)

    @cached_property
    def listing(self) -> Listing:
        """Return all files put together."""
        return resolve(self.notes)

    def observe(self, key: Key, place: Place) -> Observed:
        """Return a record as it is shown; its file is read now if it was not."""
        if place.name not in self.sheets:
            self._read(place.name, self.notes[place.name])
        if place.name not in self._entries:
            self._entries[place.name] = {entry.key: entry for entry in self.sheets[place.name].entries}
        sheet = self.sheets[place.name]
        return sheet.observe(self._entries[place.name][key])

    def _read(self, name: str, note: Note, *, anew: bool = False) -> None:
        try:
            opened = self._folder.open(name, note, anew=anew)
        except Broken as error:
            if name != HANDOFF:
                raise
            self.findings.append(Finding("handoff-unreadable", error.what, error.where))
            self.notes[name] = Note(None, 0, note.rows, note.bad)
            return
        self.sheets[name] = opened.sheet
        self.notes[name] = opened.note()

"""One look at the board: the files that changed are read, the others are as they were told."""

from collections.abc import Mapping
from functools import cached_property

from tallystick_adapters.project_json.folder import Folder
from tallystick_adapters.project_json.notes import Listing, Note, resolve
from tallystick_adapters.project_json.sheet import ARCHIVE, HANDOFF, Sheet
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
        signatures = folder.signatures()
        lost = [name for name, note in told.items() if name not in signatures and note.rows]
        for name in (*signatures, *(name for name in lost if not name.startswith(ARCHIVE))):
            note = told.get(name, Note())
            if not full and name in signatures and note.unchanged(signatures[name]):
                self.notes[name] = note
            else:
                self._read(name, note, anew=full)

    @cached_property
    def listing(self) -> Listing:
        """Return all files put together."""
        return resolve(self.notes)

    def observe(self, key: Key) -> Observed:
        """Return a record of the listing as it is shown; its file is read now if it was not."""
        name = self.listing.names[key]
        if name not in self.sheets:
            self._read(name, self.notes[name])
        sheet = self.sheets[name]
        return sheet.observe(sheet.index[key])

    def _read(self, name: str, note: Note, *, anew: bool = False) -> None:
        try:
            opened = self._folder.open(name, note, anew=anew)
        except Broken as error:
            if name != HANDOFF:
                raise
            self.findings.append(Finding("handoff-unreadable", error.what, error.where))
            self.notes[name] = Note(None, 0, note.rows, bad=note.bad)
            return
        self.sheets[name] = opened.sheet
        self.notes[name] = opened.note()

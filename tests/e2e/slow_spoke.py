"""A spoke that writes one record at a time and waits after each until it is told to go on; for runs cut short."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_contract.adapter import Change, Outcome
from tallystick_contract.capabilities import Capabilities


class Slow(Sqlite):
    """The database spoke, slowed down through two named pipes in the folder that the variable SLOW names."""

    def capabilities(self) -> Capabilities:
        """Write records one by one."""
        return replace(super().capabilities(), atomicity="record")

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        """Write, say so, and wait."""
        outcomes = super().push(changes)
        pipes = os.environ.get("SLOW")
        if pipes:
            Path(pipes, "said").write_text(changes[0].key.id)
            Path(pipes, "go").read_text()
        return outcomes

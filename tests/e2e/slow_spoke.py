"""A spoke that writes one record at a time and waits after each until it is told to go on; for runs cut short."""

import os
import select
import signal
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
            _wait(Path(pipes, "go"))
        return outcomes


def _wait(pipe: Path) -> None:
    """Wait until something is written into the pipe, or a signal's handler raises.

    A signal that comes just before a blocking call would not interrupt it; the descriptor that signals write to does.
    """
    signals, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.set_wakeup_fd(told)
    go = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while go not in (ready := select.select([go, signals], [], [])[0]):
            os.read(ready[0], 1)
        os.read(go, 9)
    finally:
        signal.set_wakeup_fd(before)
        for descriptor in (go, signals, told):
            os.close(descriptor)

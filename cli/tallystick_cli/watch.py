"""What stands between a long run and the person who watches it: progress, and the first Ctrl-C."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer
from types import FrameType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_SECONDS = 1.0
"""Shorter runs show nothing."""

STOPPING = b"stopping after the write in hand; once more breaks it off\n"


@contextmanager
def stoppable() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, so that the write in hand is finished; the second one is a break.

    Where the process was started to ignore Ctrl-C, as a shell's background jobs are, it stays so.
    """
    stop = Event()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        yield stop
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)
        os.write(sys.stderr.fileno(), STOPPING)  # past all buffers: one of them may be in use right now

    before = signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class Watch:
    """Shows how far a run is, on a terminal only, and only once it takes longer than a moment."""

    def __init__(self, *, quiet: bool) -> None:
        self._shown: Progress | None = None
        self._timer = None if quiet or not sys.stdout.isatty() else Timer(PATIENCE_SECONDS, self._show)
        self._what, self._done, self._total = "starting", 0, 0

    def __enter__(self) -> Self:
        """Start waiting."""
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""
        if self._timer:
            self._timer.cancel()
            self._timer.join()
        if self._shown:
            self._shown.stop()

    def note(self, what: str, done: int, total: int) -> None:
        """Take note of a step; `total` is 0 where it is not known."""
        self._what, self._done, self._total = what, done, total
        if self._shown:
            self._paint(self._shown)

    def _show(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        shown = Progress(*columns, transient=True)
        shown.add_task(self._what, total=None)
        self._paint(shown)
        shown.start()
        self._shown = shown

    def _paint(self, shown: "Progress") -> None:
        shown.update(shown.task_ids[0], description=self._what, completed=self._done, total=self._total or None)

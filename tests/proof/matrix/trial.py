"""One scenario on one kind of adapter: prepared once, then disturbed at one boundary after the other."""

import os
import pickle
import shutil
import signal
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tallystick_contract.errors import TallystickError
from tallystick_sync.ledger.history import replay_differences
from tests.proof.matrix.kept import Kept
from tests.proof.matrix.outcome import Outcome
from tests.proof.matrix.project import Project
from tests.proof.matrix.scenario import START, Scenario
from tests.proof.matrix.watch import Boundary, Watch, install

RUNS: Final = 3
"""So many runs after the disturbed one may pass until nothing is written any more, that one included."""

_DAY: Final = 86_400


class Failure(Exception):
    """The engine did not do what it promises; the first argument says where and what."""


@dataclass
class Trial:
    """A prepared scenario: the project as it is before the command, how it ends undisturbed, and all boundaries."""

    scenario: Scenario
    project: Project
    kept: Kept
    outcome: Outcome
    boundaries: Sequence[Boundary]

    def disturb(self, number: int) -> None:
        """Let the command come to grief at one boundary, go on as people would, and compare. Raises `Failure`."""
        boundary = self.boundaries[number - 1]
        self.kept.restore()
        self.project.disturbed = False
        try:
            _disturbed(self.scenario, self.project, number, boundary)
            check_ledger(self.project)
            self.project.disturbed = True
            go_on(self.scenario, self.project)
            found = Outcome.of(self.project)
            found.check(self.scenario, self.project)
            differences = self.outcome.differences(found)
            assert not differences, "\n".join(differences)
        except (AssertionError, TallystickError) as error:
            raise Failure(f"{self.scenario.name} {self.project.kind} {number}  # {boundary}\n    {error}") from error


def go_on(scenario: Scenario, project: Project) -> None:
    """Say the command, again if it was disturbed, and run until nothing is written. Raises `AssertionError`."""
    scenario.command(project)
    if not scenario.again and not project.disturbed:
        assert not project.sync().writes, "one run was not enough"
    if project.between is not None:
        project.meddle()  # the run that was to see it came to nothing, or needed no write
        project.sync()
    for _ in range(RUNS - 1):
        before = _files(project)
        report = project.sync()
        if not report.writes and not report.accepted:
            assert _files(project) == before, "a run that wrote nothing touched files"
            return
    raise AssertionError(f"run {RUNS} still writes: {report.data()}")


def check_ledger(project: Project) -> None:
    """Whatever happened, the journal leads to the hub as it stands. Raises `AssertionError`."""
    with project.ledger() as ledger:
        assert replay_differences(ledger) == [], "what was left behind contradicts itself"


def _files(project: Project) -> dict[str, tuple[int, bytes]]:
    """Return time and bytes of every file of every spoke."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for name in project.members
        for path in project.folder.glob(f"{name}*/**/*")
        if path.is_file()
    }


def _disturbed(scenario: Scenario, project: Project, number: int, expected: Boundary) -> None:
    """Run the command in a process of its own, up to the boundary. Raises `AssertionError` if it is not reached."""

    def work() -> bytes:
        watch = Watch(number)
        install(watch, project)
        try:
            scenario.command(project)
        except (OSError, sqlite3.Error, TallystickError):
            if watch.reached is None:
                raise
        for land in watch.late:
            land()
        return pickle.dumps(watch.reached)

    status, said = _in_child(work)
    if expected.deed == "killed":
        assert os.WIFSIGNALED(status), "the process did not die: the boundary was not reached"
        assert os.WTERMSIG(status) == signal.SIGKILL
    else:
        assert status == 0, "the process failed"
        assert pickle.loads(said) == expected, "the boundary was not reached"  # noqa: S301 -- our own child wrote it


def _in_child(work: Callable[[], bytes]) -> tuple[int, bytes]:
    """Do the work in a forked process; return its status and what it said. Nothing of ours is tidied up by it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(read)
            said = work()
            with open(write, "wb") as pipe:  # noqa: PTH123 -- a descriptor, not a path
                pipe.write(said)
            code = 0
        except BaseException:  # noqa: BLE001 -- whatever it is, it ends here
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    with open(read, "rb") as pipe:  # noqa: PTH123 -- as above
        said = pipe.read()
    return os.waitpid(child, 0)[1], said


class Bench:
    """A folder in which trials are prepared, one after the other; what all of them begin with is made once a kind."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starts: dict[str, Kept] = {}

    @contextmanager
    def trial(self, scenario: Scenario, kind: str) -> Iterator[Trial]:
        """Prepare a scenario for one kind of adapter. Raises `Failure` if it goes wrong without any disturbance."""
        self._start(kind).restore()
        scenario = scenario.on(kind)
        project = Project(self._folder / "project", kind)
        for step in scenario.steps:
            step(project)
        project.between = scenario.between
        kept = Kept.keep(project.folder, self._folder / "kept")
        try:
            yield Trial(scenario, project, kept, *_undisturbed(scenario, project, kept))
        finally:
            kept.forget()

    def _start(self, kind: str) -> Kept:
        if kind not in self._starts:
            self._starts[kind] = self._made(kind)
        return self._starts[kind]

    def _made(self, kind: str) -> Kept:
        """Make a project in step and a day old, so that no file is so new that it would have to be read again."""
        folder = self._folder / "project"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        project = Project(folder, kind)
        for ident, doc in START.items():
            project.put("y", ident, **doc)
        project.sync()
        yesterday = time.time() - _DAY
        for path in folder.rglob("*"):
            os.utime(path, (yesterday, yesterday))
        assert not project.sync().writes
        return Kept.keep(folder, self._folder / f"start-{kind}")


def _undisturbed(scenario: Scenario, project: Project, kept: Kept) -> tuple[Outcome, list[Boundary]]:
    """Return how the scenario ends if nothing disturbs it, and the boundaries it passes on its way."""
    line = f"{scenario.name} {project.kind} 0  # undisturbed"

    def work() -> bytes:
        watch = Watch()
        install(watch, project)
        scenario.command(project)
        return pickle.dumps(watch.passed)

    kept.restore()
    status, said = _in_child(work)
    if status:
        raise Failure(f"{line}\n    the command fails")
    kept.restore()
    try:
        go_on(scenario, project)
        outcome = Outcome.of(project)
        outcome.check(scenario, project)
    except (AssertionError, TallystickError) as error:
        raise Failure(f"{line}\n    {error}") from error
    return outcome, pickle.loads(said)  # noqa: S301 -- our own child wrote it

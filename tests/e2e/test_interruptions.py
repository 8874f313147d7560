"""Runs that are cut short, and runs that meet: what is in hand is finished, the rest is done by the next run."""

import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.plugin import install
from tests.e2e.project import COMMAND, ROOT, Project

pytestmark = pytest.mark.usefixtures("interruptible")

SLOW = '[spokes.slow]\ntype = "slow"\npath = "slow.db"\nwrite = true\n'


@pytest.fixture
def slowed(fresh: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return the example with its board and a slow spoke."""
    source = "from tests.e2e.slow_spoke import Slow\n\nHello = Slow\n"
    install(tmp_path / "site", monkeypatch, type_name="slow", module="slow_adapter", source=source)
    fresh.config.write_text(
        f'[project]\nid = "harbour"\n[spokes.board]\ntype = "project-json"\npath = ".project"\n{SLOW}'
    )
    for name in ("said", "go"):
        os.mkfifo(tmp_path / name)
    return fresh


@dataclass(frozen=True)
class Running:
    """A sync under way in a child process, standing still after a record it wrote."""

    child: subprocess.Popen[str]
    pipes: Path

    def wait_for_record(self) -> str:
        """Wait until a record was written; returns its id."""
        return (self.pipes / "said").read_text()

    def go_on(self) -> None:
        """Let the child go on."""
        (self.pipes / "go").write_text("go")


@contextmanager
def _syncing(project: Project, *arguments: str, stdout: int = subprocess.PIPE) -> Iterator[Running]:
    pipes = project.folder.parent
    paths = os.pathsep.join([str(pipes / "site"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    child = subprocess.Popen(
        [*COMMAND, "sync", *arguments, "--config", str(project.config)],
        env={**os.environ, "SLOW": str(pipes), "TERM": "xterm", "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield Running(child, pipes)
    finally:
        child.kill()
        child.communicate()


def test_bc_012_the_first_ctrl_c_finishes_the_record_in_hand_and_says_what_is_left(slowed: Project) -> None:
    with _syncing(slowed) as running:
        running.wait_for_record()
        running.child.send_signal(signal.SIGINT)
        running.go_on()
        out, err = running.child.communicate()
    assert running.child.returncode == 130
    assert err == "stopping after the write in hand; once more breaks it off\n"
    assert out.splitlines()[-1] == "not in step: interrupted with 16 writes left; 1 write"
    standing = slowed.data("status")
    assert standing["waiting"] >= 16
    assert not standing["inStep"]
    assert slowed.last_line("sync") == "in step, 16 writes"
    assert slowed.ok("sync") == "in step, 0 writes\n"
    assert slowed.ok("replay") == "ledger: equal\nslow: equal\n"


def test_a_second_ctrl_c_breaks_off_at_once_and_loses_nothing(slowed: Project) -> None:
    with _syncing(slowed) as running:
        running.wait_for_record()
        running.child.send_signal(signal.SIGINT)
        assert running.child.stderr
        assert running.child.stderr.readline().startswith("stopping after the write in hand")
        running.child.send_signal(signal.SIGINT)
        assert running.child.wait() == 130
    slowed.ok("sync")
    assert slowed.ok("sync") == "in step, 0 writes\n"


def test_bc_012_a_killed_run_is_finished_by_the_next_without_a_second_copy(slowed: Project) -> None:
    with _syncing(slowed) as running:
        running.wait_for_record()
        running.go_on()
        running.wait_for_record()
        running.child.kill()
        running.child.wait()
    done = slowed.data("sync")
    assert done["spokes"]["slow"]["created"] == 15
    assert slowed.ok("sync") == "in step, 0 writes\n"
    assert slowed.data("status")["spokes"] == [
        {"name": "board", "total": 17, "error": ""},
        {"name": "slow", "total": 17, "error": ""},
    ]


def test_bc_034_a_second_run_stops_at_the_lock_and_the_first_goes_on(slowed: Project) -> None:
    with _syncing(slowed, "--json") as running:
        running.wait_for_record()
        for arguments in (["sync"], ["adopt"], ["task", "add", "another"], ["undo", "1"]):
            said = slowed.tally(*arguments)
            assert said.code == 3, arguments
            assert "another run is at work on this project" in said.err
        assert slowed.data("sync", code=3)["guard"]["code"] == "locked"
        assert slowed.tally("status").code == slowed.tally("plan").code == 0
        for _ in range(16):
            running.go_on()
            running.wait_for_record()
        running.go_on()
        running.child.communicate()
    assert running.child.returncode == 0
    assert slowed.ok("sync") == "in step, 0 writes\n"


def test_a_long_run_shows_on_a_terminal_what_it_is_at_and_leaves_no_trace_of_it(slowed: Project) -> None:
    ours, theirs = pty.openpty()
    with _syncing(slowed, stdout=theirs) as running:
        os.close(theirs)
        running.wait_for_record()
        said = b""
        while b"writing slow" not in said:  # it stands still until told to go on, so this takes its patience at most
            said += os.read(ours, 1024)
        running.child.send_signal(signal.SIGINT)
        running.go_on()
        assert running.child.wait() == 130
        last = os.read(ours, 65536)
    os.close(ours)
    assert b"not in step: interrupted with 16 writes left; 1 write\r\n" in last
    assert b"writing" not in last.rpartition(b"\x1b[2K")[2], "a line that was not wiped away"

"""The same commands give the same result from a terminal, from cron and in CI (K-081)."""

import os
import pty
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from tests.e2e.project import COMMAND, Project

CALLS = (["sync", "--json"], ["plan"], ["sync"])
"""Edits are made after the first call."""


def _from_a_terminal(command: list[str], folder: Path) -> tuple[int, str]:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    parts = []
    while part := _read(ours):
        parts.append(part)
    os.close(ours)
    return child.wait(), b"".join(parts).decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how a terminal says that its last user has left
        return b""


def _from_cron(command: list[str], folder: Path) -> tuple[int, str]:
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    return _piped(closed, folder, {"PATH": "/usr/bin:/bin"})


def _in_ci(command: list[str], folder: Path) -> tuple[int, str]:
    return _piped(command, folder, {**os.environ, "CI": "true"})


def _piped(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode()


def _all_of(project: Project) -> Any:
    """Return what the spokes hold, without what names this very database."""
    files = {name: data for name, data in project.files().items() if not name.startswith("tasks.db")}
    db = sqlite3.connect(project.folder / "tasks.db")
    query = "SELECT document FROM {}_documents ORDER BY id"
    tables = {kind: db.execute(query.format(kind)).fetchall() for kind in ("task", "evidence", "event")}
    db.close()
    return files, tables


def test_a_terminal_cron_and_ci_get_the_same_answers_and_the_same_spokes(tmp_path: Path) -> None:
    results = []
    for start in (_from_a_terminal, _from_cron, _in_ci):
        project = Project.copy(tmp_path / start.__name__ / "harbour")
        answers = []
        for number, call in enumerate(CALLS):
            if number == 1:
                project.edit(project.note("HARBOUR-12"), "priority: p1", "priority: p2")
                project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p7")
                project.edit(project.board, '"priority": "p3",', '"priority": "p5",')
            answers.append(start([*COMMAND, *call], project.folder))
        results.append((answers, _all_of(project)))
    assert results[0] == results[1] == results[2]
    codes = [code for code, _ in results[0][0]]
    assert codes == [0] * len(CALLS)
    assert "board  update HARBOUR-12  priority: p1 -> p2" in results[0][0][2][1]
    assert "conflict  HARBOUR-19" in results[0][0][2][1]


def test_edits_need_no_variable_of_a_login(tmp_path: Path) -> None:
    project = Project.copy(tmp_path / "harbour")
    code, said = _from_cron([*COMMAND, "task", "add", "Repair the crane"], project.folder)
    assert code == 0, said


def test_a_reader_who_leaves_early_changes_neither_work_nor_exit_code(tmp_path: Path) -> None:
    project = Project.copy(tmp_path / "project")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "sync", "--config", str(project.config)], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert project.ok("sync") == "in step, 0 writes\n"

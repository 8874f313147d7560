"""Several writers on one board, and writes that do not come to their end (BC-034, BC-038)."""

import errno
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_adapters.support import files
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Broken, Stale
from tests.adapters.project_json.boards import board, create, images, one, push_one, task, update, write

ROUNDS = 15

WRITER = """
import sys
from pathlib import Path
from tallystick_contract.adapter import Key
from tests.adapters.project_json.boards import board, create, one, update

root, role, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
number = 0
while number < rounds:
    spoke = board(root)
    if role == "creator":
        change = create(spoke, Key("task", f"N-{number}"), {"description": "new"})
    else:
        seen = one(spoke.pull({}), "T-1")
        change = update(spoke, seen, {"notes": [*seen.image.get("notes", []), f"{role} {number}"]})
    number += spoke.push([change])[0].error is None
"""


def test_bc_034_every_change_reported_as_done_is_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("T-1", notes=[])]})
    here = Path(__file__).resolve().parents[3]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), role, str(ROUNDS)], cwd=here, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for role in ("first", "second", "creator")
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    while any(writer.poll() is None for writer in writers):
        assert json.loads(path.read_text())["tasks"]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    first, *created = json.loads(path.read_text())["tasks"]
    assert sorted(first["notes"]) == sorted(f"{role} {n}" for role in ("first", "second") for n in range(ROUNDS))
    assert [item["id"] for item in created] == [f"N-{number}" for number in range(ROUNDS)]


class Intruder:
    """Somebody who does not take the lock: adds a task just before each of the first `times` replacements."""

    def __init__(self, path: Path, times: int) -> None:
        self.path = path
        self.times = times
        self._replace = files.replace

    def replace(self, path: Path, data: bytes, expect: bytes, **options: Any) -> Any:
        """Write first, then let the replacement go on."""
        if self.times > 0:
            self.times -= 1
            listed = json.loads(self.path.read_bytes())
            listed["tasks"].append(task(f"X-{self.times}"))
            self.path.write_text(json.dumps(listed, indent=2))
        return self._replace(path, data, expect, **options)


@pytest.mark.parametrize(("times", "done"), [(2, True), (5, False)])
def test_bc_034_a_writer_without_the_lock_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, *, done: bool
) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    spoke = board(tmp_path)
    change = update(spoke, one(spoke.pull({}), "A"), {"owner": "me"})
    monkeypatch.setattr(files, "replace", Intruder(path, times).replace)
    outcome = spoke.push([change])[0]
    assert isinstance(outcome.error, type(None) if done else Stale)
    shown = images(board(tmp_path).pull({}))
    assert len(shown) == times + 1
    assert shown[Key("task", "A")].get("owner") == ("me" if done else None)


def test_bc_038_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    shared = tmp_path / "shared.json"
    shared.write_text(json.dumps({"tasks": [task("A")]}))
    shared.chmod(0o640)
    (tmp_path / ".project").mkdir()
    link = tmp_path / ".project/tasks.json"
    link.symlink_to(shared)
    spoke = board(tmp_path)
    push_one(spoke, update(spoke, one(spoke.pull({}), "A"), {"owner": "me"}))
    assert link.is_symlink()
    assert shared.stat().st_mode & 0o777 == 0o640
    assert json.loads(shared.read_text())["tasks"][0]["owner"] == "me"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(files.TEMPORARY_PREFIX)] == []


def test_bc_038_leftovers_are_not_data(tmp_path: Path) -> None:
    write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    write(tmp_path, ".tally-x1", '{"tasks": [')
    write(tmp_path, "archive/.tally-x2.jsonl", '{"id": "half')
    pull = board(tmp_path).pull({})
    assert ([item.key.id for item in pull.observed], list(pull.quarantined)) == (["A"], [])


def test_bc_038_a_full_disk_leaves_the_old_content_whole(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A", notes="x" * 5000)]})
    before = path.read_bytes()
    spoke = board(tmp_path)
    change = update(spoke, one(spoke.pull({}), "A"), {"owner": "me"})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(Broken, match="cannot be written"):
            spoke.push([change])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.iterdir()] == ["tasks.json"]
    push_one(spoke, change)


def test_what_was_written_before_another_file_broke_is_told_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    proof = {"id": "E", "target": "A", "status": "passed", "method": "test", "evidence": "seen"}
    write(tmp_path, "verification.json", {"verifications": [proof]})
    spoke = board(tmp_path)
    seen = spoke.pull({})
    changes = [
        update(spoke, one(seen, "A"), {"owner": "me"}),
        update(spoke, one(seen, "E", "evidence"), {"summary": "seen twice"}),
    ]
    rename = files._rename

    def fail(name: str, target: Path) -> None:
        if target.name == "verification.json":
            raise OSError(errno.EIO, "Input/output error")
        rename(name, target)

    monkeypatch.setattr(files, "_rename", fail)
    with pytest.raises(Broken, match="cannot be written"):
        spoke.push(changes)
    [found] = board(tmp_path).pull(spoke.state()).observed
    assert (found.key.id, found.image["owner"]) == ("A", "me")


def test_bc_038_a_kill_between_write_and_rename_leaves_a_board_that_can_be_used(tmp_path: Path) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A")]})
    before = path.read_bytes()
    script = (
        "import os, sys\n"
        "from tallystick_adapters.support import files\n"
        "files._rename = lambda name, target: os.kill(os.getpid(), 9)\n" + WRITER
    )
    here = Path(__file__).resolve().parents[3]
    killed = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), "creator", "1"], cwd=here, input="\n", text=True, check=False,
        capture_output=True,
    )  # fmt: skip
    assert killed.returncode == -9
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 2
    spoke = board(tmp_path)
    assert spoke.pull({}).total == 1
    push_one(spoke, create(spoke, Key("task", "B"), {"description": "x"}))
    assert isinstance(spoke, ProjectJson)


@pytest.mark.parametrize("gone", ["A", "B"])
def test_a_deletion_by_somebody_else_was_forgotten_when_a_record_was_created_meanwhile(
    tmp_path: Path, gone: str
) -> None:
    path = write(tmp_path, "tasks.json", {"tasks": [task("A"), task("B")]})
    spoke = board(tmp_path)
    spoke.pull({})
    write(tmp_path, "tasks.json", {"tasks": [task(name) for name in "AB" if name != gone]})
    push_one(spoke, create(spoke, Key("task", "N"), {"description": "new"}))
    assert [listed["id"] for listed in json.loads(path.read_bytes())["tasks"]] == [*"AB".replace(gone, ""), "N"]
    assert board(tmp_path).pull(json.loads(json.dumps(spoke.state()))).gone == [Key("task", gone)]

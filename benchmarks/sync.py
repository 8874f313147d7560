"""Ten thousand tasks over a board, a database and a vault: first sync, one change, nothing to do, beside their floors.

Floors and runs are taken in turn, in one process after imports; printed are medians and their ratios, since machines
differ and drift. `python benchmarks/sync.py [TASKS]`.
"""

import gc
import hashlib
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_sync.ledger import Ledger
from tallystick_sync.report import Report
from tallystick_sync.run import Options, sync
from tallystick_sync.survey import Engine, Member

TURNS = 7
WORDS = ("review", "deploy", "parser", "cache", "index", "ledger", "adapter", "vault", "note", "merge", "plan", "gate")


WATCHED = """
import sys
from tallystick_cli.main import main
try:
    main()
finally:
    with open("/proc/self/status") as status:
        print(next(line for line in status if line.startswith("VmHWM")), file=sys.stderr)
"""
"""The command, telling its own peak memory: a child's maximum as its parent sees it starts with the parent's own."""


def write_board(root: Path, tasks: int) -> None:
    """Write a board of that many tasks, always the same one."""
    dice = random.Random(7)  # noqa: S311 -- made-up words, not secrets

    def words(number: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(number))

    rows = []
    for number in range(tasks):  # as long as a real board's: 190 letters, four criteria of 90, notes of 500, two files
        row: dict[str, object] = {"id": f"TASK-{number:05d}", "description": words(29)}
        row |= {"status": dice.choice(["planned", "in-progress", "completed"]), "priority": f"p{number % 5}"}
        row |= {"files": [f"src/{words(1)}.py", "docs/"], "acceptance_criteria": [words(14) for _ in range(4)]}
        row |= {"depends_on": [f"TASK-{number - 3:05d}"]} if number % 5 == 4 else {}
        rows.append(row | {"milestone": words(2), "notes": words(78)})
    (root / ".project").mkdir()
    (root / ".project" / "tasks.json").write_text(json.dumps({"tasks": rows}, indent=2) + "\n", encoding="utf-8")


def run(root: Path, durability: str = "file") -> Report:
    """Sync the three spokes once."""
    ledger = Ledger.open(root / ".tallystick" / "ledger.db", durable=durability == "power")
    members = [
        Member("board", ProjectJson("board", {"path": ".project"}, str(root))),
        Member("db", Sqlite("db", {"path": "tasks.db"}, str(root))),
        Member("vault", Markdown("vault", {"path": "vault", "durability": durability}, str(root))),
    ]
    report = sync(Engine(ledger, members, lambda: "2026-01-01T00:00:00Z"), Options())
    for member in members:
        member.adapter.close()
    ledger.close()
    return report


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def floor_of_nothing(root: Path) -> None:
    """Stat every note, read and hash the board, read the database's row versions."""
    with os.scandir(root / "vault") as entries:
        sum(entry.stat().st_size for entry in entries)
    hashlib.sha256((root / ".project" / "tasks.json").read_bytes()).digest()
    with sqlite3.connect(root / "tasks.db") as db:
        db.execute("SELECT id, row_version FROM tasks").fetchall()
    db.close()


def floor_of_writing(root: Path, target: Path) -> Callable[[], None]:
    """Return what writes the very bytes of the notes, the database and the ledger plainly into a new folder."""
    files = (*(root / "vault").iterdir(), root / "tasks.db", root / ".tallystick" / "ledger.db")
    contents = [(path.name, path.read_bytes()) for path in files]

    def write() -> None:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        for name, data in contents:
            with open(target / name, "wb") as file:  # noqa: PTH123 -- plainly
                file.write(data)

    return write


def edit_board(root: Path, turn: int) -> None:
    """Give one task another priority, as an editor would."""
    path = root / ".project" / "tasks.json"
    lines = path.read_bytes().split(b"\n")
    at = next(number for number, line in enumerate(lines) if b'"id": "TASK-00500"' in line) + 3
    lines[at] = b'      "priority": "p%d",' % (10 + turn)
    path.write_bytes(b"\n".join(lines))


def edit_note(root: Path, turn: int) -> None:
    """Give one note another owner."""
    path = root / "vault" / "TASK-00600.md"
    text = path.read_text(encoding="utf-8").split("\n")
    kept = [line for line in text if not line.startswith("owner:")]
    kept.insert(2, f"owner: person-{turn}")
    path.write_text("\n".join(kept), encoding="utf-8")


def settled(root: Path) -> None:
    """Run until nothing is written any more, and let every file grow older than a clock's tick."""
    while run(root).writes:
        pass
    for path in (*(root / "vault").iterdir(), root / ".project" / "tasks.json"):
        os.utime(path, ns=(path.stat().st_mtime_ns - 10**10,) * 2)
    run(root)
    run(root)


def first_syncs(root: Path, scratch: Path, tasks: int) -> None:
    """Print first syncs beside writing the same bytes plainly."""
    plain: list[float] = []
    ours: list[float] = []
    power: list[float] = []
    for turn in range(3):
        for durability, figures in (("file", ours), ("power", power)):
            fresh = scratch / f"first-{turn}-{durability}"
            fresh.mkdir()
            shutil.copytree(root / ".project", fresh / ".project")
            figures.append(seconds(lambda at=fresh, how=durability: run(at, how)))  # type: ignore[misc]
            shutil.rmtree(fresh)
        plain.append(seconds(floor_of_writing(root, scratch / "plain")))
    floor = statistics.median(plain)
    for name, figures in (("first sync", ours), ("first sync, durability = power", power)):
        took = statistics.median(figures)
        print(f"{name} of {tasks} tasks: {took:.2f} s, same bytes plainly {floor:.2f} s, ratio {took / floor:.1f}")


def small_runs(root: Path) -> None:
    """Print runs with nothing to do and with one change beside their floors."""
    board = (root / ".project" / "tasks.json").read_text(encoding="utf-8")
    nothing, floor, loads = [], [], []
    changed: dict[str, list[float]] = {"board": [], "vault": []}
    for turn in range(TURNS):
        settled(root)
        floor.append(seconds(lambda: floor_of_nothing(root)))
        nothing.append(seconds(lambda: run(root)))
        loads.append(seconds(lambda: json.loads(board)))
        for name, edit in (("board", edit_board), ("vault", edit_note)):
            edit(root, turn)
            changed[name].append(seconds(lambda: run(root)))
            settled(root)
    idle, least, parse = (statistics.median(figures) for figures in (nothing, floor, loads))
    print(f"nothing to do: {idle * 1000:.0f} ms, floor {least * 1000:.0f} ms, ratio {idle / least:.2f}")
    for name, figures in changed.items():
        extra = (statistics.median(figures) - idle) / parse
        print(f"one change on the {name}: nothing to do + {extra:.2f} x json.loads ({parse * 1000:.0f} ms)")


def whole_processes(root: Path) -> None:
    """Print whole commands: a run with nothing to do, and an interpreter that only imports the same modules."""
    config = root / "tallystick.toml"
    spokes = {"board": ("project-json", ".project"), "db": ("sqlite", "tasks.db"), "vault": ("markdown", "vault")}
    tables = [f'[spokes.{name}]\ntype = "{kind}"\npath = "{path}"\n' for name, (kind, path) in spokes.items()]
    config.write_text('[project]\nid = "bench"\n' + "".join(tables), encoding="utf-8")
    command = [sys.executable, "-c", WATCHED, "sync", "--json", "--config", str(config)]
    peaks: list[int] = []

    def once() -> None:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        peaks.append(int(done.stderr.split()[1]) // 1024)

    figures = [seconds(once) for _ in range(5)]
    print(f"whole process, nothing to do: {statistics.median(figures) * 1000:.0f} ms, peak memory {max(peaks)} MiB")


def main() -> None:
    """Print every figure."""
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root = scratch / "project"
        root.mkdir()
        write_board(root, tasks)
        settled(root)
        whole_processes(root)
        small_runs(root)
        first_syncs(root, scratch, tasks)


if __name__ == "__main__":
    main()

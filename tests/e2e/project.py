"""A copy of the example project, driven by the command itself."""

import contextlib
import io
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallystick_cli.main import run

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "examples" / "quickstart"
COMMAND = [sys.executable, "-c", "from tallystick_cli.main import main; main()"]
"""The command as a child process."""


@dataclass(frozen=True)
class Said:
    """What a command answered: its exit code and both streams."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Project:
    """One project in a folder of its own."""

    folder: Path

    @classmethod
    def copy(cls, folder: Path) -> "Project":
        """Copy the example into a folder that is not there yet."""
        shutil.copytree(QUICKSTART, folder)
        return cls(folder)

    @property
    def config(self) -> Path:
        """The project's configuration."""
        return self.folder / "tallystick.toml"

    def tally(self, *arguments: str) -> Said:
        """Run one command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([*arguments, "--config", str(self.config)])
        return Said(int(code), out.getvalue(), err.getvalue())

    def ok(self, *arguments: str, code: int = 0) -> str:
        """Run one command, expect its exit code, and return what it printed."""
        said = self.tally(*arguments)
        assert said.code == code, said
        return said.out

    def data(self, *arguments: str, code: int = 0) -> Any:
        """Run one command with `--json` and return the document."""
        return json.loads(self.ok(*arguments, "--json", code=code))

    def last_line(self, *arguments: str, code: int = 0) -> str:
        """Run one command and return the last line it printed."""
        return self.ok(*arguments, code=code).splitlines()[-1]

    @property
    def board(self) -> Path:
        """The board's tasks."""
        return self.folder / ".project" / "tasks.json"

    def note(self, ident: str) -> Path:
        """The note of a task."""
        return self.folder / "vault" / f"{ident}.md"

    def edit(self, path: Path, before: str, after: str) -> None:
        """Replace a text that is there exactly once."""
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, (path, before, text.count(before))
        path.write_text(text.replace(before, after), encoding="utf-8")

    def set_on_board(self, ident: str, **members: Any) -> None:
        """Change members of one task in the board's file."""
        board = json.loads(self.board.read_text(encoding="utf-8"))
        next(task for task in board["tasks"] if task["id"] == ident).update(members)
        self.board.write_text(json.dumps(board, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Return every file of the spokes by name, the ledger's left out."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file() and ".tallystick" not in path.parts)
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}

"""Run the README's tour and write what it prints into it: `python -m tests.e2e.render_tour`; a test compares."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from tests.e2e.project import COMMAND, QUICKSTART, ROOT, Project

README = ROOT / "README.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def renewed(text: str, folder: Path) -> str:
    """Return the README with every `console` block run again, in one copy of the example below `folder`."""
    project = Project.copy(folder / QUICKSTART.name)
    command = folder / "bin" / "tally"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nexec {COMMAND[0]} {COMMAND[1]} '{COMMAND[2]}' \"$@\"\n")
    command.chmod(0o755)

    def rerun(block: re.Match[str]) -> str:
        steps = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"$ {step}\n{_run(step, project, command.parent)}" for step in steps) + "```"

    return _BLOCK.sub(rerun, text)


def _run(step: str, project: Project, commands: Path) -> str:
    """Return what a step prints; most are run here, since every new process starts Python anew."""
    if step.startswith("tally ") and "|" not in step:
        said = project.tally(*step.split()[1:])
        return said.out + said.err
    environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", step], cwd=project.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False, text=True,
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        README.write_text(renewed(README.read_text(encoding="utf-8"), Path(scratch)), encoding="utf-8")

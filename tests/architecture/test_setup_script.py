"""`scripts/setup` finds an interpreter that works, and says plainly when there is none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

BROKEN_SHIM = "#!/bin/sh\necho 'version not set' >&2\nexit 127\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Make a machine without any Python, and a checkout with a blank in its path."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "pwd"):
        (programs / name).symlink_to(str(shutil.which(name)))
    checkout = tmp_path / "the checkout"
    (checkout / "scripts").mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "scripts/setup"):
        shutil.copy(ROOT / name, checkout / name)
    return tmp_path


def _program(machine: Path, name: str, text: str) -> None:
    path = machine / "programs" / name
    path.write_text(text)
    path.chmod(0o755)


def _setup(machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "programs"), "HOME": "", "PYENV_ROOT": str(machine / "pyenv")}
    command = [str(machine / "the checkout" / "scripts" / "setup"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_an_interpreter_it_says_so_and_makes_nothing(machine: Path) -> None:
    _program(machine, "python3", BROKEN_SHIM)
    done = _setup(machine)
    assert done.returncode == 2
    assert done.stderr.startswith("Tallystick needs Python 3.12 or newer")
    assert not (machine / "the checkout" / ".venv").exists()


def test_a_shim_that_cannot_run_is_passed_over(machine: Path) -> None:
    _program(machine, "python3", BROKEN_SHIM)
    _program(machine, "python3.13", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    assert _setup(machine, "--find").stdout == f"{machine / 'programs' / 'python3.13'}\n"


def test_versions_beside_the_path_are_found_before_uv(machine: Path) -> None:
    _program(machine, "uv", "#!/bin/sh\n")
    assert _setup(machine, "--find").stdout == f"{machine / 'programs' / 'uv'}\n"
    version = machine / "pyenv" / "versions" / "3.13.0" / "bin"
    version.mkdir(parents=True)
    (version / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (version / "python3").chmod(0o755)
    assert _setup(machine, "--find").stdout == f"{version / 'python3'}\n"


def test_a_second_call_does_nothing(machine: Path) -> None:
    checkout = machine / "the checkout"
    programs = checkout / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(str(shutil.which("true")))
    files = ("pyproject.toml", "constraints.txt", "scripts/setup")
    text = "".join((checkout / name).read_text() for name in files)
    cksum = subprocess.run(["cksum"], input=text, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607 -- the one on the path is meant
    (checkout / ".venv" / ".set-up").write_text(f"{cksum} {checkout}\n")
    assert _setup(machine).returncode == 0
    (checkout / "constraints.txt").write_text("typer==0\n")
    assert _setup(machine).returncode == 2

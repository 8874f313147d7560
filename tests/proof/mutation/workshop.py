"""Where the mutation tool works: a scratch copy of engine and proof in the layout the tool knows."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.proof.mutants.mutant import ROOT
from tests.proof.mutants.trial import LIMIT_SECONDS, MACHINE, MATRIX

PACKAGE: Final = "tallystick_sync"
MODULES: Final = ("merge", "policy", "plan")
JUDGE: Final = "tests/proof/mutation/calm.py"
"""The only tests the tool may use: the matrix without disturbances. What passes goes before machines and matrix."""

SETTINGS: Final = "\n".join(
    [
        "[mutmut]",
        f"source_paths={PACKAGE}",
        "only_mutate=",
        *(f"    {PACKAGE}/{module}.py" for module in MODULES),
        "pytest_add_cli_args_test_selection=",
        f"    {JUDGE}",
        "pytest_add_cli_args=",
        "    -p",
        "    no:cacheprovider",
        "use_git_change_detection=false",
        "",
    ]
)


class Failed(Exception):
    """The tool did not come to an end."""


def prepare(folder: Path) -> None:
    """Lay out what the tool needs; everything else comes from the installation, where it is not mutated."""
    strangers = shutil.ignore_patterns("__pycache__", "test_mut*.py")  # those judge the catalogue, not the engine
    shutil.copytree(ROOT / "sync" / PACKAGE, folder / PACKAGE, ignore=strangers)
    for part in ("proof", "sync"):
        shutil.copytree(ROOT / "tests" / part, folder / "tests" / part, ignore=strangers)
    shutil.copy(ROOT / "tests" / "__init__.py", folder / "tests")
    (folder / "setup.cfg").write_text(SETTINGS, encoding="utf-8")
    (folder / "tmp").mkdir()


def run(folder: Path) -> None:
    """Show every mutant the tool can think of to the undisturbed scenarios, on all cores. Raises `Failed`."""
    log = folder / "log"
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(os.cpu_count() or 1)]
        done = subprocess.run(command, cwd=folder, env=_settings(folder), stdout=out, stderr=out, check=False)
    if done.returncode:
        raise Failed(f"mutmut ended with {done.returncode}:\n{log.read_text(encoding='utf-8')[-2000:]}")


def passes(folder: Path, key: str) -> bool:
    """Tell whether machines and matrix find nothing wrong with one of the tool's mutants, '' for the engine as it is.

    A mutant that never ends does not pass.
    """
    mutated = folder / "mutants"
    own = {"MUTANT_UNDER_TEST": key, "PYTHONPATH": str(mutated), "PYTHONSAFEPATH": "1"}
    for one in (MACHINE, MATRIX):
        settings = _settings(folder) | own | dict(one.settings)
        try:
            done = subprocess.run(
                [sys.executable, *one.command], cwd=mutated, env=settings, capture_output=True, text=True, check=False,
                timeout=LIMIT_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        if done.returncode not in (0, 1):
            raise Failed(f"{one.name} ended with {done.returncode}:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        if done.returncode:
            return False
    return True


def _settings(folder: Path) -> dict[str, str]:
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "TALLY_"))}
    return inherited | {"TMPDIR": str(folder / "tmp")}

"""Starts the conformance kit: a pytest of its own in a child process, and the card it leaves behind."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tallystick_contract.errors import Invalid

_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:(?P<name>[A-Za-z_]\w*)")

_MODULE: Final = """from tallystick_conformance.door import suite

{name} = suite({target!r}, {settings!r})
"""
"""What pytest collects. A class must be named so that pytest takes it for tests."""


def examine(
    target: str, settings: Mapping[str, str], *, junit: Path | None, markdown: Path | None, quiet: bool
) -> dict[str, Any]:
    """Run every check on `module:Name` and return its card; what pytest prints goes to standard error if `quiet`.

    Raises `Invalid`: the target is none, cannot be imported, or the kit is not installed.
    """
    match = _TARGET.fullmatch(target)
    if match is None:
        raise Invalid(f"{target!r} names no adapter", todo="write MODULE:NAME, such as test_hello:TestHello")
    missing = [name for name in ("pytest", "hypothesis") if find_spec(name) is None]
    if missing:
        raise Invalid(f"the kit needs {' and '.join(missing)}", todo="install tallystick[conformance]")
    name = match["name"] if match["name"].startswith("Test") else f"Test{match['name']}"
    with tempfile.TemporaryDirectory(prefix="tally-conformance-") as scratch:
        folder = Path(scratch)
        module = _MODULE.format(name=name, target=target, settings=dict(settings))
        folder.joinpath("test_conformance.py").write_text(module, encoding="utf-8")
        folder.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")  # none of the author's own settings
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", f"--rootdir={folder}"]
        command += ["-c", str(folder / "pytest.ini"), f"--conformance-json={folder / 'cards.json'}", str(folder)]
        command += [f"--junitxml={junit}"] if junit else []
        command += [f"--conformance-md={markdown}"] if markdown else []
        ended = subprocess.run(command, stdout=2 if quiet else None, check=False)  # noqa: S603 -- our own command
        return _card(folder / "cards.json", target, ended.returncode)


def _card(file: Path, target: str, code: int) -> dict[str, Any]:
    told = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"cards": [], "errors": []}
    if not told["cards"]:
        raise Invalid("; ".join(told["errors"]) or f"pytest ended with {code} and left no card", where=target)
    card: dict[str, Any] = told["cards"][0]
    return {**card, "subject": target}

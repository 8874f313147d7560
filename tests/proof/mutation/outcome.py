"""What became of the tool's mutants, each named by what it changes and not by a number that shifts."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path
from typing import Final

from tests.proof.mutation.workshop import MODULES, PACKAGE

KILLED: Final = 1
HUNG: Final = frozenset({24, 36, 152, 255, -24})
"""The tool's exit codes of a mutant that never came to an end."""


@dataclass(frozen=True, order=True)
class Change:
    """One small change: the function it is in, the statement as it was, and as the mutant has it."""

    function: str
    old: str
    new: str


@dataclass(frozen=True)
class Outcome:
    """One mutant of the tool, by its own name too, and whether the proof noticed it."""

    key: str
    change: Change
    killed: bool


def read(folder: Path) -> Iterator[Outcome]:
    """Yield the outcome of every mutant the tool has made in its folder."""
    for module in MODULES:
        place = folder / "mutants" / PACKAGE / f"{module}.py"
        codes = json.loads(place.with_name(f"{module}.py.meta").read_text(encoding="utf-8"))["exit_code_by_key"]
        sources = functions(place.read_text(encoding="utf-8"))
        for key, code in codes.items():
            name = key.rpartition(".")[2]
            plain = name.partition("__mutmut_")[0]
            change = _change(module, plain, sources[f"{plain}__mutmut_orig"], sources[name])
            yield Outcome(key, change, code == KILLED or code in HUNG)


def functions(text: str) -> dict[str, str]:
    """Return the source of every function and method of a module by name, spelled in one way."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            name, node.name, node.decorator_list = node.name, "it", []
            found[name] = ast.unparse(node)
    return found


def _change(module: str, plain: str, before: str, after: str) -> Change:
    lines = list(ndiff(before.splitlines(), after.splitlines()))
    old, new = (" ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
    return Change(f"{module}.{re.split('ǁ', plain.removeprefix('x_'))[-1]}", old, new)

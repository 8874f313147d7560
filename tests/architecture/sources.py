"""The project's own files, read once for the tests of this folder."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "contract": "tallystick_contract",
    "adapters": "tallystick_adapters",
    "sync": "tallystick_sync",
    "cli": "tallystick_cli",
    "conformance_tests": "tallystick_conformance",
}


@dataclass(frozen=True)
class Module:
    """One module of the product: its dotted name, its file, its text and its tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """Where it lies, for messages."""
        return self.path.relative_to(ROOT).as_posix()


@cache
def modules() -> dict[str, Module]:
    """Return all modules of the product by dotted name."""
    found = {}
    for folder, package in PACKAGES.items():
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text(encoding="utf-8")
            found[name] = Module(name, path, text, ast.parse(text))
    return found


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """Yield each function's name and its lines, decorators and docstring not counted."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                first = node.body[0]
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            yield node.name, lines


def imports(module: Module) -> set[str]:
    """Return the modules of the product that a module imports, wherever in it the import stands."""
    known = modules()
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (below & known.keys()) or {node.module}
    return (found & known.keys()) - {module.name}

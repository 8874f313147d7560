"""ARCHITECTURE.md names functions and files that exist."""

import ast
import re

from tests.architecture.sources import ROOT, modules

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def _defined() -> set[str]:
    """Return `module.name` and `Class.method` for everything the product defines."""
    found = set()
    for module in modules().values():
        short = module.name.rpartition(".")[2]
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{step.name}" for step in node.body if isinstance(step, ast.FunctionDef)}
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(f"{short}.{node.name}")
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(f"{short}.{node.target.id}")
    return found


def test_every_function_on_the_path_of_an_edit_is_there() -> None:
    files = {path.name for path in ROOT.rglob("*.py")} | {"tasks.json", "tallystick.toml"}
    named = {name for name in re.findall(r"`(_?[A-Za-z_]+\.[A-Za-z_]+)[(`]", PAGE) if name not in files}
    assert len(named) > 15
    assert named - _defined() - {"adapter.image"} == set()

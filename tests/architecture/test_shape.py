"""The shape of the code: small modules, small functions, arrows that never come back, names that say something."""

import ast
import graphlib
import re

import pytest

from tests.architecture.sources import PACKAGES, ROOT, functions, imports, modules

MODULE_LINES = 300
FUNCTION_LINES = 40
EMPTY_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|base|managers?|misc)($|_)|(Manager|Helper|Util)s?$")


def test_every_package_is_looked_at() -> None:
    assert {name.partition(".")[0] for name in modules()} == set(PACKAGES.values())


def test_no_module_is_longer_than_300_lines() -> None:
    long = {module.place: lines for module in modules().values() if (lines := module.text.count("\n")) > MODULE_LINES}
    assert long == {}


def test_no_function_is_longer_than_40_lines() -> None:
    long = {
        f"{module.place}: {name}": lines
        for module in modules().values()
        for name, lines in functions(module)
        if lines > FUNCTION_LINES
    }
    assert long == {}


def test_no_modules_import_each_other_not_even_inside_functions() -> None:
    graph = {name: imports(module) for name, module in modules().items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("modules import each other: " + " <- ".join(error.args[1]))


def test_names_say_what_a_thing_is() -> None:
    named = [(module.place, part) for module in modules().values() for part in module.name.split(".")]
    named += [
        (module.place, node.name)
        for module in modules().values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert [(place, name) for place, name in named if EMPTY_NAMES.search(name)] == []


def test_no_error_is_swallowed_and_nothing_waits() -> None:
    found = []
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and all(isinstance(step, ast.Pass) for step in node.body):
                found.append(f"{module.place}:{node.lineno}: except without an answer")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"time.sleep", "sleep"}:
                found.append(f"{module.place}:{node.lineno}: sleeps")
    assert found == []


def test_no_open_ends_no_registry_hosts_and_no_one_s_own_paths_in_the_text() -> None:
    words = ("TO" + "DO", "FIX" + "ME", "X" + "XX", "py" + "pi.org", "python" + "hosted", "/Use" + "rs/")
    pattern = re.compile("|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in words))
    folders = (*PACKAGES, "tests", "docs", "examples", "benchmarks", "scripts", ".ci")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    files += [path for path in sorted(ROOT.iterdir()) if path.is_file()]
    suffixes = {".py", ".md", ".toml", ".txt", ".sql", ".json", ""}
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files
        if path.suffix in suffixes and ".git" not in path.parts
        for match in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []

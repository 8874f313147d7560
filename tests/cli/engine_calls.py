"""One walk through the engine's commands on the example, each answering in JSON: what docs/json.md shows."""

from pathlib import Path
from typing import Any

from tests.e2e.project import Project


def answers(folder: Path) -> dict[str, Any]:
    """Return what each command printed, by its name."""
    project = Project.copy(folder)
    project.ok("sync")
    _edit_all_over(project)
    found: dict[str, Any] = {}

    def ask(name: str, *arguments: str, code: int = 0) -> Any:
        found[name] = project.data(*name.split(), *arguments, code=code)
        return found[name]

    ask("plan")
    ask("sync")
    ask("status")
    ask("conflicts")
    ask("held")
    ask("resolve", "our-12", "--field", "priority", "--take", "vault")
    ask("log", "--run", str(found["sync"]["run"]))
    ask("undo", str(found["sync"]["run"]))
    ask("task list", "--owner", "mika")
    ask("task add", "Repair the crane", "labels=dock,urgent")
    ask("task set", "our-20", "priority=p1")
    ask("task move", "our-20", "start")
    ask("event add", "our-20", "--kind", "progress", "--text", "half done")
    ask("evidence add", "our-20", "--status", "passed", "--method", "pytest", "--summary", "14 passed")
    ask("evidence list", "our-20")
    ask("task show", "our-20")
    ask("deps add", "our-20", "our-21", "--write")
    ask("deps remove", "our-20", "our-21")
    project.note("HARBOUR-21").unlink()
    project.ok("sync")
    ask("restore", "our-21")
    ask("adopt", "--spoke", "vault")
    ask("replay")
    return found


def _edit_all_over(project: Project) -> None:
    """Leave one edit, one conflict and one held move."""
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    project.edit(project.note("HARBOUR-12"), "priority: p1", "priority: p4")
    project.set_on_board("HARBOUR-12", priority="p2")
    project.set_on_board("HARBOUR-14", status="completed")

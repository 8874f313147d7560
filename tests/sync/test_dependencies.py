"""Dependencies nobody knows and circles: held while they are wrong, released when they are right."""

from typing import Any

import pytest

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Refused
from tallystick_sync.answers import resolve
from tests.sync.conftest import Project
from tests.sync.rig import Rig


def started(project: Project, names: str = "a b", *, gates: tuple[str, ...] = (), **fields: Any) -> Rig:
    """Return a project in step, with one task under way."""
    rig = project(names, gates=gates)
    rig.put("a", "T-1", title="Build it", status="in-progress", **fields)
    rig.sync()
    rig.check_rest()
    return rig


def test_an_unknown_dependency_is_held_until_its_task_arrives(project: Project) -> None:
    rig = started(project)
    rig.put("a", "T-1", dependsOn=["T-2"], owner="ana")
    report = rig.sync()
    assert [(item["field"], item["missing"]) for item in report.held] == [("dependsOn", ["a task with the id T-2"])]
    assert report.partial
    assert rig.everywhere("T-1", "dependsOn") == [None, ["T-2"], None]
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.check_rest()
    rig.put("b", "T-2", title="The other")
    rig.sync()
    assert rig.everywhere("T-1", "dependsOn") == [["T-2"]] * 3
    assert rig.waiting() == set()
    rig.check_rest()


def test_a_new_task_with_an_unknown_dependency_is_taken_without_it(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="A", dependsOn=["T-9"])
    rig.sync()
    assert rig.everywhere("T-1", "dependsOn") == [None, ["T-9"], None]
    assert rig.waiting() == {("T-1", "dependsOn")}
    rig.check_rest()


def test_a_circle_made_by_two_spokes_is_held_and_released(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.put("a", "T-1", dependsOn=["T-2"])
    rig.put("b", "T-2", dependsOn=["T-1"])
    rig.sync()
    assert rig.waiting() == {("T-2", "dependsOn")}
    assert rig.everywhere("T-1", "dependsOn") == [["T-2"]] * 3
    rig.check_rest()
    rig.put("a", "T-1", dependsOn=[])
    rig.sync()
    assert rig.everywhere("T-2", "dependsOn") == [["T-1"]] * 3
    rig.check_rest()


def test_an_old_circle_does_not_hide_a_new_one(project: Project) -> None:
    rig = project("a b")
    for ident in ("T-1", "T-2", "T-3", "T-4"):
        rig.put("a", ident, title=ident)
    rig.sync()
    with rig.editor() as editor:
        for one, other in (("T-1", "T-2"), ("T-2", "T-1")):
            editor.store(Key("task", one), {"title": one, "dependsOn": [other]}, [])
    rig.sync()
    rig.put("a", "T-3", dependsOn=["T-4"])
    rig.put("a", "T-4", dependsOn=["T-3"])
    rig.sync()
    assert rig.waiting() == {("T-4", "dependsOn")}


def test_an_answer_closes_no_circle(project: Project) -> None:
    rig = project("a b")
    rig.put("a", "T-1", title="One", dependsOn=["T-2"])
    rig.put("a", "T-2", title="Two")
    rig.sync()
    rig.put("b", "T-2", dependsOn=["T-1"])
    rig.sync()
    with pytest.raises(Refused, match="circle"), rig.editor() as editor:
        resolve(editor, Key("task", "T-2"), "dependsOn", take="b")
    with rig.editor() as editor:
        resolve(editor, Key("task", "T-2"), "dependsOn", take="hub")
    rig.sync()
    assert rig.everywhere("T-2", "dependsOn") == [None] * 3
    rig.check_rest()

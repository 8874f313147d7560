"""The plan as a whole: what spokes cannot hold or may not be given, and that order never matters."""

from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Key
from tallystick_sync.case import Case, Copy, Decision, Spoke, World
from tallystick_sync.plan import plan
from tests.sync.conftest import Project


def test_what_a_spoke_cannot_hold_is_declared_and_not_lost(project: Project) -> None:
    rig = project("a b c")
    rig.places["b"].gaps = ("task.owner", "task.notes")
    rig.places["c"].kinds = ("task",)
    rig.put("a", "T-1", title="One", owner="ana", notes="n")
    rig.put("a", "E-1", "evidence", target="T-1", status="passed")
    report = rig.sync()
    assert report.gaps == {"b": {"task.owner": 1, "task.notes": 1}, "c": {"evidence": 1}}
    rig.put("b", "T-1", title="Uno")
    rig.sync()
    assert rig.hub("T-1") == {"title": "Uno", "owner": "ana", "notes": "n", "deliveryState": "reported"}
    rig.check_rest()


def test_a_spoke_that_is_only_read_is_never_written(project: Project) -> None:
    rig = project("a b")
    rig.places["b"].writable = False
    rig.put("b", "T-1", title="One")
    rig.sync()
    rig.put("a", "T-1", title="Uno")
    rig.put("a", "T-2", title="Two")
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Uno", "Uno", "One"]
    assert rig.shown("b", "T-2") is None
    assert rig.sync().writes == 0
    rig.put("b", "T-1", owner="ana")
    rig.sync()
    assert rig.everywhere("T-1", "owner") == ["ana"] * 3
    rig.places["b"].writable = True
    rig.sync()
    assert rig.everywhere("T-1", "title") == ["Uno"] * 3
    rig.check_rest()


# Order


_titles = st.sampled_from(["one", "two", "three"])
_docs = st.fixed_dictionaries(
    {"title": _titles},
    optional={
        "status": st.sampled_from(["in-progress", "completed"]),
        "labels": st.lists(st.sampled_from("xyz"), min_size=1, unique=True),
        "dependsOn": st.lists(st.sampled_from(["T-1", "T-2"]), min_size=1, unique=True),
        "decisionGate": st.just({"noAutoClose": True}),
    },
)
_copies = st.builds(
    Copy,
    base=st.none() | _docs,
    seen=st.none() | _docs,
    gone=st.booleans(),
    unreadable=st.booleans(),
    revision=st.just("r"),
)


def _cases(data: st.DataObject) -> list[Case]:
    return [
        Case(
            Key("task", ident),
            data.draw(st.none() | _docs),
            data.draw(st.dictionaries(st.sampled_from("abc"), _copies)),
        )
        for ident in ("T-1", "T-2")
    ]


def _copied(cases: list[Case], order: tuple[str, ...]) -> list[Case]:
    return [
        Case(case.key, case.hub, {spoke: case.copies[spoke] for spoke in order if spoke in case.copies}, case.deleted)
        for case in cases
    ]


def _decided(decision: Decision) -> tuple[Any, ...]:
    return (
        decision.hub, decision.deleted, sorted(decision.copies.items()), sorted(decision.changes.items()),
        decision.conflicts, decision.held, decision.edits, decision.waiting, decision.problem,
    )  # fmt: skip


@given(st.data())
def test_neither_the_order_of_spokes_nor_that_of_cases_matters(data: st.DataObject) -> None:
    cases = _cases(data)
    graph: dict[str, Any] = {case.key.id: case.hub for case in cases if case.hub is not None}
    spoke = Reference(Store())
    found = []
    for order in permutations("abc"):
        spokes = {name: Spoke(spoke.capabilities(), spoke.image) for name in order}
        world = World(
            5, "2025-01-01T00:00:00Z", spokes,
            dependencies=lambda: {ident: doc.get("dependsOn", ()) for ident, doc in graph.items()},
        )  # fmt: skip
        copied = _copied(cases, order)
        made = plan(copied if order[0] != "a" else copied[::-1], world)
        found.append({decision.key: _decided(decision) for decision in made.decisions})
    assert all(decided == found[0] for decided in found)

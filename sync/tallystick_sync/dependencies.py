"""Faults of the dependency graph: ids nobody knows, and circles; pure."""

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter


def faults(graph: Mapping[str, Sequence[str]], changed: Collection[str]) -> dict[str, list[str]]:
    """Return, for tasks among `changed`, what is wrong with their dependencies.

    Of a circle, the changed task that is last by id is held, until no circle is left; so which one is held does
    not depend on the order in which spokes are read.
    """
    found: dict[str, list[str]] = {}
    edges = dict(graph)
    for task in sorted(changed):
        unknown = sorted(name for name in edges.get(task, ()) if name not in graph)
        if unknown:
            found[task] = [f"a task with the id {name}" for name in unknown]
            edges[task] = ()
    while (circle := find_circle(edges)) is not None:
        held = max((task for task in circle if task in changed), default=None)
        if held is not None:
            found.setdefault(held, []).append("an end to the circle " + " -> ".join(circle))
        edges[circle[0] if held is None else held] = ()  # an older circle is cut here only to see past it
    return found


def find_circle(graph: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Return the ids along one circle of the graph, the first repeated at the end, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None

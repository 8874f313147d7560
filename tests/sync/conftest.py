"""Fixtures of the engine's tests: a project by the names of its spokes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sync.rig import Rig

type Project = Callable[..., Rig]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a maker of projects, one a test: `project("a b c")`."""
    made: list[Rig] = []

    def make(names: str, **options: Any) -> Rig:
        made.append(Rig(tmp_path / str(len(made)), names, **options))
        return made[-1]

    yield make
    for rig in made:
        rig.ledger.close()


def filled(project: Project, names: str = "a b", count: int = 12) -> Rig:
    """Return a project in step with `count` tasks, T-1 and so on."""
    rig = project(names)
    for number in range(1, count + 1):
        rig.put("a", f"T-{number}", title=f"Task {number}")
    rig.sync()
    rig.check_rest()
    return rig

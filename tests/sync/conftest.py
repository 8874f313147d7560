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

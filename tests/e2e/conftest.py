"""The example project, fresh or already in step."""

from pathlib import Path

import pytest

from tests.e2e.project import Project


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """Return a copy of the example that was never synced."""
    return Project.copy(tmp_path / "harbour")


@pytest.fixture
def project(fresh: Project) -> Project:
    """Return a copy of the example whose three spokes are in step."""
    assert fresh.last_line("sync") == "in step, 34 writes"
    return fresh

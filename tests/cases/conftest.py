"""A team of twelve tasks, in step on all three spokes."""

from pathlib import Path

import pytest

from tests.cases.team import Team, tasks


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """Return a project whose tasks T-1 to T-12 are on board, in database and in vault."""
    return Team.found(tmp_path / "harbour", tasks(12))

"""Fixtures of the board's tests."""

import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "agents-lab"


@pytest.fixture
def real_board(tmp_path: Path) -> Path:
    """Return a folder with a writable copy of a real board in `.project`."""
    if not DATA.is_dir():
        pytest.skip("the real boards are not beside this checkout")
    shutil.copytree(DATA / "dot-project", tmp_path / ".project", copy_function=shutil.copyfile)
    for folder in (tmp_path / ".project", *(tmp_path / ".project").iterdir()):
        if folder.is_dir():
            folder.chmod(0o755)
    return tmp_path

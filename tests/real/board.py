"""The real board beside the checkout, and spokes and runs over copies of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc
from tallystick_sync.ledger import Ledger
from tallystick_sync.report import Report
from tallystick_sync.run import Options, sync
from tallystick_sync.survey import Engine, Member

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "agents-lab"
type Hop = tuple[str, Callable[[], dict[str, Adapter]]]
"""A ledger's file name, and what makes the spokes it keeps in step."""

NOW = "2026-01-01T00:00:00Z"


def skip_without_data() -> None:
    """Skip, aloud, where the board is not there."""
    if not DATA.is_dir():
        pytest.skip("the real boards are not beside this checkout")


def copy_board(root: Path) -> Path:
    """Put a writable copy of the board's folder into `root`."""
    skip_without_data()
    target = root / ".project"
    shutil.copytree(DATA / "dot-project", target)
    for path in (target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def board(root: Path, path: str = ".project") -> Adapter:
    """Return a board spoke."""
    return ProjectJson("board", {"path": path}, str(root))


def database(root: Path) -> Adapter:
    """Return a SQLite spoke."""
    return Sqlite("db", {"path": "tasks.db"}, str(root))


def vault(root: Path) -> Adapter:
    """Return a Markdown spoke."""
    return Markdown("vault", {"path": "vault"}, str(root))


def run(ledger_path: Path, spokes: dict[str, Adapter], options: Options | None = None) -> Report:
    """Sync the spokes once over the ledger at this path."""
    ledger = Ledger.open(ledger_path)
    members = [Member(name, adapter) for name, adapter in spokes.items()]
    try:
        return sync(Engine(ledger, members, lambda: NOW), options or Options())
    finally:
        for adapter in spokes.values():
            adapter.close()
        ledger.close()


def images(adapter: Adapter) -> dict[Key, Doc]:
    """Return everything a spoke shows."""
    shown = {seen.key: seen.image for seen in adapter.pull({}, full=True).observed}
    adapter.close()
    return shown

"""Board to database to vault to a fresh board: nothing lost, nothing written twice, the first board not touched."""

from pathlib import Path

from tallystick_contract.adapter import Adapter
from tallystick_contract.journal import replay
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.history import entries, replay_differences

from . import board as real


def _bytes_and_times(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_every_field_arrives_on_a_fresh_board(tmp_path: Path) -> None:
    first = real.copy_board(tmp_path)
    before = _bytes_and_times(first)
    hops: tuple[real.Hop, ...] = (
        ("one.db", lambda: {"board": real.board(tmp_path), "db": real.database(tmp_path)}),
        ("two.db", lambda: {"db": real.database(tmp_path), "vault": real.vault(tmp_path)}),
        ("three.db", lambda: {"vault": real.vault(tmp_path), "fresh": real.board(tmp_path, "fresh")}),
    )
    for ledger, spokes in hops:
        report = real.run(tmp_path / ledger, spokes())
        assert not report.partial, report.problems
        assert not report.conflicts
        assert not report.held
        assert real.run(tmp_path / ledger, spokes()).writes == 0
    shown = {key: doc for key, doc in real.images(real.board(tmp_path)).items() if key.kind != "event"}
    assert len(shown) == 1_194 + 1_710
    assert real.images(real.board(tmp_path, "fresh")) == shown
    assert _bytes_and_times(first) == before


def test_three_spokes_in_one_project(tmp_path: Path) -> None:
    first = real.copy_board(tmp_path)
    before = _bytes_and_times(first)

    def spokes() -> dict[str, Adapter]:
        return {"board": real.board(tmp_path), "db": real.database(tmp_path), "vault": real.vault(tmp_path)}

    assert not real.run(tmp_path / "ledger.db", spokes()).partial
    assert real.run(tmp_path / "ledger.db", spokes()).writes == 0
    assert _bytes_and_times(first) == before
    assert {name.split("/")[0] for name in before} >= {"issues.json", "requirements.json", "archive"}
    ledger = Ledger.open(tmp_path / "ledger.db")
    assert replay_differences(ledger) == []
    everything = list(entries(ledger))
    ledger.close()
    half = everything[: len(everything) // 2]
    assert replay([*half, *half, *everything]) == replay(everything)
    assert replay(reversed(everything)) == replay(everything)  # one entry a record: no cause orders them

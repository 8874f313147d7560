"""Files as spokes need them: what the system refuses is named, and stops a spoke or a record, never the whole run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick_adapters.support import files
from tallystick_contract.errors import Broken, Stale


def test_a_folder_that_cannot_be_locked_or_made_ended_the_run_for_every_spoke(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Broken, match="cannot be created: Not a directory"):
        files.make_folder(tmp_path / "file" / "folder")
    with pytest.raises(Broken, match="cannot be locked: No such file"), files.locked(tmp_path / "nowhere"):
        pass
    with pytest.raises(Broken, match="cannot be locked: Not a directory"), files.locked(tmp_path / "file"):
        pass


def test_a_lock_that_somebody_does_not_let_go_of_was_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0)
    with (
        files.locked(tmp_path),
        pytest.raises(Broken, match="another program has been writing here"),
        files.locked(tmp_path),
    ):
        pass
    with files.locked(tmp_path):
        assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_under_a_lock_is_not_the_locks(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), files.locked(tmp_path):
        (tmp_path / "nowhere").read_bytes()


@pytest.mark.parametrize("write", [files.remove, lambda path, expect: files.replace(path, b"new", expect)])
def test_a_file_taken_away_just_before_it_was_written_ended_the_run(
    tmp_path: Path, write: Callable[[Path, bytes], object]
) -> None:
    with pytest.raises(Stale, match="taken away"):
        write(tmp_path / "gone.md", b"old")
    assert list(tmp_path.iterdir()) == []

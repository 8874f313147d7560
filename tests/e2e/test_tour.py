"""The README shows what the commands really print."""

from pathlib import Path

from tests.e2e.render_tour import README, renewed


def test_the_tour_in_the_readme_is_what_running_it_prints(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count("```console") == 6
    assert renewed(text, tmp_path) == text, "run `make docs`"

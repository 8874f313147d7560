"""Adapters are found through the entry-point door, and what is missing is said in one sentence."""

from pathlib import Path

import pytest

from tallystick_adapters import registry
from tallystick_contract.errors import Invalid
from tests.cli.plugin import ADAPTER, install


def test_ours_and_a_strangers_come_through_the_same_door_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, module="found_adapter")
    assert registry.names() == ["hello", "markdown", "project-json", "sqlite"]
    assert registry.provider("hello") == "found_adapter 1.0"
    assert registry.sample("hello", str(tmp_path)).capabilities().holds("task")


def test_listing_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, module="explosive_adapter", source="raise SystemError('imported')")
    assert "hello" in registry.names()


def test_an_unknown_type_names_the_known_ones() -> None:
    with pytest.raises(Invalid) as caught:
        registry.factory("jira")
    assert "'jira'" in caught.value.what
    assert caught.value.todo == "installed types: markdown, project-json, sqlite"


def test_a_missing_optional_dependency_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = registry._entry("markdown")
    told = registry._incomplete(entry, "ruamel")
    assert told.what == "the adapter 'markdown' needs ruamel, which is missing"
    assert told.todo == "install tallystick[markdown]"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import surely_not_installed", "needs surely_not_installed, which is missing"),
        (None, "its module broken_adapter is not there"),
        ("1 / 0", "ZeroDivisionError"),
        ("", "has no attribute 'Hello'"),
    ],
)
def test_a_strangers_adapter_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str | None, words: str
) -> None:
    install(tmp_path, monkeypatch, module="broken_adapter", source=source)
    with pytest.raises(Invalid) as caught:
        registry.factory("hello")
    assert words in caught.value.what
    assert "broken_adapter" in str(caught.value)


def test_a_type_claimed_twice_is_refused_with_both_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "one", monkeypatch, module="one_adapter", source=ADAPTER)
    install(tmp_path / "two", monkeypatch, module="two_adapter", source=ADAPTER)
    with pytest.raises(Invalid, match="one_adapter and two_adapter"):
        registry.factory("hello")
    assert "hello" in registry.names()

"""The kit stays whole: nobody leaves a check out unseen, and the card says what was run and what it came to."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tallystick_conformance.suite import CHECKS, AdapterSuite

pytest_plugins = ["pytester"]

LEVELS = [
    "codec", "reading", "writing", "staleness", "identity", "absence", "lifecycle", "text fidelity", "paging", "faults",
    "events", "evidence", "gates", "concurrency",
]  # fmt: skip
SUITE = """
import pytest
from tallystick_conformance import AdapterSuite
from tallystick_conformance.reference import Reference, Store

class TestMine(AdapterSuite):
    @pytest.fixture
    def store(self): return Store()
    @pytest.fixture
    def adapter(self, store): return lambda: Reference(store)
    @pytest.fixture
    def plant(self, store): return lambda key, doc: store.records.update({key: dict(doc)})
    @pytest.fixture
    def peek(self, store): return lambda: list(store.records.items())
"""
EMPTY, LISTED = "test_an_empty_spoke_lists_nothing", "test_a_full_pull_lists_everything"
SKIPPED = "test_a_spoke_that_deletes_nothing_says_so"


def card(pytester: pytest.Pytester, more: str, *options: str, only: str = EMPTY) -> dict[str, Any]:
    """Run some checks of a suite with something added to it, and return its card."""
    pytester.makepyfile(test_mine=SUITE + more)
    pytester.runpytest_inprocess("-k", only, "--conformance-json=cards.json", *options)
    found: dict[str, Any] = json.loads(pytester.path.joinpath("cards.json").read_text())["cards"][0]
    return found


def result(found: dict[str, Any], check: str) -> tuple[str, str]:
    """Return what became of a check, and the first reason."""
    (line,) = [line for line in found["checks"] if line["check"] == check]
    return line["result"], next(iter(line["reasons"]), "")


def test_there_are_at_least_a_hundred_checks_in_the_levels_asked_for() -> None:
    assert list(dict.fromkeys(check.level for check in CHECKS.values())) == LEVELS
    assert len(CHECKS) >= 100
    assert len(CHECKS) == sum(name.startswith("test_") for level in AdapterSuite.__bases__ for name in vars(level))


def test_every_check_says_in_a_sentence_what_it_wants() -> None:
    assert [name for name, check in CHECKS.items() if not check.sentence.endswith((".", "?"))] == []


def test_a_check_that_was_not_run_is_on_the_card_and_in_the_verdict(pytester: pytest.Pytester) -> None:
    found = card(pytester, "")
    assert (result(found, EMPTY)[0], result(found, LISTED)[0], found["conformant"]) == ("passed", "not run", False)


@pytest.mark.parametrize("change", [f"    def {EMPTY}(self): pass\n", f"    {EMPTY} = None\n"])
def test_a_check_that_was_overridden_or_removed_fails_by_name(pytester: pytest.Pytester, change: str) -> None:
    found = card(pytester, change)
    assert result(found, EMPTY) == (
        "failed",
        f"check {EMPTY} was overridden or removed: put it back, or name it in `expected_failures` with the reason",
    )


def test_a_check_replaced_on_the_kit_s_own_class_fails_by_name(pytester: pytest.Pytester) -> None:
    found = card(pytester, f"\nTestMine.{EMPTY} = lambda self: None\n")
    assert result(found, EMPTY)[0] == "failed"


def test_an_expected_failure_with_a_reason_is_expected(pytester: pytest.Pytester) -> None:
    more = f"    def {EMPTY}(self): pass\n    expected_failures = {{'{EMPTY}': 'begins with a welcome task'}}\n"
    assert result(card(pytester, more), EMPTY) == ("expected", "begins with a welcome task")


def test_an_expected_failure_that_passes_fails(pytester: pytest.Pytester) -> None:
    found = card(pytester, f"    expected_failures = {{'{EMPTY}': 'it was broken once'}}\n")
    assert (result(found, EMPTY)[0], found["conformant"]) == ("failed", False)


@pytest.mark.parametrize(
    ("expected", "told"),
    [("{'test_of_mine': 'why'}", "test_of_mine, which is no check"), (f"{{'{EMPTY}': ' '}}", "gives no reason")],
)
def test_a_list_of_expected_failures_that_means_nothing_fails(
    pytester: pytest.Pytester, expected: str, told: str
) -> None:
    found = card(pytester, f"    expected_failures = {expected}\n", only="expected_failures")
    assert told in result(found, "expected_failures")[1]


@pytest.mark.parametrize(
    ("mark", "told"),
    [("skip(reason='later')", "not skipped by the kit: Skipped: later"), ("xfail(reason='later')", "not in")],
)
def test_a_mark_of_the_author_leaves_no_check_out(pytester: pytest.Pytester, mark: str, told: str) -> None:
    more = f"    pytestmark = pytest.mark.{mark}\n    @pytest.fixture\n    def peek(self): raise ValueError\n"
    found = card(pytester, more)
    assert (result(found, EMPTY)[0], found["conformant"]) == ("not run", False)
    assert told in result(found, EMPTY)[1]


def test_the_bench_is_the_kit_s_own(pytester: pytest.Pytester) -> None:
    found = card(pytester, "    @pytest.fixture\n    def bench(self): return None\n", only="bench")
    assert result(found, "bench") == (
        "failed",
        "the fixture `bench` is the kit's own: write `adapter`, `plant` and `peek`",
    )


def test_a_skip_of_the_kit_is_one_with_its_reason(pytester: pytest.Pytester) -> None:
    assert result(card(pytester, "", only=SKIPPED), SKIPPED) == ("skipped", "declares that it deletes")


def test_the_card_has_the_fidelity_of_every_field(pytester: pytest.Pytester) -> None:
    declared = card(pytester, "")["fidelity"]
    assert declared["task"]["title"] == {"fidelity": "native", "place": "title", "note": ""}
    assert {kind: len(table) for kind, table in declared.items()} == {"task": 17, "event": 6, "evidence": 11}


def test_other_processes_enter_their_results_on_the_same_card(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE)
    pytester.runpytest_subprocess("-n", "2", "-k", f"{EMPTY} or {LISTED}", "--conformance-json=cards.json")
    (found,) = json.loads(pytester.path.joinpath("cards.json").read_text())["cards"]
    assert [result(found, name)[0] for name in (EMPTY, LISTED, SKIPPED)] == ["passed", "passed", "not run"]


def test_the_card_goes_to_terminal_markdown_and_junit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE)
    said = pytester.runpytest_inprocess("-k", EMPTY, "--conformance-md=card.md", "--junitxml=junit.xml")
    said.stdout.fnmatch_lines(
        ["*conformance of test_mine.py::TestMine*", "reading * 1 *", "*NOT conformant: 1 passed*"]
    )
    markdown = pytester.path.joinpath("card.md").read_text()
    assert "### Conformance of TestMine" in markdown
    assert "| title | native | title |  |" in markdown
    assert '<property name="level" value="reading"' in pytester.path.joinpath("junit.xml").read_text()


def test_a_failure_prints_what_the_check_wants(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE + "    @pytest.fixture\n    def peek(self): raise ValueError\n")
    said = pytester.runpytest_inprocess("-k", EMPTY)
    said.stdout.fnmatch_lines(["*what this check wants*", CHECKS[EMPTY].sentence])


def test_a_run_without_a_suite_loads_nothing_of_the_kit(tmp_path: Path) -> None:
    heavy = "{'hypothesis.core', 'tallystick_sync', 'tallystick_contract'}"
    tmp_path.joinpath("test_plain.py").write_text(
        f"import sys\ndef test_it():\n    assert not {heavy} & set(sys.modules)\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
        str(tmp_path),
    ]
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0

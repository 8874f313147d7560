"""The kit bites: every seeded fault is found by the check that is meant for it, and what is not broken passes."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.conformance.seeded import suites
from tests.conformance.seeded.table import TABLE
from tests.e2e.project import ROOT

SUITES = "tests/conformance/seeded/suites.py"
WHOLE = ("Reference", "Hostile", "Hello")
SOUND = ("test_the_declaration_is_always_the_same", "test_only_known_kinds_and_fields_are_declared")
"""What a spoke with one small fault does as well as any: a variant that fails here is broken in some other way."""


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Run the meant checks on every variant in one child, and return result by check, variant by variant."""
    meant = sorted({check for checks in TABLE.values() for check in checks} | set(SOUND))
    items = [f"{SUITES}::Test{name}::{check}" for name in WHOLE for check in meant]
    items += [f"{SUITES}::Test{name}::{check}" for name, checks in TABLE.items() for check in (*checks, *SOUND)]
    folder = tmp_path_factory.mktemp("bites")
    (folder / "items").write_text("\n".join(items))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'temp'}"]
    command += ["--conformance-json", str(folder / "cards.json"), f"@{folder / 'items'}"]
    child = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert child.returncode == 1, child.stdout[-2000:] + child.stderr  # 1: some failed; not 2, 3, 4: it ran to its end
    found = json.loads((folder / "cards.json").read_text())
    assert found["errors"] == []
    return {
        card["subject"].rpartition("::Test")[2]: {line["check"]: line for line in card["checks"]}
        for card in found["cards"]
    }


@pytest.mark.parametrize("name", TABLE)
def test_a_seeded_fault_is_found_by_the_check_meant_for_it(cards: dict[str, dict[str, Any]], name: str) -> None:
    missed = [check for check in TABLE[name] if cards[name][check]["result"] != "failed"]
    assert missed == []
    assert [cards[name][check]["result"] for check in SOUND] == ["passed"] * len(SOUND)


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_not_broken_passes_the_same_checks(cards: dict[str, dict[str, Any]], name: str) -> None:
    bad = [check for check, line in cards[name].items() if line["result"] == "failed"]
    assert bad == []


def test_every_fault_seeded_is_in_the_table() -> None:
    seeded = {name.removeprefix("Test") for name in vars(suites) if name.startswith("Test")}
    assert seeded == {*TABLE, *WHOLE}

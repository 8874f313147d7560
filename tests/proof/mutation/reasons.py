"""Why some of the tool's mutants survive: one reason each, and none without a survivor."""

import tomllib
from pathlib import Path
from typing import Final

from tests.proof.mutation.outcome import Change

FILE: Final = Path(__file__).with_suffix(".toml")


def load() -> dict[Change, str]:
    """Return the reason of every known survivor."""
    known = tomllib.loads(FILE.read_text(encoding="utf-8")).get("survivor", [])
    return {Change(item["function"], item["old"], item["new"]): item["reason"] for item in known}

"""The report card of one adapter: what became of every check, level by level, and the verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tallystick_contract.capabilities import Capabilities

type Fidelities = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Record kind to field to its fidelity, place and note."""


class Result(StrEnum):
    """What became of a check. Everything but `failed` and `missing` is fine."""

    PASSED = "passed"
    FAILED = "failed"
    EXPECTED = "expected"  # failed as its author said, with a reason
    SKIPPED = "skipped"  # does not apply to what the spoke declares
    MISSING = "not run"  # deselected, skipped by somebody else, or never reached


_WORST = (Result.FAILED, Result.MISSING, Result.EXPECTED, Result.PASSED, Result.SKIPPED)


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a check, of one field for example: its name as pytest has it, the result and the reason."""

    name: str
    result: Result
    reason: str = ""


@dataclass(slots=True)
class Line:
    """A check on the card: its level, the sentence that says what it wants, and its cases."""

    level: str
    check: str
    sentence: str
    cases: dict[str, Case] = field(default_factory=dict)

    @property
    def result(self) -> Result:
        """Return the worst result of all cases; it passed if any case that applies did and none failed."""
        found = {case.result for case in self.cases.values()}
        return next((result for result in _WORST if result in found), Result.MISSING)

    @property
    def reasons(self) -> Sequence[str]:
        """Return the reasons of the cases that did not pass, each once."""
        return tuple(dict.fromkeys(case.reason for case in self.cases.values() if case.reason))


@dataclass(slots=True)
class Card:
    """The card of one subject. `lines` has every check of the kit, run or not; `note` is printed under the verdict."""

    subject: str
    lines: dict[str, Line]
    fidelity: Fidelities = field(default_factory=dict)
    note: str = ""

    def enter(self, level: str, check: str, case: Case) -> None:
        """Enter one case; what is no check of the kit, a tampered fixture for example, gets a line of its own."""
        line = self.lines.setdefault(check, Line(level, check, ""))
        before = line.cases.get(case.name)
        if before is None or before.result is not Result.FAILED:
            line.cases[case.name] = case

    @property
    def conformant(self) -> bool:
        """Tell whether every check passed, does not apply, or failed as its author said."""
        return not {Result.FAILED, Result.MISSING} & {line.result for line in self.lines.values()}

    @property
    def verdict(self) -> str:
        """Return the verdict in one line."""
        counts = self.counts(self.lines.values())
        told = ", ".join(f"{counts[result]} {result}" for result in Result if counts[result])
        return f"{'conformant' if self.conformant else 'NOT conformant'}: {told}, of {len(self.lines)} checks"

    def levels(self) -> dict[str, list[Line]]:
        """Return the lines by level."""
        found: dict[str, list[Line]] = {}
        for line in self.lines.values():
            found.setdefault(line.level, []).append(line)
        return found

    @staticmethod
    def counts(lines: Iterable[Line]) -> Counter[Result]:
        """Return how many checks came to which result."""
        return Counter(line.result for line in lines)

    def _totals(self, lines: Iterable[Line]) -> dict[str, int]:
        counts = self.counts(lines)
        return {str(result): counts[result] for result in Result}

    def data(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        return {
            "subject": self.subject,
            "conformant": self.conformant,
            "verdict": self.verdict,
            "note": self.note,
            "levels": {level: self._totals(lines) for level, lines in self.levels().items()},
            "checks": [
                {
                    "level": line.level, "check": line.check, "sentence": line.sentence, "result": line.result,
                    "reasons": list(line.reasons), "cases": len(line.cases),
                    "failed": [case.name for case in line.cases.values() if case.result is Result.FAILED],
                }
                for line in self.lines.values()
            ],
            "fidelity": self.fidelity,
        }  # fmt: skip


def fidelities(capabilities: Capabilities) -> Fidelities:
    """Return what a spoke declares as JSON data."""
    return {
        kind: {
            name: {"fidelity": str(mapped.fidelity), "place": mapped.place, "note": mapped.note}
            for name, mapped in table.items()
        }
        for kind, table in capabilities.fields.items()
    }

"""What a part of the matrix came to: counts by scenario and kind of boundary, and the failures, each with its line."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tests.proof.matrix.watch import Boundary

COLUMNS: Final = (
    "edit", "forget", "run", "decide", "intend", "apply", "reply", "file", "commit", "settle", "clean", "remember",
    "head", "ENOSPC", "EIO",
)  # fmt: skip
"""Kinds of boundary, in the order in which a run comes by them; errors of a disk can come anywhere."""


@dataclass
class Score:
    """One scenario on one kind of adapter: the boundaries it was disturbed at, and what went wrong."""

    scenario: str
    adapter: str
    boundaries: list[Boundary] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def table(scores: Iterable[Score]) -> str:
    """Return the counts by scenario and kind of boundary, and the totals by adapter and by what happened."""
    counts: dict[str, Counter[str]] = {}
    adapters: Counter[str] = Counter()
    deeds: Counter[str] = Counter()
    for score in scores:
        row = counts.setdefault(score.scenario, Counter())
        row.update(boundary.kind for boundary in score.boundaries)
        adapters[score.adapter] += len(score.boundaries)
        deeds.update(boundary.deed for boundary in score.boundaries)
    kinds = [*COLUMNS, *sorted({kind for row in counts.values() for kind in row} - {*COLUMNS})]
    total = sum(counts.values(), Counter[str]())
    rows = [(name, [row[kind] for kind in kinds]) for name, row in [*counts.items(), ("all", total)]]
    lines = [f"{'scenario':36}{''.join(f'{kind:>9}' for kind in kinds)}{'all':>9}"]
    lines += [f"{name:36}{''.join(f'{n or "·":>9}' for n in row)}{sum(row):>9}" for name, row in rows]
    lines += ["by adapter: " + _listed(adapters), "by what happened: " + _listed(deeds)]
    return "\n".join(lines)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())

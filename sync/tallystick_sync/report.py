"""What a run did, as data: the command line prints it, `--json` prints it as it is."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class SpokeReport:
    """One spoke's part: records read (new or changed), written by kind of write, what it cost, and what stopped it.

    `traffic` holds requests, bytes and seconds waited where the spoke is a server (see `adapter.Traffic`).
    """

    read: int = 0
    created: int = 0
    updated: int = 0
    deleted: int = 0
    traffic: dict[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def writes(self) -> int:
        """Return the number of records written."""
        return self.created + self.updated + self.deleted


@dataclass(slots=True)
class Report:
    """The whole run."""

    run: int = 0
    spokes: dict[str, SpokeReport] = field(default_factory=dict)
    conflicts: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)
    gaps: dict[str, dict[str, int]] = field(default_factory=dict)
    quarantined: list[dict[str, Any]] = field(default_factory=list)
    findings: list[dict[str, str]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    guard: dict[str, str] | None = None
    accepted: int = 0
    amended: int = 0
    replayed: int = 0
    left: int = 0
    interrupted: bool = False

    @property
    def writes(self) -> int:
        """Return the number of records written on all spokes."""
        return sum(spoke.writes for spoke in self.spokes.values())

    @property
    def partial(self) -> bool:
        """Tell whether something could not be done."""
        broken = any(spoke.error for spoke in self.spokes.values())
        faulty = any(item["field"] == "dependsOn" for item in self.held)
        return bool(self.problems or self.quarantined or self.interrupted or broken or faulty)

    def data(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {**asdict(self), "writes": self.writes, "partial": self.partial}

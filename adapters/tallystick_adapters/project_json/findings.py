"""Figures and findings about a whole board, as `tally doctor` reports them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tallystick_adapters.project_json.codec import UNDERSCORED, marked_rank
from tallystick_adapters.project_json.sheet import HANDOFF, VERIFICATION, Sheet
from tallystick_contract.adapter import Finding
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import value

METHODS: Final = frozenset({"command", "inspect", "test"})
"""The methods the board's own schema names (D-05)."""

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found on a board, and figures by name."""

    findings: Sequence[Finding] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Row:
    """One text of a record: a copy in an archive is a row of its own."""

    id: str
    live: bool
    record: Mapping[str, Any]
    image: Doc


def analyse(sheets: Mapping[str, Sheet]) -> Analysis:
    """Return figures and findings of a board all of whose files were read."""
    tasks = list(_rows(sheets.values(), "task"))
    evidence = list(_rows(sheets.values(), "evidence"))
    parts = (
        _sizes(tasks, evidence), _collisions(tasks), _links(tasks, evidence), _methods(evidence), _spellings(tasks),
        _priorities(tasks), _dependencies(tasks), _targets(tasks, evidence), _files(sheets),
    )  # fmt: skip
    return Analysis(
        [finding for part in parts for finding in part.findings],
        {name: figure for part in parts for name, figure in part.counts.items()},
    )


def _rows(sheets: Iterable[Sheet], kind: str) -> Iterator[_Row]:
    for sheet in sheets:
        for entry in sheet.entries:
            if entry.row.kind == kind:
                record, image = sheet.read(entry)
                yield _Row(entry.row.id, not sheet.archived, record, image)


def _found(code: str, what: str, ids: Sequence[str], where: str = "") -> list[Finding]:
    """Return one finding that names the first of the records it is about, none where there are none."""
    if not ids:
        return []
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return [Finding(code, f"{len(ids)} {what}: {', '.join(ids[:_NAMED])}{more}", where)]


def _status(row: _Row) -> str:
    return str(value("task", row.image, "status"))


def _sizes(tasks: Sequence[_Row], evidence: Sequence[_Row]) -> Analysis:
    live = [_status(row) for row in tasks if row.live]
    return Analysis(counts={
        "tasks_live": len(live),
        "tasks_archived": len(tasks) - len(live),
        "evidence_live": sum(row.live for row in evidence),
        "evidence_archived": sum(not row.live for row in evidence),
        "completed_live": live.count("completed"),
        "cancelled_live": live.count("cancelled"),
    })  # fmt: skip


def _collisions(tasks: Sequence[_Row]) -> Analysis:
    live = {row.id: row for row in tasks if row.live}
    archived = {row.id: row for row in tasks if not row.live}
    both = [name for name in live if name in archived]
    other = [name for name in both if _status(live[name]) != _status(archived[name])]
    found = _found("D-07", "ids are live and archived; the live one is the record, the archive copy its history", both)
    return Analysis(found, {"id_collisions": len(both), "id_collisions_with_other_status": len(other)})


def _links(tasks: Sequence[_Row], evidence: Sequence[_Row]) -> Analysis:
    """Judge the pointer `verification` of each completion: strict is a row that is there, passed, about this task."""
    rows = {row.id: row.image for row in evidence}
    passed = {image.get("target") for image in rows.values() if image.get("status") == "passed"}
    loose: dict[str, list[str]] = {"absent": [], "dangling": [], "foreign": [], "unpassed": []}
    completed = [row for row in tasks if _status(row) == "completed"]
    for row in completed:
        pointer = row.record.get("verification")
        target = rows.get(pointer) if isinstance(pointer, str) else None
        if pointer is None or pointer == "":
            loose["absent"].append(row.id)
        elif target is None:
            loose["dangling"].append(row.id)
        elif target.get("target") != row.id:
            loose["foreign"].append(row.id)
        elif target.get("status") != "passed":
            loose["unpassed"].append(row.id)
    unproven = [row.id for row in completed if row.id not in passed]
    findings = [
        *_found("D-06", "completions point to no evidence", loose["absent"]),
        *_found("D-06", "completions point to evidence that is not there", loose["dangling"]),
        *_found("D-06", "completions point to evidence about something else", loose["foreign"]),
        *_found("D-06", "completions point to evidence that did not pass", loose["unpassed"]),
        *_found("D-06", "completions have no passed evidence about themselves at all", unproven),
    ]
    return Analysis(findings, {
        "completions": len(completed),
        "completions_without_strict_link": sum(map(len, loose.values())),
        **{f"completions_with_{name}_link": len(ids) for name, ids in loose.items()},
        "completions_without_passed_evidence": len(unproven),
    })  # fmt: skip


def _methods(evidence: Sequence[_Row]) -> Analysis:
    outside = [row for row in evidence if row.image.get("method") not in METHODS]
    distinct = {row.image["method"] for row in evidence if "method" in row.image}
    what = f"{len(outside)} of {len(evidence)} rows name a method outside {', '.join(sorted(METHODS))}"
    findings = [Finding("D-05", f"{what}; {len(distinct)} spellings in all, kept as they are")] if outside else []
    return Analysis(findings, {"distinct_methods": len(distinct), "methods_outside_enum_rows": len(outside)})


def _spellings(tasks: Sequence[_Row]) -> Analysis:
    underscored = [row.id for row in tasks if row.record.get("status") == UNDERSCORED]
    lists = [row.id for row in tasks if isinstance(row.record.get("notes"), list)]
    findings = [
        *_found("D-02", f"tasks spell their status {UNDERSCORED}, read as in-progress", underscored),
        *_found("D-10", "tasks hold their notes as a list, kept so", lists),
    ]
    return Analysis(findings, {"statuses_underscored": len(underscored), "notes_lists": len(lists)})


def _priorities(tasks: Sequence[_Row]) -> Analysis:
    marked = [row for row in tasks if marked_rank(row.record.get("description"))]
    only = [row.id for row in marked if row.record.get("priority") is None]
    both = [row.id for row in marked if row.record.get("priority") is not None]
    findings = [
        *_found("D-12", "tasks have their priority in their text alone; it is read from there", only),
        *_found("D-12", "tasks have their priority twice, as a key and in their text; the key decides", both),
    ]
    return Analysis(findings, {"priorities_in_text_only": len(only), "priorities_twice": len(both)})


def _dependencies(tasks: Sequence[_Row]) -> Analysis:
    live = {row.id for row in tasks if row.live}
    archived = {row.id for row in tasks if not row.live} - live
    wanted = [(row.id, other) for row in tasks if row.live for other in value("task", row.image, "dependsOn")]
    moved = [f"{name} on {other}" for name, other in wanted if other in archived]
    nowhere = [f"{name} on {other}" for name, other in wanted if other not in archived and other not in live]
    findings = [
        *_found("D-13", "live dependencies are found in the archive only", moved),
        *_found("dependency-missing", "live dependencies name tasks that are nowhere", nowhere),
    ]
    return Analysis(findings, {"dependencies_archived": len(moved), "dependencies_missing": len(nowhere)})


def _targets(tasks: Sequence[_Row], evidence: Sequence[_Row]) -> Analysis:
    known = {row.id for row in tasks}
    other = [row.id for row in evidence if row.image["target"] not in known]
    return Analysis(
        _found("D-14", "rows of evidence are about something that is no task of this board", other),
        {"evidence_on_other_targets": len(other)},
    )


def _files(sheets: Mapping[str, Sheet]) -> Analysis:
    findings = []
    if VERIFICATION in sheets and "verification" in sheets[VERIFICATION].head:
        findings.append(Finding("D-19", "the list is called `verification`; it is written so again", VERIFICATION))
    focus = sheets[HANDOFF].head.get("current_tasks") if HANDOFF in sheets else None
    if isinstance(focus, list) and focus:
        findings.append(Finding("focus", ", ".join(map(str, focus)), HANDOFF))
    return Analysis(findings)

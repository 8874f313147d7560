"""What a plan would write and what a run wrote, as data and as lines a person reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tallystick_contract.adapter import Change
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import value
from tallystick_sync.case import Plan
from tallystick_sync.ledger import Ledger
from tallystick_sync.report import Report, SpokeReport

type Writes = dict[str, list[dict[str, Any]]]
"""Spoke to writes, each `{op, kind, id, fields}`; `fields` of an update are `{name: [before, after]}`."""

SHOWN = 20
"""How many writes to one spoke are listed; the rest is counted."""

LATER = "tally sync carries it to every spoke"
"""What is said after an edit of the hub."""

WIDTH = 60
"""How much of a value a line shows."""


def planned(plan: Plan, spokes: Iterable[str]) -> Writes:
    """Return what a plan would write."""
    shown = {(decision.key, spoke): copy for decision in plan.decisions for spoke, copy in decision.copies.items()}
    result: Writes = {}
    for spoke in spokes:
        for change in plan.changes(spoke):
            copy = shown.get((change.key, spoke))
            before = (copy.seen if copy.seen is not None else copy.base) if copy else None
            result.setdefault(spoke, []).append(_write(change, before or {}))
    return result


def _write(change: Change, before: Doc) -> dict[str, Any]:
    kind, ident = change.key
    fields = {}
    if change.op == "update":
        fields = {name: [value(kind, before, name), after] for name, after in change.fields.items()}
    return {"op": change.op, "kind": kind, "id": ident, "fields": fields}


def written(ledger: Ledger, run: int) -> Writes:
    """Return what a run wrote, from the ledger's own book."""
    result: Writes = {}
    query = "SELECT spoke, op, kind, id, fields FROM writes WHERE run = ? ORDER BY seq"
    for spoke, op, kind, ident, fields in ledger.db.execute(query, (run,)):
        result.setdefault(spoke, []).append({"op": op, "kind": kind, "id": ident, "fields": json.loads(fields)})
    return result


def write_lines(writes: Writes) -> list[str]:
    """Return one line per write, the first of each spoke, such as `board  update TASK-1  priority: unset -> p1`."""
    width = max((len(spoke) for spoke in writes), default=0)
    lines = []
    for spoke, items in writes.items():
        lines += [f"{spoke:<{width}}  {sentence(item)}" for item in items[:SHOWN]]
        if len(items) > SHOWN:
            lines.append(f"{spoke:<{width}}  and {len(items) - SHOWN} more")
    return lines


def sentence(item: Mapping[str, Any]) -> str:
    """Return one write: what was done to which record, and each field before and after."""
    edits = ", ".join(f"{name}: {short(before)} -> {short(after)}" for name, (before, after) in item["fields"].items())
    return f"{item['op']} {named(item)}" + (f"  {edits}" if edits else "")


def named(item: Mapping[str, Any]) -> str:
    """Return a record's id, with its kind where that is not a task."""
    return str(item["id"]) if item["kind"] == "task" else f"{item['kind']} {item['id']}"


def short(item: Any, width: int = WIDTH) -> str:
    """Return a value in few words: a text as it is, nothing as a dash, the rest as JSON.

    >>> short(None), short("p1"), short(["a", "b"]), short({"noAutoClose": True})
    ('-', 'p1', 'a, b', '{"noAutoClose": true}')
    """
    if item is None or item in ("", [], {}):
        return "-"
    if isinstance(item, list) and all(isinstance(part, str) for part in item):
        item = ", ".join(item)
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    return text if len(text) <= width else text[: width - 1] + "…"


def report_lines(report: Report) -> list[str]:
    """Return what a person has to know beside the writes: questions, holds, gaps, and what could not be done."""
    lines = [f"conflict  {conflict_line(item)}" for item in report.conflicts]
    lines += [f"held  {held_line(item)}" for item in report.held]
    for spoke, counts in sorted(report.gaps.items()):
        lines.append(f"gap  {spoke} cannot hold " + ", ".join(f"{what} ({count})" for what, count in counts.items()))
    lines += [f"quarantined  {_unreadable(item)}" for item in report.quarantined]
    lines += [f"finding  {line}" for line in _findings(report.findings)]
    for item in report.problems:
        advice = f" ({item['todo']})" if item["todo"] else ""
        lines.append(f"problem  {item['where']}: {item['what']}{advice}")
    return lines


def _unreadable(item: Mapping[str, Any]) -> str:
    """Return one unreadable record; the spoke's own handle is left out where the reason says the place itself."""
    file = str(item["native"]).partition("#")[0]
    place = "" if item["reason"].startswith(file) else f"{item['native']}: "
    return f"{item['spoke']}: {place}{item['reason']}"


def conflict_line(item: Mapping[str, Any]) -> str:
    """Return one conflict with every value on offer."""
    offers = ", ".join(f"{where} says {short(offer)}" for where, offer in item["values"].items())
    return f"{named(item)}  {item['field']}: {offers}"


def held_line(item: Mapping[str, Any]) -> str:
    """Return one held move with what it waits for."""
    where = f" on {', '.join(item['spokes'])}" if item["spokes"] else ""
    return f"{named(item)}  {item['field']}: {short(item['value'])}{where} waits for {'; '.join(item['missing'])}"


def _findings(findings: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the first finding of each code, and how many more there are."""
    groups: dict[str, list[Mapping[str, str]]] = {}
    for item in findings:
        groups.setdefault(item["code"], []).append(item)
    lines = []
    for code, items in sorted(groups.items()):
        place = f" ({items[0]['where']})" if items[0]["where"] else ""
        more = f", and {len(items) - 1} more" if len(items) > 1 else ""
        lines.append(f"{code}: {items[0]['what']}{place}{more}")
    return lines


def verdict(report: Report, *, done: bool = True) -> str:
    """Return the last line: in step or why not, and the number of writes, done or planned."""
    writes = _counted(report.writes, "write") + ("" if done or not report.writes else " planned")
    open_ends = [
        (len(report.conflicts), "conflict"), (len(report.held), "held move"),
        (len(report.quarantined), "unreadable record"), (len(report.problems), "problem"),
    ]  # fmt: skip
    reasons = [_counted(count, what) for count, what in open_ends if count]
    if report.interrupted:
        reasons.insert(0, f"interrupted with {_counted(report.left, 'write')} left")
    if reasons:
        return f"not in step: {', '.join(reasons)}; {writes}"
    return f"in step, {writes}" if done or not report.writes else writes


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def count(report: Report, writes: Writes) -> None:
    """Put planned writes into a report, where a finished run has those it did."""
    for spoke, items in writes.items():
        part = report.spokes.setdefault(spoke, SpokeReport())
        ops = [item["op"] for item in items]
        part.created, part.updated, part.deleted = ops.count("create"), ops.count("update"), ops.count("delete")

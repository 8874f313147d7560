"""Turns pulls and decisions into the report's lists."""

import json
from collections.abc import Mapping
from typing import Any

from tallystick_contract.adapter import Finding, Waiting
from tallystick_contract.errors import TallystickError
from tallystick_contract.fields import value
from tallystick_sync.case import Decision, Plan
from tallystick_sync.report import Report, SpokeReport
from tallystick_sync.survey import Engine, Survey


def summarise(report: Report, engine: Engine, made: Survey, planned: Plan) -> None:
    """Add one round's reading and planning to the report; open questions are those open after this round."""
    for name, pull in made.pulls.items():
        report.spokes.setdefault(name, SpokeReport()).read += len(pull.observed)
        report.quarantined = [item for item in report.quarantined if item["spoke"] != name]
        report.quarantined += [
            {"spoke": name, "native": bad.native, "id": bad.key.id if bad.key else None, "reason": bad.reason}
            for bad in pull.quarantined
        ]
        report.findings += [_finding(finding) for finding in pull.findings]
        if not pull.complete:
            report.findings.append({"code": "incomplete", "what": "the listing may have holes", "where": name})
    for name, error in made.broken.items():
        report.spokes.setdefault(name, SpokeReport()).error = str(error)
        report.problems.append({"what": error.what, "where": placed(name, error), "todo": error.todo})
    for decision in planned.decisions:
        report.accepted += len(decision.edits)
        report.findings += [_finding(finding) for finding in decision.findings]
        if decision.problem:
            report.problems.append({"what": decision.problem, "where": decision.key.id, "todo": "mend it on its spoke"})
        for spoke, what in decision.gaps:
            counts = report.gaps.setdefault(spoke, {})
            counts[what] = counts.get(what, 0) + 1
    _questions(report, engine, planned)


def waiting(made: Survey, planned: Plan, spoke: str) -> list[Waiting]:
    """Return the moves made on one spoke that the plan holds, each with what stays instead."""
    return [
        Waiting(decision.key, move.field, move.value, _kept(made, decision, move.field), move.missing)
        for decision in planned.decisions
        for move in decision.held
        if spoke in move.spokes
    ]


def _kept(made: Survey, decision: Decision, name: str) -> Any:
    hub = decision.hub if decision.hub is not None else made.cases[decision.key].hub
    return value(decision.key.kind, hub or {}, name)


def placed(spoke: str, error: TallystickError) -> str:
    """Return where an error happened, the spoke first."""
    return f"{spoke}: {error.where}" if error.where else spoke


def _finding(finding: Finding) -> dict[str, str]:
    return {"code": finding.code, "what": finding.what, "where": finding.where}


def _questions(report: Report, engine: Engine, planned: Plan) -> None:
    """List every open question: those of this plan, and older ones on records it did not look at."""
    looked = {(decision.key.kind, decision.key.id) for decision in planned.decisions}
    asked, waiting = conflicts(engine), held(engine)
    since = {_place(item): item["since"] for item in asked + waiting}
    report.conflicts = [item for item in asked if (item["kind"], item["id"]) not in looked]
    report.held = [item for item in waiting if (item["kind"], item["id"]) not in looked]
    for decision in planned.decisions:
        kind, ident = decision.key
        for question in decision.conflicts:
            found = {"kind": kind, "id": ident, "field": question.field, "values": dict(question.values)}
            report.conflicts.append({**found, "since": since.get(_place(found), report.run)})
        for move in decision.held:
            found = {"kind": kind, "id": ident, "field": move.field, "value": move.value}
            found |= {"spokes": list(move.spokes), "missing": list(move.missing)}
            report.held.append({**found, "since": since.get(_place(found), report.run)})


def _place(question: Mapping[str, Any]) -> tuple[Any, ...]:
    return question["kind"], question["id"], question["field"]


def conflicts(engine: Engine) -> list[dict[str, Any]]:
    """Return the open conflicts of the ledger, oldest first."""
    query = 'SELECT kind, id, field, "values", run FROM conflicts ORDER BY run, kind, id, field'
    return [
        {"kind": kind, "id": ident, "field": name, "values": json.loads(values), "since": run}
        for kind, ident, name, values, run in engine.ledger.db.execute(query)
    ]


def held(engine: Engine) -> list[dict[str, Any]]:
    """Return the held moves of the ledger, oldest first."""
    query = "SELECT kind, id, field, value, spokes, missing, run FROM held ORDER BY run, kind, id, field"
    return [
        {
            "kind": kind, "id": ident, "field": name, "value": json.loads(value), "spokes": json.loads(spokes),
            "missing": json.loads(missing), "since": run,
        }
        for kind, ident, name, value, spokes, missing, run in engine.ledger.db.execute(query)
    ]  # fmt: skip

"""The writes of one spoke in one run: in which groups they go, how long they take, and what became of each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import batched, groupby

from tallystick_contract.adapter import Change, Networked, Outcome
from tallystick_contract.fields import FIELDS, same, value
from tallystick_sync.report import SpokeReport
from tallystick_sync.survey import Member

GROUP = 200
"""Most records one intent transaction and one push cover."""

MINUTE = 60.0
"""Shorter waits are not worth a word."""


def renewed(member: Member, changes: list[Change]) -> list[Change]:
    """Let a spoke that gives ids to its own records write them first; changes then expect the new revisions."""
    settle_identities = getattr(member.adapter, "settle_identities", None)
    if settle_identities is None or not member.writable:
        return changes
    fresh = {seen.key: seen for seen in settle_identities()}
    return [
        change
        if change.key not in fresh or change.expect is None
        else replace(change, expect=fresh[change.key].revision)
        for change in changes
    ]


def writing(member: Member, changes: Sequence[Change]) -> str:
    """Return what is being done, and how long it will take where the spoke's budgets make it long."""
    seconds = member.adapter.forecast(changes) if isinstance(member.adapter, Networked) else 0.0
    return f"writing {member.name}" + (f", about {seconds / 60:.0f} min to go" if seconds >= MINUTE else "")


def batches(member: Member, changes: list[Change]) -> Iterator[Sequence[Change]]:
    """Group writes where the spoke writes a group in one step; never different kinds of write together."""
    held = member.adapter.capabilities()
    for op in ("create", "update", "delete"):
        chosen = [change for change in changes if change.op == op]
        for kind, same_kind in groupby(chosen, key=lambda change: change.key.kind if held.together else ""):
            yield from batched(same_kind, GROUP if held.atomicity == "batch" or kind in held.together else 1)


def not_taken(change: Change, outcome: Outcome) -> list[str]:
    """Return the fields that a spoke shows otherwise than they were written; such a record stays due."""
    if outcome.shown is None or outcome.shown.image == change.image:
        return []
    kind, shown = change.key.kind, outcome.shown.image
    table = FIELDS[kind]
    return [name for name, item in change.fields.items() if not same(table[name], value(kind, shown, name), item)]


def count(report: SpokeReport, change: Change) -> None:
    """Count one write that was done."""
    if change.op == "create":
        report.created += 1
    elif change.op == "update":
        report.updated += 1
    else:
        report.deleted += 1

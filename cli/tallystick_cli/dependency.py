"""Changing what a task waits for, under the rules for dependencies (L-22): each refusal with a code of its own."""

from tallystick_cli import hub
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Refused
from tallystick_contract.fields import value
from tallystick_sync.edits import refuse_faults
from tallystick_sync.ledger import Ledger

PROTECTING = frozenset({"noAutoClose", "requiresOperatorApproval"})
"""The gate flags that make a task protected work: only an operator can complete it."""


def added(ledger: Ledger, task: Key, other: str) -> tuple[list[str], list[str]]:
    """Return what the task waits for, before and after `other` was added. Raises `Refused`."""
    tasks = dict(hub.documents(ledger, "task"))
    if not hub.matches(list(tasks), other):
        advice = "tally task list shows the ids; nothing was changed"
        raise Refused(f"no task goes by {other!r}", where=task.id, code="dependency-unknown", todo=advice)
    needed = hub.find(ledger, other).id
    doc = tasks[task.id]
    before = list(value("task", doc, "dependsOn"))
    after = before if needed in before else [*before, needed]
    refuse_faults(ledger, task.id, doc, {**doc, "dependsOn": after})
    if _protected(tasks[needed]) and not _protected(doc):
        raise Refused(
            f"{task.id} is free work and {needed} waits for an operator", where=task.id, code="dependency-protected",
            todo="set a gate on the first as well, or split it; nothing was changed",
        )  # fmt: skip
    return before, after


def removed(ledger: Ledger, task: Key, other: str) -> tuple[list[str], list[str]]:
    """Return what the task waits for, before and after `other` was taken away. Raises `Invalid`."""
    before = list(value("task", hub.document(ledger, task), "dependsOn"))
    needed = hub.one_of(before, other, f"dependency of {task.id}", "tally task show tells what it waits for")
    return before, [name for name in before if name != needed]


def _protected(doc: Doc) -> bool:
    return bool(PROTECTING & set(value("task", doc, "decisionGate")))

"""Decision gates and the delivery state: whether a task may be completed, and what its evidence amounts to."""

import re
from collections.abc import Iterable
from typing import Any, Final

from tallystick_contract.canonical import Doc
from tallystick_contract.fields import value

METHOD_WORDS: Final = {
    "test": frozenset({"test", "tests", "vitest", "pytest", "jest", "unittest", "smoke", "regression", "e2e"}),
    "command": frozenset({"command", "commands", "cmd", "cli", "script", "build", "lint", "run", "exec"}),
    "inspect": frozenset({"inspect", "inspection", "review", "read", "audit", "manual"}),
}
"""The published rule (D-05): the first class, in this order, of which a word of the method is listed; else `other`."""


def method_class(method: str | None) -> str:
    """Return the class of a free-text method; an unknown one is `other`, never `test`.

    >>> method_class("vitest + inspection"), method_class("dogfooding"), method_class(None)
    ('test', 'other', 'other')
    """
    words = set(re.findall(r"[a-z0-9]+", (method or "").lower()))
    return next((name for name, listed in METHOD_WORDS.items() if words & listed), "other")


def passed(task_id: str, evidence: Iterable[Doc]) -> list[Doc]:
    """Return the evidence about this very task that passed; only such evidence opens a gate (L-02, D-06)."""
    return [item for item in evidence if item.get("target") == task_id and item.get("status") == "passed"]


def missing(task: Doc, task_id: str, status: str, evidence: Iterable[Doc], *, approved: bool = False) -> list[str]:
    """Return what the task's gate still wants before `status` may be taken; empty when it may.

    `approved` is true only when a receipt of an operator decision for this very content exists.
    Cancelling or moving on asks nothing; only completion does (K-050 to K-052).
    """
    if status != "completed" or value("task", task, "status") == "completed":
        return []
    gate = value("task", task, "decisionGate")
    wanted = []
    if gate.get("requiresVerification") and not passed(task_id, evidence):
        wanted.append("passed evidence about this task (requiresVerification)")
    if gate.get("noAutoClose") and not approved:
        wanted.append("an operator's decision to close (noAutoClose)")
    if gate.get("requiresOperatorApproval") and not approved:
        wanted.append("an operator's approval (requiresOperatorApproval)")
    return wanted


DOCUMENT_SUFFIXES: Final = (".md", ".txt", ".rst", ".adoc", "/")


def _is_document_work(task: Doc) -> bool:
    files = value("task", task, "files")
    return bool(files) and all(str(path).endswith(DOCUMENT_SUFFIXES) for path in files)


def delivery_state(task: Doc, task_id: str, evidence: Iterable[Doc], *, claimed: bool = False) -> str | None:
    """Derive the delivery state (K-060, K-061); null until something was claimed, and for a cancelled task.

    `claimed` says that a progress event about the task exists. `applied` wants passed evidence of class test or
    command; inspection is enough where every file of the task is a document (L-05).
    """
    status = value("task", task, "status")
    if status == "cancelled":
        return None
    about = [item for item in evidence if item.get("target") == task_id]
    good = passed(task_id, about)
    classes = {method_class(item.get("method")) for item in good}
    if classes & {"test", "command"} or ("inspect" in classes and _is_document_work(task)):
        return "applied"
    if status == "completed" and not good:
        return "recovery-required"
    if any(item.get("artifacts") for item in about):
        return "artifact-produced"
    return "reported" if about or claimed or status == "completed" else None


def with_method_class(evidence: dict[str, Any]) -> dict[str, Any]:
    """Return the evidence document with its derived `methodClass` in place."""
    derived = method_class(evidence.get("method"))
    rest = {name: item for name, item in evidence.items() if name != "methodClass"}
    return rest if derived == "other" else {**rest, "methodClass": derived}

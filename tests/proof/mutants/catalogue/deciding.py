"""Faults in what a run decides about a record that exists: bases, questions, gates, events, and what is due."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

DEPENDENCIES: Final = "sync/tallystick_sync/dependencies.py"
DRAFT: Final = "sync/tallystick_sync/draft.py"
GATES: Final = "contract/tallystick_contract/gates.py"
PLAN: Final = "sync/tallystick_sync/plan.py"

_BASES: Final = (
    Mutant(
        "base-ignored", DRAFT,
        "a spoke that merely lags behind the hub counts as edited",
        "and not same(spec, value(kind, copy.seen, name), base_value(copy, kind, name))",
        "and not same(spec, value(kind, copy.seen, name), value(kind, case.hub or {}, name))",
    ),
    Mutant(
        "base-never-advanced", PLAN,
        "what a spoke and the hub agree on is not remembered",
        "        return Copy(copy.seen, None, copy.native, copy.revision)",
        "        return copy",
    ),
    Mutant(
        "base-over-a-question", PLAN,
        "a field under dispute counts as agreed on",
        "    if not frozen:\n        return Copy(copy.seen, None, copy.native, copy.revision)",
        "    if copy.base is not None:\n        return Copy(copy.seen, None, copy.native, copy.revision)",
    ),
    Mutant(
        "order-of-spokes-decides", DRAFT,
        "the spoke that is read first gives a new record its disputed value",
        "for spoke in sorted(case.copies):\n        for name in moved",
        "for spoke in case.copies:\n        for name in moved",
        first="machine",
    ),
    Mutant(
        "edit-not-noted", DRAFT,
        "a change of the hub has no line in the journal",
        "made.decision.edits.append(Edit(name, None if hub == ABSENT else hub, merged, source, "
        "case.copies[source].revision))",
        "made.decision.edits += []",
    ),
    Mutant(
        "invalid-record-taken", DRAFT,
        "a value that breaks the contract enters the hub",
        "made.decision.problem = error.what",
        'made.decision.findings.append(Finding("invalid", error.what))',
    ),
    Mutant(
        "clearing-not-written", PLAN,
        "a field that was emptied stays full on the other spokes",
        "for name in sorted((set(image) | set(base)) & shown)",
        "for name in sorted(set(image) & shown)",
    ),
    Mutant(
        "second-write-for-nothing", PLAN,
        "a spoke that shows everything is written again",
        "    if fields:\n        target = ",
        "    if fields or image:\n        target = ",
    ),
    Mutant(
        "gap-not-told", PLAN,
        "what a spoke cannot hold is dropped in silence",
        '    decision.gaps += [(name, f"{kind}.{field}") for field in _lost(spoke, kind, made.doc)]\n',
        "",
        first="machine",
    ),
    Mutant(
        "read-only-spoke-written", PLAN,
        "a spoke that may not be written is",
        "    if not spoke.writable:\n        return\n",
        "",
    ),
    Mutant(
        "unreadable-record-written", PLAN,
        "a record in quarantine is written over",
        "    if (copy is not None and copy.unreadable) or (name, key.id) in twins:",
        "    if (name, key.id) in twins:",
        first="machine",
    ),
    Mutant(
        "absent-spoke-not-awaited", PLAN,
        "a spoke left out of a run never gets what the run decided",
        "    decision.waiting |= world.absent\n",
        "",
    ),
)  # fmt: skip

_QUESTIONS: Final = (
    Mutant(
        "disputed-field-written", DRAFT,
        "a field under dispute is written over on its spoke",
        "made.freeze(spec.name, [claim.source for claim in claims if not same(spec, claim.value, settled)])",
        "made.freeze(spec.name, [])",
    ),
    Mutant(
        "frozen-field-written", PLAN,
        "a frozen field is written along with the others",
        "if name not in frozen and not same(",
        "if not same(",
    ),
    Mutant(
        "value-missing-from-question", DRAFT,
        "a conflict shows one of its values only",
        "{claim.source: claim.value for claim in claims}))",
        "{claim.source: claim.value for claim in claims[:1]}))",
    ),
    Mutant(
        "spokes-swapped-in-question", DRAFT,
        "a conflict shows the values under each other's names",
        "{claim.source: claim.value for claim in claims}))",
        "dict(zip([claim.source for claim in claims], [claim.value for claim in reversed(claims)], strict=True))))",
    ),
    Mutant(
        "held-move-repainted", DRAFT,
        "a move that waits before a gate is painted over on its spoke",
        "        self.freeze(name, list(shown))\n\n\ndef base_value",
        "\n\ndef base_value",
    ),
    Mutant(
        "mirror-repainted", DRAFT,
        "a mirror's own value is painted over while it waits",
        "            made.freeze(spec.name, [spoke])\n",
        "",
    ),
    Mutant(
        "circle-accepted", PLAN,
        "tasks that wait for each other enter the hub",
        "    _hold_faulty_dependencies(drafts, world)\n    for made",
        "    for made",
    ),
    Mutant(
        "unknown-dependency-accepted", DEPENDENCIES,
        "a task comes to depend on an id nobody knows",
        "        if unknown:",
        "        if not graph:",
    ),
    Mutant(
        "look-alikes-doubled", PLAN,
        "two records with one text appear on one spoke, and nobody is asked",
        "    namesakes = find_namesakes(ordered, world)",
        "    namesakes: dict[str, tuple[str, str]] = find_namesakes([], world)",
    ),
    Mutant(
        "doubted-record-created", PLAN,
        "a record that may go by another id on a spoke is created there meanwhile",
        "    if (copy is not None and copy.unreadable) or (name, key.id) in twins:",
        "    if copy is not None and copy.unreadable:",
    ),
)  # fmt: skip

_GATES: Final = (
    Mutant(
        "gate-skipped", DRAFT,
        "a completion on a spoke passes every gate",
        "wants = missing(gated, case.key.id, status, evidence.values(), approved=approved)",
        "wants: list[str] = []",
    ),
    Mutant(
        "gate-skipped-at-birth", DRAFT,
        "a task that is born completed passes every gate",
        "    if case.hub is None:\n        _judge_new(made, world, evidence)\n        return",
        "    if case.hub is None:\n        return",
    ),
    Mutant(
        "gate-skipped-on-adoption", DRAFT,
        "what a new spoke completes counts as history although others contradict it",
        'if value("task", made.doc, "status") != DONE or (history and not others):',
        'if value("task", made.doc, "status") != DONE or history:',
    ),
    Mutant(
        "gate-lowered-with-the-move", DRAFT,
        "who completes a task and lowers its gate at once gets through",
        'gate = {**value("task", case.hub, "decisionGate"), **value("task", made.doc, "decisionGate")}',
        'gate = value("task", made.doc, "decisionGate")',
    ),
    Mutant(
        "partial-evidence-opens", GATES,
        "evidence that did not pass opens a gate",
        'item.get("status") == "passed"]',
        'item.get("status") != "failed"]',
    ),
    Mutant(
        "delivery-state-stale", PLAN,
        "the delivery state stays what it was",
        "    state = delivery_state(made.doc, made.case.key.id, evidence.values(), claimed=claimed)",
        '    state = made.doc.get("deliveryState")',
    ),
    Mutant(
        "claim-unheard", PLAN,
        "a progress event does not make a task reported",
        'made.case.key.kind == "event" and made.doc.get("kind") == "progress"',
        'made.case.key.kind == "event" and made.doc.get("kind") == "claim"',
    ),
    Mutant(
        "move-without-event", PLAN,
        "a status move leaves no event",
        "return Plan(decisions + _with_events(decisions, world))",
        "return Plan(decisions)",
    ),
    Mutant(
        "second-move-without-event", PLAN,
        "a spoke that makes the same move again leaves no second event",
        "again=world.repeats(decision.key, edit))",
        "again=0)",
    ),
)  # fmt: skip

MUTANTS: Final = _BASES + _QUESTIONS + _GATES

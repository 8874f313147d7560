"""Faults in what people do in the hub: edits, moves, answers, undo, adoption."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

ANSWERS: Final = "sync/tallystick_sync/answers.py"
EDITS: Final = "sync/tallystick_sync/edits.py"
HISTORY: Final = "sync/tallystick_sync/ledger/history.py"

MUTANTS: Final = (
    Mutant(
        "hub-edit-not-propagated", "sync/tallystick_sync/ledger/records.py",
        "an edit made in the hub reaches no spoke",
        "_hub_row(key, doc, compact(doc), 1)",
        "_hub_row(key, doc, compact(doc), 0)",
    ),
    Mutant(
        "gate-skipped-in-the-hub", EDITS,
        "a completion by command passes every gate",
        "        wants = missing(gated, task, new, lookup.evidence(task).values())",
        "        wants = missing(gated, task, old, lookup.evidence(task).values())",
    ),
    Mutant(
        "circle-accepted-in-the-hub", EDITS,
        "dependencies set by command may close a circle",
        '        if any(edit.field == "dependsOn" for edit in edits):',
        "        if not edits:",
    ),
    Mutant(
        "restored-without-its-evidence", EDITS,
        "a restored task comes back without its evidence and events",
        "((kind = 'task' AND id = ?) OR about = ?)",
        "(kind = 'task' AND id IN (?, ?))",
    ),
    Mutant(
        "deletion-by-command-not-carried", EDITS,
        "a record deleted by command stays on its spokes",
        "UPDATE records SET deleted = ?, dirty = 1 WHERE",
        "UPDATE records SET deleted = ? WHERE",
    ),
    Mutant(
        "gate-skipped-by-an-answer", ANSWERS,
        "answering a question completes a task whose gate is unmet",
        "    _refuse_unmet_gate(editor, case, field, new)\n    after = validated",
        "    after = validated",
    ),
    Mutant(
        "gate-lowered-by-an-answer", ANSWERS,
        "a gate is answered away while a completion waits before it",
        "        _refuse_lowering(case, new)\n        return",
        "        return",
    ),
    Mutant(
        "gate-skipped-by-undo", ANSWERS,
        "taking a run back completes a task whose gate is unmet",
        "        _refuse_unmet_gate(editor, case, field, before)\n    except",
        "        _refuse_unmet_gate(editor, case, field, after)\n    except",
    ),
    Mutant(
        "gate-skipped-by-another-id", ANSWERS,
        "a completed task that turns out to be one of its own passes its gate",
        '    _refuse_unmet_gate(editor, replace(case, hub=fresh), "status", value(key.kind, doc, "status"))\n',
        '    _refuse_unmet_gate(editor, replace(case, hub=fresh), "status", "planned")\n',
    ),
    Mutant(
        "gate-skipped-by-adoption", HISTORY,
        "forgetting what was agreed lets a held completion pass as history",
        'return key.kind == "task" and doc.get("status") != "completed" and',
        'return key.kind == "" and doc.get("status") != "completed" and',
    ),
    Mutant(
        "answer-swallows-other-questions", ANSWERS,
        "answering one question takes the other open fields as settled",
        "        for name in fields & (moved(case, copy) | set(base)):",
        "        for name in moved(case, copy) | set(base):",
    ),
    Mutant(
        "answer-leaves-the-question", ANSWERS,
        "a spoke whose question was answered still counts as edited",
        "    _accept(editor, case, {field})\n    editor.store(key, after",
        "    editor.store(key, after",
    ),
    Mutant(
        "undo-over-a-later-edit", ANSWERS,
        "taking a run back takes later edits back too",
        "    if value(key.kind, case.hub, field) != after:",
        "    if value(key.kind, case.hub, field) is case:",
    ),
    Mutant(
        "absence-answered-keep-deletes", ANSWERS,
        "`keep` as an answer to a missing record is taken for `delete`",
        "    if chosen in (KEEP, DELETE):\n        return str(chosen)",
        "    if chosen in (KEEP, DELETE):\n        return DELETE",
    ),
    Mutant(
        "answered-deletion-journal-missing", EDITS,
        "a deletion by command has no line in the journal",
        '        append(self.ledger, [line(self.ledger, key, Edit(WHOLE, before, None, ""), self._stamp)])',
        "        append(self.ledger, [])",
    ),
)  # fmt: skip

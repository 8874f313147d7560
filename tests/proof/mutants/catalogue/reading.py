"""Faults in what a run concludes from what the spokes show, and in which records it looks at."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

RECORDS: Final = "sync/tallystick_sync/ledger/records.py"
SURVEY: Final = "sync/tallystick_sync/survey.py"

MUTANTS: Final = (
    Mutant(
        "broken-spoke-taken-for-empty", SURVEY,
        "what a spoke that cannot be read used to show counts as gone",
        "            made.broken[member.name] = error\n",
        "            made.broken[member.name] = error\n"
        "            made.pulls[member.name] = Pull(gone=[\n"
        "                Key(*row) for row in engine.ledger.db.execute(\n"
        '                    "SELECT kind, id FROM copies WHERE spoke = ? AND base IS NOT NULL", (member.name,)\n'
        "                )\n"
        "            ])\n"
        "            made.states[member.name] = state\n",
        first="machine",
    ),
    Mutant(
        "incomplete-listing-believed", SURVEY,
        "what a listing with holes does not show counts as gone",
        "    return pull if pull.complete else replace(pull, gone=())",
        "    return pull",
        first="machine",
    ),
    Mutant(
        "incomplete-first-listing-believed", SURVEY,
        "what a listing from scratch with holes does not show counts as gone",
        "    if whole and pull.complete:",
        "    if whole:",
        first="machine",
    ),
    Mutant(
        "quarantined-taken-for-gone", SURVEY,
        "a record that cannot be read counts as gone",
        "shown = {seen.key for seen in pull.observed} | {bad.key for bad in pull.quarantined if bad.key}",
        "shown = {seen.key for seen in pull.observed}",
        first="machine",
    ),
    Mutant(
        "holes-never-filled", SURVEY,
        "a spoke that had holes, or died with the run, is never listed in full",
        '    whole = not state or ledger.meta(f"holes:{member.name}") == "yes"\n',
        "    whole = not state\n",
        first="machine",
    ),
    Mutant(
        "evidence-without-its-task", SURVEY,
        "new evidence does not lead to its task",
        'tasks.update(str(seen.image.get("target")) for seen in pull.observed if seen.key.kind == "evidence")',
        "tasks.update(())",
    ),
    Mutant(
        "newcomer-not-filled", SURVEY,
        "a spoke that joins gets only what changes from then on",
        "    if _newcomers(engine, made):",
        "    if len(_newcomers(engine, made)) == len(engine.members):",
    ),
    Mutant(
        "opened-spoke-not-filled", SURVEY,
        "a spoke that may be written at last does not get what it missed",
        "return [name for name in made.pulls if name not in known or name in opened]",
        "return [name for name in made.pulls if name not in known]",
    ),
    Mutant(
        "event-edited", SURVEY,
        "an event that is known already is written again with another time",
        "        return key in self._cases or self._db.execute(query, tuple(key)).fetchone() is not None",
        '        return key.kind == "" or self._db.execute(query, ("", key.id)).fetchone() is not None',
        first="machine",
    ),
    Mutant(
        "lost-namesake-unasked", SURVEY,
        "a task that was given another id on a spoke becomes a second one",
        "if not there or (spoke, other) in self._gone), None)",
        "if not there and other is None), None)",
    ),
    Mutant(
        "since-never-reset", RECORDS,
        "a value changed in a later run keeps the age of the one before",
        "            kept = {name for name in names if value(kind, old, name) == value(kind, seen.image, name)}",
        "            kept = {name for name in names if value(kind, old, name) is not seen}",
    ),
    Mutant(
        "absence-unheard", RECORDS,
        "a record that is gone from a spoke is not missed",
        "            cases[key].copies[spoke].gone = True\n            cases[key].copies[spoke].seen = None\n",
        "            cases[key].copies[spoke].seen = None\n",
    ),
    Mutant(
        "open-question-forgotten", RECORDS,
        "a record with an open question is not looked at again",
        "               SELECT kind, id FROM copies WHERE seen IS NOT NULL OR gone = 1 UNION\n",
        "",
    ),
    Mutant(
        "due-record-forgotten", RECORDS,
        "a record that some spoke waits for is not looked at again",
        "SELECT kind, id FROM records WHERE dirty = 1 UNION\n",
        "SELECT kind, id FROM records WHERE dirty = 2 UNION\n",
    ),
)  # fmt: skip

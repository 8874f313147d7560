"""Faults in whether a record shall exist, and in what stops a run that would delete too much."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

GUARDS: Final = "sync/tallystick_sync/guards.py"
PRESENCE: Final = "sync/tallystick_sync/presence.py"
RUN: Final = "sync/tallystick_sync/run.py"

MUTANTS: Final = (
    Mutant(
        "tombstone-forgotten", PRESENCE,
        "a deleted record comes back wherever it is still shown",
        "    if case.deleted:\n        _bury",
        "    if case.deleted and not case.copies:\n        _bury",
    ),
    Mutant(
        "edit-lost-to-deletion", PRESENCE,
        "a deletion wins over somebody's edit",
        "contested = bool(rivals) or any(PRESENCE in case.copies[spoke].since for spoke in gone)",
        "contested = False",
    ),
    Mutant(
        "edit-lost-to-deletion-later", PRESENCE,
        "an edit stands against a deletion for one run only",
        "contested = bool(rivals) or any(PRESENCE in case.copies[spoke].since for spoke in gone)",
        "contested = bool(rivals)",
    ),
    Mutant(
        "hub-edit-lost-to-deletion", PRESENCE,
        "a deletion wins over an edit of the hub that its spoke has not seen",
        'return rivals + (["hub"] if any(moved(case, copy) for copy in due) else [])',
        "return rivals",
    ),
    Mutant(
        "absence-taken-for-deletion", PRESENCE,
        "a record missing where absence is a question is deleted everywhere",
        'capabilities.absence == "ask" and not world.yes]',
        'capabilities.absence == "delete" and world.yes]',
    ),
    Mutant(
        "evidence-deleted-by-absence", PRESENCE,
        "evidence missing on one spoke is deleted everywhere",
        '    if case.key.kind != "task":\n        for spoke in here:',
        '    if case.key.kind == "event":\n        for spoke in here:',
    ),
    Mutant(
        "stray-deleted", PRESENCE,
        "a record that was edited or put back after its deletion is deleted unasked",
        "elif copy.seen is not None and (copy.base is None or moved(case, copy)):",
        "elif copy.seen is not None and copy.base is None and place is None:",
    ),
    Mutant(
        "deletion-not-carried", PRESENCE,
        "a record deleted in one place stays in the others",
        "            decision.waiting.add(spoke)\n        else:",
        "            decision.copies[spoke] = None\n        else:",
    ),
    Mutant(
        "mirror-deletes", PRESENCE,
        "what a mirror loses is deleted everywhere",
        "    if contested or asks or mirrors:",
        "    if contested or asks:",
    ),
    Mutant(
        "guard-off-by-one", GUARDS,
        "one deletion more than allowed passes",
        "        if tally.gone > max(_limit(tally), consent.deletions):",
        "        if tally.gone > max(_limit(tally) + 1, consent.deletions):",
        first="machine",
    ),
    Mutant(
        "emptied-spoke-believed", GUARDS,
        "a listing that was emptied deletes everything",
        "if tally.gone and tally.gone >= tally.linked and",
        "if tally.gone and tally.gone > tally.linked and",
        first="machine",
    ),
    Mutant(
        "all-changed-believed", GUARDS,
        "everything changed at once, and the run goes on",
        "tally.moved >= tally.linked and tally.moved > consent.changes",
        "tally.moved > tally.linked and tally.moved > consent.changes",
        first="machine",
    ),
    Mutant(
        "other-scope-believed", GUARDS,
        "a spoke that lists another place is taken for the same",
        "    if known and known != scope:",
        "    if known and not scope:",
        first="machine",
    ),
    Mutant(
        "guard-after-the-writes", RUN,
        "a run asks its guards when everything is written",
        "        guard(tallies(self.engine, self.made, planned), self.options.consent)\n"
        "        summarise(self.report, self.engine, self.made, planned)\n"
        "        self.moved = self.moved or bool(planned.decisions)\n"
        "        stale = self._carry_out(planned)\n",
        "        counted = tallies(self.engine, self.made, planned)\n"
        "        summarise(self.report, self.engine, self.made, planned)\n"
        "        self.moved = self.moved or bool(planned.decisions)\n"
        "        stale = self._carry_out(planned)\n"
        "        guard(counted, self.options.consent)\n",
        first="machine",
    ),
)  # fmt: skip

"""Faults in the run itself: intents, writes, what is settled, and what is remembered."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

RUN: Final = "sync/tallystick_sync/run.py"

MUTANTS: Final = (
    Mutant(
        "no-intent", RUN,
        "a write begins before anything says so durably",
        "            intend(self.ledger, name, batch, self.stamp)\n",
        "            pass\n",
        first="machine",
    ),
    Mutant(
        "intent-closed-early", RUN,
        "an intent is struck out before its write",
        "            intend(self.ledger, name, batch, self.stamp)\n",
        "            intend(self.ledger, name, batch, self.stamp)\n"
        "            close_intents(self.ledger, name, [change.key for change in batch])\n",
        first="machine",
    ),
    Mutant(
        "intent-never-closed", RUN,
        "an intent stays open after its write",
        "            close_intents(self.ledger, name, done)\n",
        "",
        first="machine",
    ),
    Mutant(
        "base-before-the-write", RUN,
        "what a spoke will show is its base before it was written",
        "            intend(self.ledger, name, batch, self.stamp)\n",
        "            intend(self.ledger, name, batch, self.stamp)\n"
        "            from tallystick_sync.case import Copy\n"
        "            from tallystick_sync.ledger.records import write_copy\n"
        "            for change in batch:\n"
        '                write_copy(self.ledger, change.key, name, Copy(change.image, None, change.native, ""))\n',
    ),
    Mutant(
        "settled-without-base", RUN,
        "what a spoke shows after a write does not become its base",
        "            settle(self.ledger, name, {key: outcome.shown for key, (_, outcome) in done.items()}, frozen)\n",
        "",
    ),
    Mutant(
        "write-not-noted", RUN,
        "a write to a spoke has no line in the history",
        "            record_writes(self.ledger, name, writes, self.stamp)\n",
        "",
        first="machine",
    ),
    Mutant(
        "stored-in-two-steps", RUN,
        "the journal is stored before the hub, not with it",
        "            write_decisions(self.ledger, planned.decisions, self.stamp.run)\n",
        '            db.execute("COMMIT")\n'
        '            db.execute("BEGIN IMMEDIATE")\n'
        "            write_decisions(self.ledger, planned.decisions, self.stamp.run)\n",
    ),
    Mutant(
        "stale-taken-for-success", RUN,
        "a write that was refused as stale counts as done",
        "            if outcome.error is None:\n                done[change.key]",
        "            if outcome.error is None or isinstance(outcome.error, Stale):\n                done[change.key]",
        first="machine",
    ),
    Mutant(
        "stale-forgotten", RUN,
        "a record that moved during the run is not planned again",
        "        if isinstance(outcome.error, Stale):\n            return 1",
        "        if isinstance(outcome.error, Stale):\n            return 0",
    ),
    Mutant(
        "blind-retry", RUN,
        "a write whose outcome is unknown is sent once more",
        "        except TallystickError as error:\n            return 0, batch",
        "        except TallystickError as error:\n            member.adapter.push(batch)\n            return 0, batch",
        first="machine",
    ),
    Mutant(
        "stale-overwritten", RUN,
        "a record that moved during the run is written over",
        "            else:\n                stale += self._failure(name, outcome)\n",
        "            else:\n"
        "                now = {seen.key: seen.revision for seen in member.adapter.pull({}, full=True).observed}\n"
        "                if isinstance(outcome.error, Stale) and change.key in now:\n"
        "                    member.adapter.push([replace(change, expect=now[change.key])])\n"
        "                stale += self._failure(name, outcome)\n",
    ),
    Mutant(
        "partial-write-taken-for-whole", RUN,
        "a spoke that did not take a field is not asked again",
        "                if not (lost := not_taken(change, outcome)):",
        "                lost = not_taken(change, outcome)\n                if change:",
        first="machine",
    ),
    Mutant(
        "mark-cleared-too-early", RUN,
        "a record that some write failed for is not looked at again",
        "            and all((spoke, decision.key) in written for spoke in decision.changes)\n",
        "",
    ),
    Mutant(
        "waiting-spoke-forgotten", RUN,
        "a record is done although a spoke still waits for it",
        "            and not (decision.waiting - set(decision.changes))\n",
        "",
    ),
    Mutant(
        "mark-never-cleared", RUN,
        "a record that every spoke shows is still due",
        '            db.executemany("UPDATE records SET dirty = 0 WHERE kind = ? AND id = ?", done)',
        '            db.executemany("UPDATE records SET dirty = 1 WHERE kind = ? AND id = ?", done)',
        first="machine",
    ),
    Mutant(
        "cursor-before-the-decisions", RUN,
        "what was read is remembered as read before anything was made of it",
        "        stale = self._carry_out(planned)\n        self._remember()\n",
        "        self._remember()\n        stale = self._carry_out(planned)\n",
        first="machine",
    ),
    Mutant(
        "cursor-past-a-crash", RUN,
        "after a crash nothing is compared with the ledger, and a deletion is missed",
        '                rows = [(f"holes:{name}", "yes") for name in present]  # until its state is saved\n',
        '                rows = [(f"holes:{name}", "no") for name in present]\n',
        first="machine",
    ),
    Mutant(
        "cursor-past-holes", RUN,
        "what went while a listing had holes is never missed",
        '("holes", not pull.complete))',
        '("holes", False))',
        first="machine",
    ),
)  # fmt: skip

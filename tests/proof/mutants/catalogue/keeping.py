"""Faults in the ledger: the journal, settled writes, open questions, and noticing that it is an older one."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

CANONICAL: Final = "contract/tallystick_contract/canonical.py"
HISTORY: Final = "sync/tallystick_sync/ledger/history.py"
JOURNAL: Final = "contract/tallystick_contract/journal.py"
RECORDS: Final = "sync/tallystick_sync/ledger/records.py"
STORE: Final = "sync/tallystick_sync/ledger/store.py"

MUTANTS: Final = (
    Mutant(
        "journal-line-missing", HISTORY,
        "of several changes of one record only the first is journalled",
        "            rows += [line(ledger, decision.key, edit, stamp) for edit in decision.edits]",
        "            rows += [line(ledger, decision.key, edit, stamp) for edit in decision.edits[:1]]",
    ),
    Mutant(
        "deletion-not-journalled", HISTORY,
        "a deleted record is still there when the journal is replayed",
        "            rows.append(line(ledger, decision.key, Edit(WHOLE, known, None, spoke), stamp))",
        "            rows.append(line(ledger, decision.key, Edit(WHOLE, known, known, spoke), stamp))",
    ),
    Mutant(
        "journal-without-cause", HISTORY,
        "no line of the journal says what it follows",
        "    return row[0] if row else None\n\n\ndef intend",
        "    return None\n\n\ndef intend",
        first="machine",
    ),
    Mutant(
        "two-changes-one-entry", HISTORY,
        "a change made a second time counts as the first",
        """edit.after, f"{source} {parent or ''}")""",
        "edit.after, source)",
        first="machine",
    ),
    Mutant(
        "replay-forgets-deletions", JOURNAL,
        "replay keeps what was deleted",
        "            records.pop(entry.key, None)",
        "            records.setdefault(entry.key, {})",
    ),
    Mutant(
        "settled-over-a-question", RECORDS,
        "a write settles the disputed field beside the written one",
        "        if frozen.get(key):",
        "        if frozen.get(key) and seen.revision is None:",
    ),
    Mutant(
        "question-never-closed", RECORDS,
        "a question stays open after everybody agreed",
        '        if known:\n            ledger.db.executemany(f"DELETE',
        '        if not known:\n            ledger.db.executemany(f"DELETE',
    ),
    Mutant(
        "tombstone-not-stored", RECORDS,
        "the ledger does not know that a record was deleted",
        "            tombs.append((dirty, run if decision.deleted else None, kind, ident))",
        "            tombs.append((dirty, None, kind, ident))",
    ),
    Mutant(
        "rolled-back-ledger-believed", STORE,
        "an older copy of the ledger is worked with as if it were the last",
        '        if ledger == self.meta("ledger") and run <= last:',
        '        if ledger == self.meta("ledger"):',
        first="machine",
    ),
    Mutant(
        "head-not-written", STORE,
        "nothing outside the database says how far it had come",
        "            if moved:\n                self._write_head(run)",
        "            if not moved:\n                self._write_head(run)",
        first="machine",
    ),
    Mutant(
        "transaction-kept-after-failure", STORE,
        "half a transaction is kept when something goes wrong in it",
        '            self.db.execute("ROLLBACK")',
        '            self.db.execute("COMMIT")',
    ),
    Mutant(
        "text-compared-as-bytes", CANONICAL,
        "two spellings of one text are two texts",
        'return unicodedata.normalize("NFC", text.replace("\\r\\n", "\\n").replace("\\r", "\\n"))',
        "return text",
    ),
)  # fmt: skip

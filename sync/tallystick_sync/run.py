"""One run: lock, replay, pull, plan, guard, push, settle. The only loop of the engine; every hop returns to it."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from tallystick_contract.adapter import Answering, Change, Key, Networked, Outcome
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Broken, Stale, Stopped, TallystickError, Throttled
from tallystick_sync.case import Plan
from tallystick_sync.guards import Consent, guard
from tallystick_sync.ledger.history import Stamp, close_intents, intend, record_decisions, record_writes, unclear
from tallystick_sync.ledger.records import replace_quarantine, settle, write_decisions
from tallystick_sync.plan import plan
from tallystick_sync.report import Report, SpokeReport
from tallystick_sync.summary import placed, summarise, waiting
from tallystick_sync.survey import Engine, Member, Survey, save, survey, tallies, world
from tallystick_sync.writes import batches, count, not_taken, renewed, writing

ROUNDS = 3
"""How often a run plans again for records that moved while it was writing."""


@dataclass(frozen=True, slots=True)
class Options:
    """How one run is to be done: consent to numbers, only some spokes, and two-way talk with whoever watches.

    `yes` answers what can be answered without a person: a missing record is deleted, a look-alike is one of its own.
    `pause` waits some seconds where a spoke asks to, at most `patience` of them; it may come back sooner.
    """

    consent: Consent = field(default_factory=Consent)
    only: frozenset[str] = frozenset()
    yes: bool = False
    command: str = "sync"
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None
    interrupted: Callable[[], bool] = lambda: False
    pause: Callable[[float], object] = time.sleep
    patience: float = 3600.0


def preview(engine: Engine, options: Options) -> tuple[Plan, Report]:
    """Return the plan a `sync` with these options would carry out; nothing is written. Raises `Stopped`."""
    engine.ledger.refuse_rolled_back()
    run = engine.ledger.last_run() + 1
    made = survey(engine, _chosen(engine, options), lambda name: options.progress(f"reading {name}", 0, 0))
    planned = plan(made.cases.values(), world(engine, made, run, engine.now(), yes=options.yes))
    guard(tallies(engine, made, planned), options.consent)
    report = Report(run)
    summarise(report, engine, made, planned)
    return planned, report


def sync(engine: Engine, options: Options) -> Report:
    """Bring every spoke in step; what could not be done is in the report. Raises `Stopped` before any write."""
    with engine.ledger.locked():
        engine.ledger.refuse_rolled_back()
        run = _Run(engine, options)
        run.go()
        run.finish()
        return run.report


def _chosen(engine: Engine, options: Options) -> list[Member]:
    return [member for member in engine.members if not options.only or member.name in options.only]


class _Run:
    """The state of one run in progress."""

    def __init__(self, engine: Engine, options: Options) -> None:
        self.engine, self.options = engine, options
        self.ledger = engine.ledger
        self.now = engine.now()
        number = self.ledger.start_run(options.command, self.now)
        self.stamp = Stamp(number, self.now)
        self.report = Report(number)
        self.made = Survey()
        self.unclear: Mapping[tuple[str, Key], str] = {}
        self.moved = False

    def go(self) -> None:
        """Plan and carry out until nothing went stale, at most `ROUNDS` times."""
        stale = self._turn()
        for _ in range(ROUNDS - 1):
            if not stale or self.report.interrupted:
                break
            self.report.amended += stale
            try:
                stale = self._turn()
            except Stopped as stop:
                self._problem(stop.what, stop.where, stop.todo)
                break
        else:
            if stale:
                self._problem("kept changing while it was written", f"{stale} records", "run again")

    def _turn(self) -> int:
        """Read, plan, guard, write and remember once; returns how many records had moved meanwhile."""
        self.made = survey(self.engine, _chosen(self.engine, self.options), self._reading)
        seen = world(self.engine, self.made, self.stamp.run, self.now, yes=self.options.yes)
        planned = plan(self.made.cases.values(), seen)
        guard(tallies(self.engine, self.made, planned), self.options.consent)
        summarise(self.report, self.engine, self.made, planned)
        self.moved = self.moved or bool(planned.decisions)
        stale = self._carry_out(planned)
        self._remember()
        return stale

    def _reading(self, name: str) -> None:
        self.options.progress(f"reading {name}", 0, 0)

    def _carry_out(self, planned: Plan) -> int:
        """Store the decisions, then write spoke by spoke; returns how many records had moved meanwhile."""
        self._store(planned)
        written: set[tuple[str, Key]] = set()
        stale = 0
        for member in _chosen(self.engine, self.options):
            if member.name not in self.made.pulls:
                continue
            self._answer(member, planned)
            stale += self._write(member, renewed(member, planned.changes(member.name)), planned, written)
        due = [(spoke, decision.key) for decision in planned.decisions for spoke in decision.changes]
        self.report.left = sum(1 for change in due if change not in written) if self.report.interrupted else 0
        self._clean(planned, written)
        return stale

    def _write(self, member: Member, changes: Sequence[Change], planned: Plan, written: set[tuple[str, Key]]) -> int:
        """Write one spoke's changes group by group, waiting where it asks to; returns how many records had moved."""
        spoke, stale, done = self._spoke(member.name), 0, 0
        changes = [replace(change, intended=self.unclear.get((member.name, change.key))) for change in changes]
        queue = deque(batches(member, changes))
        while queue and not spoke.error:
            if self.options.interrupted():
                self.report.interrupted = True
                break
            self.options.progress(writing(member, changes[done:]), done, len(changes))
            batch = queue.popleft()
            moved, rest = self._push(member, batch, planned, written)
            stale, done = stale + moved, done + len(batch) - len(rest)
            queue.extendleft([rest] if rest else [])
        return stale

    def _answer(self, member: Member, planned: Plan) -> None:
        """Let a spoke that people talk on tell them why their moves wait."""
        if member.writable and isinstance(member.adapter, Answering) and not self.options.interrupted():
            try:
                member.adapter.answer(waiting(self.made, planned, member.name))
            except TallystickError as error:
                self._problem(error.what, placed(member.name, error), error.todo)

    def _store(self, planned: Plan) -> None:
        """Make the hub what was decided, in one transaction; what is due stays marked until it is done."""
        with self.ledger.transaction() as db:
            present = list(self.made.pulls)
            marks = ",".join("?" * len(present))
            self.unclear = unclear(self.ledger)
            cursor = db.execute(f"DELETE FROM intents WHERE spoke IN ({marks})", present)  # noqa: S608 -- only marks
            self.report.replayed += cursor.rowcount
            record_decisions(self.ledger, planned.decisions, self.stamp, _living(self.made))
            write_decisions(self.ledger, planned.decisions, self.stamp.run)
            for name, pull in self.made.pulls.items():
                replace_quarantine(self.ledger, name, pull, self.stamp.run)
            if planned.decisions:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('unfinished', 'yes')")
                rows = [(f"holes:{name}", "yes") for name in present]  # until its state is saved
                db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def _push(
        self, member: Member, batch: Sequence[Change], planned: Plan, written: set[tuple[str, Key]]
    ) -> tuple[int, Sequence[Change]]:
        """Write one group and settle it; `written` takes what was done.

        Returns how many of its records had moved, and the changes to be tried again after the wait the spoke asked for.
        """
        name, report = member.name, self._spoke(member.name)
        with self.ledger.transaction():
            intend(self.ledger, name, batch, self.stamp)
        try:
            outcomes = member.adapter.push(batch)
        except TallystickError as error:
            return 0, batch if self._ended(name, error) else ()
        stale, rest, end = 0, [], None
        done: dict[Key, tuple[Change, Outcome]] = {}
        for change, outcome in zip(batch, outcomes, strict=True):
            if outcome.error is None:
                done[change.key] = change, outcome
                count(report, change)
                if not (lost := not_taken(change, outcome)):
                    written.add((name, change.key))
                else:
                    self._problem(f"did not take {', '.join(lost)}", f"{name} {change.key.id}", "run again")
            elif isinstance(outcome.error, Broken | Throttled):
                end = outcome.error
                rest.append(change)
            else:
                stale += self._failure(name, outcome)
        self._settle(name, done, planned)
        return stale, rest if end is not None and self._ended(name, end) else ()

    def _ended(self, name: str, error: TallystickError) -> bool:
        """Wait where the spoke says how long; else it is done with for this run. Tells whether to go on."""
        if isinstance(error, Throttled) and error.wait is not None and error.wait <= self.options.patience:
            self.options.progress(f"{name} asks to wait {error.wait:.0f} s", 0, 0)
            self.options.pause(error.wait)
            return True
        self._spoke(name).error = str(error)
        self._problem(error.what, placed(name, error), error.todo)
        return False

    def _settle(self, name: str, done: dict[Key, tuple[Change, Outcome]], planned: Plan) -> None:
        """Make what was written the base, journal it and strike out the intents, in one transaction."""
        frozen = {made.key: made.frozen[name] for made in planned.decisions if name in made.frozen}
        with self.ledger.transaction():
            settle(self.ledger, name, {key: outcome.shown for key, (_, outcome) in done.items()}, frozen)
            writes = [(change, self._shown(name, key)) for key, (change, _) in done.items()]
            record_writes(self.ledger, name, writes, self.stamp)
            close_intents(self.ledger, name, done)

    def _shown(self, spoke: str, key: Key) -> Doc:
        """Return what the spoke showed of a record before this run wrote it."""
        case = self.made.cases.get(key)
        copy = case.copies.get(spoke) if case else None
        return (copy.seen or copy.base or {}) if copy else {}

    def _failure(self, spoke: str, outcome: Outcome) -> int:
        """Take note of a write that was not done; a stale one is planned again."""
        if isinstance(outcome.error, Stale):
            return 1
        if outcome.error is not None:
            self._problem(outcome.error.what, outcome.error.where or f"{spoke} {outcome.key.id}", outcome.error.todo)
        return 0

    def _clean(self, planned: Plan, written: set[tuple[str, Key]]) -> None:
        """Clear the mark of records nobody waits for any more."""
        done = [
            decision.key
            for decision in planned.decisions
            if decision.changes
            and not (decision.waiting - set(decision.changes))
            and all((spoke, decision.key) in written for spoke in decision.changes)
        ]
        with self.ledger.transaction() as db:
            db.executemany("UPDATE records SET dirty = 0 WHERE kind = ? AND id = ?", done)

    def _remember(self) -> None:
        """Save what the adapters want to remember; an interrupted run reads again from where it began."""
        rows = save(self.engine, self.made)
        with self.ledger.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO spokes VALUES (?,?,?,?)", rows)
            flags = [
                (f"{what}:{member.name}", "yes" if flag else "no")
                for member in self.engine.members
                if (pull := self.made.pulls.get(member.name)) is not None
                for what, flag in (("writable", member.writable), ("holes", not pull.complete))
            ]
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", flags)
            db.execute("DELETE FROM meta WHERE name = 'unfinished'")

    def finish(self) -> None:
        """Close the run in the ledger."""
        for name, error in self.made.broken.items():
            self._spoke(name).error = str(error)
        for member in self.engine.members:
            if isinstance(member.adapter, Networked):
                self._spoke(member.name).traffic = asdict(member.adapter.traffic())
        self.ledger.finish_run(self.stamp.run, self.engine.now(), self.report.data(), moved=self.moved)

    def _spoke(self, name: str) -> SpokeReport:
        return self.report.spokes.setdefault(name, SpokeReport())

    def _problem(self, what: str, where: str, todo: str) -> None:
        self.report.problems.append({"what": what, "where": where, "todo": todo})


def _living(made: Survey) -> dict[Key, Doc]:
    """Return the hub's documents as they were when the run read them."""
    return {key: case.hub for key, case in made.cases.items() if case.hub is not None and not case.deleted}

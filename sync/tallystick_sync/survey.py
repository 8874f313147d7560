"""The reading half of a run: pull every spoke, and lay what they show over what the ledger knows."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tallystick_contract.adapter import Adapter, Key, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import TallystickError
from tallystick_sync.case import Case, Edit, Plan, Spoke, World
from tallystick_sync.draft import moved
from tallystick_sync.guards import FEW, Tally, refuse_other_scope
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.records import load_cases, observe, open_keys, words
from tallystick_sync.policy import Policy


@dataclass(frozen=True, slots=True)
class Member:
    """A configured spoke: its name, its adapter, and whether we may write to it."""

    name: str
    adapter: Adapter
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything a run works with."""

    ledger: Ledger
    members: Sequence[Member]
    now: Callable[[], str]
    policy: Policy = field(default_factory=Policy)
    gate_default: Sequence[str] = ()


@dataclass(slots=True)
class Survey:
    """What the spokes showed: pulls and the states they began with, spokes that could not be read, and the cases."""

    pulls: dict[str, Pull] = field(default_factory=dict)
    states: dict[str, SpokeState] = field(default_factory=dict)
    broken: dict[str, TallystickError] = field(default_factory=dict)
    cases: dict[Key, Case] = field(default_factory=dict)


def survey(engine: Engine, members: Sequence[Member], note: Callable[[str], None]) -> Survey:
    """Pull the members and return every record that may need something. Raises `Stopped` for a changed scope."""
    made = Survey()
    for member in members:
        scope, state = _remembered(engine.ledger, member.name)
        refuse_other_scope(member.name, scope, member.adapter.scope())
        note(member.name)
        try:
            made.pulls[member.name] = _pull(engine.ledger, member, state)
            made.states[member.name] = state
        except TallystickError as error:
            made.broken[member.name] = error
    made.cases = load_cases(engine.ledger, _keys(engine, made), [member.name for member in engine.members])
    for name, pull in made.pulls.items():
        observe(made.cases, name, pull)
    return made


def _remembered(ledger: Ledger, spoke: str) -> tuple[str, SpokeState]:
    row = ledger.db.execute("SELECT scope, state FROM spokes WHERE name = ?", (spoke,)).fetchone()
    return (row[0], json.loads(row[1])) if row else ("", {})


def _pull(ledger: Ledger, member: Member, state: SpokeState) -> Pull:
    """Pull one spoke; a listing from scratch is compared with the ledger, since the adapter knows of no absence."""
    whole = not state or ledger.meta(f"holes:{member.name}") == "yes"
    pull = member.adapter.pull(state, full=whole)
    if whole and pull.complete:
        shown = {seen.key for seen in pull.observed} | {bad.key for bad in pull.quarantined if bad.key}
        nameless = {bad.native for bad in pull.quarantined if bad.key is None}
        query = "SELECT kind, id, native FROM copies WHERE spoke = ? AND gone = 0 AND coalesce(base, seen) IS NOT NULL"
        rows = ledger.db.execute(query, (member.name,))
        known = {Key(kind, ident) for kind, ident, native in rows if native not in nameless}
        return replace(pull, gone=sorted(known - shown))
    return pull if pull.complete else replace(pull, gone=())


def _keys(engine: Engine, made: Survey) -> set[Key]:
    """Return the records to look at: those that moved, those left open, and the tasks that moved evidence is about."""
    keys = open_keys(engine.ledger)
    tasks: set[str] = set()
    for pull in made.pulls.values():
        keys.update(seen.key for seen in pull.observed)
        keys.update(pull.gone)
        keys.update(bad.key for bad in pull.quarantined if bad.key is not None)
        tasks.update(str(seen.image.get("target")) for seen in pull.observed if seen.key.kind == "evidence")
        tasks.update(str(seen.image.get("taskId")) for seen in pull.observed if seen.key.kind == "event")
    if tasks or any(key.kind == "evidence" for key in keys):
        tasks |= _targets(engine.ledger, keys)
        known = {row[0] for row in engine.ledger.db.execute("SELECT id FROM records WHERE kind = 'task'")}
        keys.update(Key("task", task) for task in tasks & known)
    if _newcomers(engine, made):
        keys.update(Key(*row) for row in engine.ledger.db.execute("SELECT kind, id FROM records"))
    return keys


def _targets(ledger: Ledger, keys: set[Key]) -> set[str]:
    """Return the tasks that the ledger's own version of these records is about."""
    query = "SELECT about FROM records WHERE kind = ? AND id = ? AND about IS NOT NULL"
    found = (ledger.db.execute(query, key).fetchone() for key in keys if key.kind != "task")
    return {row[0] for row in found if row}


def _newcomers(engine: Engine, made: Survey) -> list[str]:
    """Return spokes of this run that never took part before, or that we may write to for the first time."""
    known = {row[0] for row in engine.ledger.db.execute("SELECT name FROM spokes")}
    opened = [member.name for member in engine.members if member.writable and _was_closed(engine.ledger, member.name)]
    return [name for name in made.pulls if name not in known or name in opened]


def _was_closed(ledger: Ledger, spoke: str) -> bool:
    return ledger.meta(f"writable:{spoke}", "yes") == "no"


def world(engine: Engine, made: Survey, run: int, now: str, *, yes: bool = False) -> World:
    """Return what the planner may ask about beyond its cases."""
    present = {member.name: member for member in engine.members if member.name in made.pulls}
    spokes = {
        name: Spoke(
            member.adapter.capabilities(), member.adapter.image, member.writable, complete=made.pulls[name].complete
        )
        for name, member in present.items()
    }
    lookup = Lookup(engine.ledger, made.cases)
    return World(
        run, now, spokes, engine.policy, engine.gate_default, lookup.evidence, lookup.claims,
        namesake=lookup.namesake, dependencies=lookup.dependencies, known=lookup.known, repeats=lookup.repeats,
        yes=yes, adopting=frozenset(present) - {row[0] for row in engine.ledger.db.execute("SELECT name FROM spokes")},
        absent=frozenset(member.name for member in engine.members if member.name not in present),
    )  # fmt: skip


class Lookup:
    """Answers the planner's questions from the ledger and the cases of this run."""

    def __init__(self, ledger: Ledger, cases: Mapping[Key, Case]) -> None:
        self._db, self._cases = ledger.db, cases
        self._some = {
            row[0] for row in self._db.execute("SELECT DISTINCT kind FROM records WHERE kind IN ('evidence', 'event')")
        }
        self._gone = {
            (spoke, key.id) for key, case in cases.items() for spoke, copy in case.copies.items() if copy.gone
        }
        self._new: dict[str | None, list[tuple[str, set[str]]]] = {}
        for key, case in cases.items():
            if key.kind == "task" and case.hub is None:
                for copy in case.copies.values():
                    self._new.setdefault(words(copy.seen or {}), []).append((key.id, set(case.copies)))
        self._known = self._db.execute("SELECT 1 FROM records LIMIT 1").fetchone() is not None

    def evidence(self, task: str) -> dict[str, Doc]:
        """Return the hub's evidence about a task, by id."""
        return self._about("evidence", task) if "evidence" in self._some else {}

    def claims(self, task: str) -> set[str]:
        """Return the ids of the hub's progress events of a task."""
        events = self._about("event", task) if "event" in self._some else {}
        return {ident for ident, doc in events.items() if doc.get("kind") == "progress"}

    def _about(self, kind: str, task: str) -> dict[str, Doc]:
        query = "SELECT id, doc FROM records WHERE about = ? AND kind = ? AND deleted IS NULL"
        return {ident: json.loads(doc) for ident, doc in self._db.execute(query, (task, kind))}

    def dependencies(self) -> dict[str, Sequence[str]]:
        """Return the dependencies of every live task of the hub."""
        query = "SELECT id, doc ->> 'dependsOn' FROM records WHERE kind = 'task' AND deleted IS NULL"
        return {ident: json.loads(names) if names else () for ident, names in self._db.execute(query)}

    def known(self, key: Key) -> bool:
        """Tell whether the hub holds a record, or a spoke has just brought it."""
        query = "SELECT 1 FROM records WHERE kind = ? AND id = ?"
        return key in self._cases or self._db.execute(query, tuple(key)).fetchone() is not None

    def repeats(self, key: Key, edit: Edit) -> int:
        """Return how often the spoke of this edit has made the very same one before."""
        query = """SELECT count(*) FROM journal
                   WHERE kind = ? AND id = ? AND field = ? AND before = ? AND after = ? AND spoke = ?"""
        values = (*key, edit.field, json.dumps(edit.before), json.dumps(edit.after), edit.spoke)
        return int(self._db.execute(query, values).fetchone()[0])

    def namesake(self, spoke: str, ident: str, text: Doc) -> str | None:
        """Return another live task with this very text that the spoke lacks, or has just lost.

        Of two new ones, the later id asks.
        """
        same = words(text)
        if same is None:
            return None
        for other, spokes in self._new.get(same, ()):
            if other < ident and spoke not in spokes:
                return other
        if not self._known:
            return None
        query = """SELECT id, EXISTS
                   (SELECT 1 FROM copies WHERE copies.kind = 'task' AND copies.id = records.id AND spoke = ?)
                   FROM records WHERE words = ? AND kind = 'task' AND deleted IS NULL AND id <> ? ORDER BY id"""
        rows = self._db.execute(query, (spoke, same, ident))
        return next((other for other, there in rows if not there or (spoke, other) in self._gone), None)


def tallies(engine: Engine, made: Survey, plan: Plan) -> dict[str, Tally]:
    """Count, spoke by spoke, what the guards want to know."""
    found: dict[str, Tally] = {}
    for name, pull in made.pulls.items():
        gone = {key.id for key in pull.gone if key.kind == "task"}
        cases = [made.cases[seen.key] for seen in pull.observed if seen.key.kind == "task"]
        changed = sum(1 for case in cases if case.copies[name].base is not None and moved(case, case.copies[name]))
        deletions = sum(1 for change in plan.changes(name) if change.op == "delete" and change.key.kind == "task")
        if gone or max(changed, deletions) > FEW:
            query = "SELECT id FROM copies WHERE spoke = ? AND kind = 'task' AND base IS NOT NULL AND gone = 0"
            linked = {row[0] for row in engine.ledger.db.execute(query, (name,))}
            found[name] = Tally(len(linked), len(gone & linked), changed, deletions)
    return found


def save(engine: Engine, made: Survey) -> list[tuple[str, str, str, int]]:
    """Return the rows of spokes whose memory moved; an adapter that hands back the very state it got has not."""
    rows = []
    stored = dict(engine.ledger.db.execute("SELECT name, total FROM spokes"))
    for member in engine.members:
        if member.name not in made.pulls:
            continue
        state, total = member.adapter.state(), made.pulls[member.name].total
        if state is not made.states[member.name] or stored.get(member.name) != total:
            rows.append((member.name, member.adapter.scope(), json.dumps(state, separators=(",", ":")), total))
    return rows

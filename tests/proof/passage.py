"""One run, watched from outside: what was announced, what was done, and what must be so afterwards."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.errors import Stopped
from tallystick_contract.fields import DERIVED, FIELDS, same, value
from tallystick_sync.case import Plan
from tallystick_sync.report import Report
from tests.proof.sites import Site
from tests.proof.snapshot import Snapshot
from tests.sync.rig import Rig


@dataclass(frozen=True)
class Passage:
    """A run with everything around it; `report` is None where the process died, `announced` where a guard stopped it.

    `only` are the spokes that were to take part; `quiet` says that nobody else did anything meanwhile.
    """

    rig: Rig
    sites: Mapping[str, Site]
    before: Snapshot
    after: Snapshot
    announced: Plan | None
    foreseen: Report | Stopped
    report: Report | Stopped | None
    only: frozenset[str]
    quiet: bool

    @property
    def plain(self) -> bool:
        """Tell whether the run went through in one round, so that all it did is what was announced."""
        return (
            isinstance(self.report, Report) and self.quiet and all(len(site.turns) < 2 for site in self.sites.values())
        )

    def written(self) -> Iterator[tuple[str, Change, Outcome | None]]:
        """Yield every write of the run with its spoke and outcome."""
        for name, site in self.sites.items():
            yield from ((name, change, outcome) for change, outcome in site.written())


def check_stop(passage: Passage) -> None:
    """A run stops where the plan said so, with the same words and before its first write."""
    if isinstance(passage.foreseen, Stopped) or isinstance(passage.report, Stopped):
        if not passage.quiet:
            return
        assert isinstance(passage.report, Stopped), "the plan would have stopped, the run went on"
        assert isinstance(passage.foreseen, Stopped), f"the run stopped unannounced: {passage.report}"
        assert str(passage.report) == str(passage.foreseen)
    if isinstance(passage.report, Stopped):
        assert list(passage.written()) == [], "written in a run that was stopped"
        assert passage.after == passage.before


def check_permissions(passage: Passage) -> None:
    """Nothing is written to a spoke that is read-only, broken, not asked, or does not hold such records."""
    for name, change, _ in passage.written():
        site, adapter = passage.sites[name], passage.sites[name].adapter()
        assert site.writable, f"{name} is read-only, and got {change}"
        assert name in passage.only, f"{name} takes no part, and got {change}"
        assert adapter.capabilities().takes(change.key.kind), f"{name} holds no {change.key.kind}"
        assert change.op != "delete" or adapter.capabilities().deletes, f"{name} deletes nothing, and got {change}"
        strange = set(change.fields) - adapter.capabilities().shown(change.key.kind)
        assert not strange, f"{name} does not hold {strange}"
    assert all(not site.doubles for site in passage.sites.values()), "a record was made twice"


def check_announced(passage: Passage) -> None:
    """What ran is what was printed: the same writes in the same order, up to where something went wrong.

    Of a create that got no answer a spoke is told since when, so that it looks before it writes.
    """
    if passage.announced is None or not passage.quiet:
        return
    for name, site in passage.sites.items():
        done = [change for change, _ in site.turns[0]] if site.turns else []
        if not site.turns:
            continue
        due = passage.announced.changes(name)
        due = [change for op in ("create", "update", "delete") for change in due if change.op == op]
        due = [replace(change, intended=passage.before.unclear.get((name, change.key))) for change in due]
        assert done == due[: len(done)], f"{name}: not what was printed"
        if isinstance(passage.report, Report) and not passage.report.interrupted and not _ended(site.turns[0]):
            assert len(done) == len(due), f"{name}: less than what was printed"


def _ended(turn: list[tuple[Change, Outcome | None]]) -> bool:
    return any(outcome is None for _, outcome in turn)


def check_decided(passage: Passage) -> None:
    """Hub and open questions become what was printed, whole or, where the process died, not at all."""
    if passage.announced is None or not passage.quiet or isinstance(passage.report, Stopped):
        return
    if any(len(site.turns) > 1 for site in passage.sites.values()):
        return
    docs, buried = dict(passage.before.docs), dict(passage.before.buried)
    for decision in passage.announced.decisions:
        if decision.hub is not None:
            docs[decision.key] = decision.hub
        if decision.deleted:
            buried[decision.key] = docs.pop(decision.key)
    reached = passage.after.docs == docs and passage.after.buried == buried
    untouched = passage.after.docs == passage.before.docs and passage.after.buried == passage.before.buried
    assert reached or (passage.report is None and untouched), "the hub is not what was printed"
    if isinstance(passage.report, Report) and isinstance(passage.foreseen, Report):
        for mine, printed in ((passage.report.conflicts, passage.foreseen.conflicts),
                              (passage.report.held, passage.foreseen.held)):  # fmt: skip
            assert _sorted(mine) == _sorted(printed), "the questions are not those that were printed"
        values = {(Key(item["kind"], item["id"]), item["field"]): item["values"] for item in passage.report.conflicts}
        assert values == passage.after.conflicts
        assert len(passage.report.conflicts) == len(values), "two questions about one field"
        assert passage.foreseen.gaps == passage.report.gaps
        assert passage.foreseen.accepted == passage.report.accepted


def _sorted(items: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps({**item, "since": 0}, sort_keys=True) for item in items)


def check_frozen(passage: Passage) -> None:
    """While a field is open, a spoke that has a say in it is not written."""
    if not passage.plain:
        return
    for name, change, _ in passage.written():
        if change.op != "update":
            continue
        for item in change.fields:
            said = passage.after.conflicts.get((change.key, item), {})
            assert name not in said, f"{name} {change.key.id}.{item} is open, and was written"
            waits = passage.after.held.get((change.key, item), [])
            assert all(name not in movers for _, movers in waits), (
                f"{name} {change.key.id}.{item} is held, and was repainted"
            )


def check_noted(passage: Passage) -> None:
    """Every write that succeeded is noted with what it replaced, is the new base, and leaves no intent."""
    if not isinstance(passage.report, Report):
        return
    db = passage.rig.ledger.db
    good = [(name, change, outcome) for name, change, outcome in passage.written() if outcome and not outcome.error]
    query = "SELECT spoke, op, kind, id, fields FROM writes WHERE seq > ? ORDER BY seq"
    noted = [tuple(row) for row in db.execute(query, (passage.before.writes,))]
    assert sorted(row[:4] for row in noted) == sorted((name, change.op, *change.key) for name, change, _ in good)
    assert passage.report.writes == len(good)
    open_ones = {tuple(row) for row in db.execute("SELECT spoke, kind, id FROM intents")}
    last = {
        (name, *change.key): outcome
        for name, site in passage.sites.items()
        for change, outcome in (site.turns[-1] if site.turns else ())
    }
    for place, outcome in last.items():
        assert (place in open_ones) == (outcome is None or outcome.error is not None), f"intent of {place}"
        if outcome is not None and outcome.shown is not None:
            row = db.execute("SELECT native, revision FROM copies WHERE spoke = ? AND kind = ? AND id = ?", place)
            assert row.fetchone() == (outcome.shown.native, outcome.shown.revision), f"{place} is not what was shown"
    if passage.plain:
        rows = {row[:4]: json.loads(row[4]) for row in noted}
        for name, change, _ in good:
            if change.op == "update" and change.key in passage.before.shown[name]:
                told = {item: pair[1] for item, pair in rows[name, change.op, *change.key].items()}
                assert told == change.fields, f"{name}: the note of {change.key.id} lies"


def check_done(passage: Passage) -> None:
    """A record that was written whole wherever it was due, and that nobody else waits for, is not due any more."""
    if not passage.plain or passage.announced is None:
        return
    whole = {
        (name, change.key)
        for name, change, outcome in passage.written()
        if outcome and not outcome.error and (outcome.shown is None or outcome.shown.image == change.image)
    }
    due = {Key(*row) for row in passage.rig.ledger.db.execute("SELECT kind, id FROM records WHERE dirty = 1")}
    for decision in passage.announced.decisions:
        if decision.changes and all((name, decision.key) in whole for name in decision.changes):
            waits = decision.waiting - set(decision.changes)
            assert waits or decision.key not in due, f"{decision.key.id} is still due, and nobody waits for it"


def check_images(passage: Passage) -> None:
    """An update carries the whole record as the spoke shall show it: what it shows now, and the changed fields."""
    if not passage.plain:
        return
    for name, change, outcome in passage.written():
        shown = passage.before.shown[name].get(change.key)
        if change.op == "update" and shown is not None and outcome is not None and outcome.error is None:
            kind, wanted = change.key.kind, {**shown, **change.fields}
            wrong = [
                spec.name
                for spec in FIELDS[kind].values()
                if not same(spec, value(kind, wanted, spec.name), value(kind, change.image, spec.name))
            ]
            assert not wrong, f"{name} {change.key.id}: {wrong} in {change.image}, not as in {wanted}"


def check_left(passage: Passage) -> None:
    """A run that was interrupted says how many writes are still to be done."""
    if passage.plain and isinstance(passage.report, Report) and passage.report.interrupted and passage.announced:
        due = sum(len(decision.changes) for decision in passage.announced.decisions)
        done = sum(1 for _, _, outcome in passage.written() if outcome and not outcome.error)
        assert passage.report.left >= due - done


def check_gaps(passage: Passage) -> None:
    """What a spoke cannot hold of a record that changed is told, field by field, and nothing is dropped in silence."""
    if not isinstance(passage.report, Report):
        return
    changed = [key for key, doc in passage.after.docs.items() if doc != passage.before.docs.get(key)]
    for name in passage.only:
        can, told = passage.sites[name].adapter().capabilities(), passage.report.gaps.get(name, {})
        possible = {f"{kind}.{field}" for kind in FIELDS for field in can.gaps(kind) - DERIVED[kind]}
        possible |= {kind for kind in FIELDS if not can.holds(kind)} | {"deletion"}
        for key in changed if passage.sites[name].turns else ():
            assert told.keys() <= possible, f"{name} is said not to hold {told.keys() - possible}"
            lost = can.gaps(key.kind) & passage.after.docs[key].keys() - DERIVED[key.kind]
            silent = {f"{key.kind}.{field}" for field in lost} | ({key.kind} if not can.holds(key.kind) else set())
            assert silent <= told.keys(), f"{name} cannot hold {silent} of {key.id}, and only {told} is told"


CHECKS: Final[tuple[Callable[[Passage], None], ...]] = (
    check_stop, check_permissions, check_announced, check_decided, check_frozen, check_noted, check_done, check_left,
    check_gaps, check_images,
)  # fmt: skip
"""What every run is held to."""

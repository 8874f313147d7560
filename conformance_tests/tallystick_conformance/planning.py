"""The planner at the bench: what the engine would do about what the adapter shows; pure, and the engine's own code."""

from collections.abc import Mapping
from typing import Any, Final

from tallystick_conformance.bench import Bench
from tallystick_contract.adapter import Change, Key, Observed
from tallystick_contract.canonical import Doc
from tallystick_sync.case import Case, Copy, Decision, Plan, Spoke, World
from tallystick_sync.plan import plan

SPOKE: Final = "spoke"
"""The name under which the planner knows the spoke on the bench."""

NOW: Final = "2026-05-01T00:00:00Z"


def planned(bench: Bench, *cases: Case, evidence: Mapping[str, Doc] | None = None, approved: bool = False) -> Plan:
    """Return the plan for these cases; `evidence` is what the hub holds about any task, by id."""
    capabilities = bench.capabilities
    world = World(
        run=2, now=NOW, spokes={SPOKE: Spoke(capabilities, bench.adapter.image, capabilities.writable)},
        evidence=lambda _task: evidence or {}, approved=lambda _task, _doc: approved,
    )  # fmt: skip
    return plan(cases, world)


def decided(bench: Bench, case: Case, **world: Any) -> Decision:
    """Return the decision about one record."""
    return next(made for made in planned(bench, case, **world).decisions if made.key == case.key)


def of_hub(key: Key, doc: Doc) -> Case:
    """Return the case of a record that only the hub has."""
    return Case(key, doc, {})


def at_rest(seen: Observed, hub: Doc | None = None) -> Case:
    """Return the case of a record the spoke shows as agreed; the hub may hold something newer."""
    return Case(seen.key, seen.image if hub is None else hub, {SPOKE: _copy(seen, None)})


def moved(bench: Bench, before: Observed, **fields: Any) -> Case:
    """Let somebody change a record on the spoke, pull, and return the case that arises."""
    bench.edit(before, **fields)
    (after,) = [seen for seen in bench.pull().observed if seen.key == before.key]
    return Case(before.key, before.image, {SPOKE: _copy(before, after)})


def vanished(seen: Observed) -> Case:
    """Return the case of a record that the spoke does not show any more."""
    return Case(seen.key, seen.image, {SPOKE: Copy(seen.image, None, seen.native, seen.revision, gone=True)})


def carried_out(bench: Bench, made: Plan) -> None:
    """Write everything a plan has for the spoke; nothing may fail, and each record must show what was planned."""
    changes: list[Change] = made.changes(SPOKE)
    for change, outcome in zip(changes, bench.push(*changes), strict=True):
        assert outcome.error is None, f"{change.op} of {change.key} was planned and not done: {outcome.error}"
        if outcome.shown is not None:
            assert bench.differences(change.key.kind, outcome.shown.image, change.image) == []


def _copy(base: Observed, seen: Observed | None) -> Copy:
    newest = seen or base
    return Copy(base.image, seen.image if seen else None, newest.native, newest.revision)

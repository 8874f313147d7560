"""Faults in how edits of one field combine, and in who wins when they cannot."""

from typing import Final

from tests.proof.mutants.mutant import Mutant

FIELDS: Final = "contract/tallystick_contract/fields.py"
MERGE: Final = "sync/tallystick_sync/merge.py"
POLICY: Final = "sync/tallystick_sync/policy.py"

MUTANTS: Final = (
    Mutant(
        "one-sided-edit-ignored", MERGE,
        "an edit made in one place only is never taken over",
        "return _MERGERS[field.merge](field, hub, news) if news else hub",
        "return _MERGERS[field.merge](field, hub, news) if len(news) > 1 else hub",
    ),
    Mutant(
        "clash-overwritten", MERGE,
        "of several new values one is taken, and nobody is asked",
        "return values[0] if len(values) == 1 else CLASH",
        "return values[0]",
    ),
    Mutant(
        "hub-edit-unseen", MERGE,
        "a spoke that has not seen the hub's newer value wins over it",
        "return [side.new for side in sides] + ([] if replaced else [hub])",
        "return [side.new for side in sides]",
    ),
    Mutant(
        "set-replaced-whole", MERGE,
        "the first spoke's set replaces the hub's, with what others added",
        "kept = [item for item in hub if item not in removed]",
        "kept = list(sides[0].new)",
    ),
    Mutant(
        "removal-beats-addition", MERGE,
        "an element one adds is lost because another removes it",
        "if item not in side.new} - added\n",
        "if item not in side.new}\n    added -= removed\n",
    ),
    Mutant(
        "removal-forgotten", MERGE,
        "an element taken out of a set comes back",
        "kept = [item for item in hub if item not in removed]",
        "kept = list(hub)",
    ),
    Mutant(
        "set-compared-whole", FIELDS,
        "labels added in two places are a conflict",
        'Field("labels", _S, [], "1.1"',
        'Field("labels", _V, [], "1.1"',
    ),
    Mutant(
        "label-noise-is-an-edit", FIELDS,
        "the same labels in another order count as an edit",
        "return set(left) == set(right)",
        "return list(left) == list(right)",
    ),
    Mutant(
        "map-compared-whole", MERGE,
        "two members changed in two places are a conflict",
        "Merge.MAP: _merge_map,",
        "Merge.MAP: _merge_value,",
    ),
    Mutant(
        "map-replaced-whole", MERGE,
        "members that one spoke has not seen yet are dropped",
        "result = dict(hub)\n    for name in names:",
        "result = dict(sides[-1].new)\n    for name in names:",
    ),
    Mutant(
        "overlap-dropped", MERGE,
        "of two lines changed at one place only the first is kept",
        "        if low <= end:\n            return CLASH\n",
        "        if low <= end:\n            continue\n",
    ),
    Mutant(
        "tail-cut", MERGE,
        "merged prose ends with the last changed line",
        "return result + list(base[position:])",
        "return result",
    ),
    Mutant(
        "prose-with-foreign-base", MERGE,
        "lines are merged although the spokes started from different texts",
        "if base in (None, ABSENT) or any(side.base != base for side in sides):",
        "if base in (None, ABSENT):",
    ),
    Mutant(
        "tick-lost", MERGE,
        "a criterion ticked while others edit the list is open again",
        "return (not before) if any(tick != before for tick in ticks) else before",
        "return before",
    ),
    Mutant(
        "ticked-criterion-removed", MERGE,
        "a criterion that one removes goes although another has just ticked it",
        """if merged is CLASH or any(_ticked(item, edits) for item in base if item["text"] not in merged):""",
        "if merged is CLASH:",
    ),
    Mutant(
        "preference-reversed", POLICY,
        "the spoke that is not preferred wins",
        "if claim.source == wanted), None)",
        "if claim.source != wanted), None)",
    ),
    Mutant(
        "latest-is-the-oldest", POLICY,
        "the policy `latest` takes the value seen first",
        "newest = max(claim.since for claim in claims)",
        "newest = min(claim.since for claim in claims)",
    ),
    Mutant(
        "latest-without-asking", POLICY,
        "two values first seen in one run are decided by chance",
        "return top[0] if all(same(spec, top[0].value, claim.value) for claim in top) else None",
        "return top[0]",
    ),
    Mutant(
        "mirror-decides", POLICY,
        "a mirror's own edit is taken without the authority",
        "and spoke != self.authority",
        "and spoke == self.authority",
    ),
)  # fmt: skip

"""Hub documents as Hypothesis strategies, over the texts that break things."""

from typing import Any

from hypothesis import strategies as st

from tallystick_contract.models import EVENT_KINDS, validated

NASTY = [
    "no", "yes", "null", "2024-01-01", "a: b", "# not a heading", "```\ncode", "---", "  blanks  ", "\n\nlines\n\n",
    "a\r\nb\rc", "\ufeffmark", "u\u2028v", "u\u0085v", "😀", "e\u0301", "[", '["a"]', "{}", "0", "1",
    "'; DROP TABLE x; --", "\x1f",
]  # fmt: skip

text = st.one_of(
    st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
)
filled = text.filter(bool)
ids = st.one_of(st.sampled_from(["T-1", "colony-c1", "é", "TASK-BUD-1", "a b/c"]), filled)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), st.floats(-1e9, 1e9), text),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(text, inner, max_size=2)),
    max_leaves=4,
)
maps = st.dictionaries(text, json_values, max_size=3)
lists = st.lists(text, max_size=3)
moments = st.sampled_from(["2024-02-03T04:05:06Z", "2024-02-03T04:05:06.123Z", "2024-02-03T04:05:06.123456+02:00"])
flags = st.fixed_dictionaries(
    {}, optional={name: st.booleans() for name in ("noAutoClose", "requiresVerification", "requiresOperatorApproval")}
)
criteria = st.lists(st.fixed_dictionaries({"text": filled}, optional={"done": st.booleans()}), max_size=3)
results = st.lists(
    st.fixed_dictionaries(
        {"criterion": text, "status": text}, optional={"evidence": st.none() | text, "x": json_values}
    ),
    max_size=2,
)

TASK: dict[str, st.SearchStrategy[Any]] = {
    "description": text,
    "status": st.sampled_from(["planned", "in-progress", "blocked", "completed", "cancelled"]),
    "priority": st.sampled_from(["unset", "p0", "p7", "p99"]),
    "dependsOn": st.lists(ids, max_size=3, unique=True),
    "owner": text,
    "decisionGate": flags,
    "acceptanceCriteria": criteria,
    "labels": lists,
    "milestone": text,
    "notes": st.one_of(text, lists),
    "files": lists,
    "parent": ids,
    "due": st.dates().map(str),
    "archived": st.booleans(),
    "extensions": maps,
    "deliveryState": st.sampled_from([None, "reported", "artifact-produced", "applied", "recovery-required"]),
}
EVIDENCE: dict[str, st.SearchStrategy[Any]] = {
    "targetType": st.sampled_from(["task", "phase", "board"]),
    "method": text,
    "methodClass": st.sampled_from(["test", "command", "inspect", "other"]),
    "timestamp": moments,
    "summary": text,
    "artifacts": lists,
    "criteriaResults": results,
    "commit": text,
    "extensions": maps,
}
EVENT: dict[str, st.SearchStrategy[Any]] = {"taskId": ids, "payload": maps, "extensions": maps}

evidence_status = st.sampled_from(["passed", "failed", "partial", "skipped"])
event_kinds = st.sampled_from([*EVENT_KINDS, "x-own", "x-of-the-team"])
actors = st.fixed_dictionaries({"type": st.sampled_from(["operator", "agent", "engine", "external"]), "id": ids})

raw_tasks = st.fixed_dictionaries({"title": filled}, optional=TASK)
raw_evidence = st.fixed_dictionaries({"target": ids, "status": evidence_status}, optional=EVIDENCE)
raw_events = st.fixed_dictionaries({"kind": event_kinds, "atIso": moments, "actor": actors}, optional=EVENT)


def _hub(kind: str, raw: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return st.tuples(st.just(kind), raw.map(lambda doc: validated(kind, "R-1", doc)))


documents = st.one_of(_hub("task", raw_tasks), _hub("evidence", raw_evidence), _hub("event", raw_events))
"""(kind, document) as the hub holds them: valid, sparse."""

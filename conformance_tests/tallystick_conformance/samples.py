"""The documents the kit works with: ordinary records, values of every field, and texts that break things."""

from collections.abc import Callable
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise
from tallystick_contract.fields import sparse
from tallystick_contract.gates import with_method_class

EXAMPLES: Final = 60
"""How many generated values a property is tried on."""

VALUES: Final[dict[str, dict[str, tuple[Any, Any]]]] = {
    "task": {
        "title": ("Mend the sluice gate", "Mend the sluice gate, then oil it"),
        "description": ("The gate sticks.\n\n- by the tide", "The gate sticks.\n\n- by the tide\n- by rust"),
        "status": ("in-progress", "blocked"),
        "priority": ("p1", "p42"),
        "dependsOn": (["T-90"], ["T-90", "T-91"]),
        "owner": ("mika", "ana"),
        "decisionGate": ({"noAutoClose": True}, {"requiresVerification": True, "requiresOperatorApproval": True}),
        "acceptanceCriteria": (
            [{"text": "It opens", "done": False}, {"text": "It closes", "done": True}],
            [{"text": "It opens", "done": True}, {"text": "It closes", "done": True}],
        ),
        "labels": (["harbour", "north side"], ["harbour"]),
        "milestone": ("Spring tide", "Neap tide"),
        "notes": ("Asked the warden.", "Asked the warden.\nShe agrees."),
        "files": (["plans/gate.svg"], ["plans/gate.svg", "plans/hinge.svg"]),
        "parent": ("T-80", "T-81"),
        "due": ("2026-03-31", "2024-02-29"),
        "archived": (True, False),
        "extensions": ({"crew": {"size": 3}}, {"crew": {"size": 4}, "boat": None}),
        "deliveryState": ("reported", "artifact-produced"),
    },
    "evidence": {
        "target": ("T-1", "T-2"),
        "targetType": ("phase", "requirement"),
        "status": ("passed", "failed"),
        "method": ("pytest, then a look", "inspection"),
        "methodClass": ("test", "inspect"),
        "timestamp": ("2026-02-03T04:05:06Z", "2026-02-03T07:05:07+03:00"),
        "summary": ("It opens.", "It opens.\nIt closes."),
        "artifacts": (["log.txt"], ["log.txt", "photo.png"]),
        "criteriaResults": (
            [{"criterion": "It opens", "status": "passed", "evidence": "log.txt"}],
            [{"criterion": "It opens", "status": "failed", "evidence": "log.txt"}],
        ),
        "commit": ("0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"),
        "extensions": ({"tool": "caliper"}, {"tool": "gauge"}),
    },
    "event": {
        "taskId": ("T-1", "T-2"),
        "kind": ("progress", "x-tide-turned"),
        "atIso": ("2026-02-03T04:05:06Z", "2026-02-03T04:05:07.250Z"),
        "actor": ({"type": "agent", "id": "hauler"}, {"type": "operator", "id": "ana"}),
        "payload": ({"text": "half way"}, {"text": "done", "parts": [1, {"two": None}]}),
        "extensions": ({"tide": "low"}, {"tide": "high"}),
    },
}
"""Two different values of every field, none of them its default but the second of `archived`."""

STATUSES: Final = ("planned", "in-progress", "blocked", "completed", "cancelled")
RESULTS: Final = ("passed", "failed", "partial", "skipped")
FLAGS: Final = ("noAutoClose", "requiresVerification", "requiresOperatorApproval")


def plain(kind: str, number: int = 1) -> tuple[Key, Doc]:
    """Return an ordinary record: a task, or what belongs to task T-1.

    >>> plain("task", 7)[0]
    Key(kind='task', id='T-7')
    """
    if kind == "task":
        text = f"Round {number} of the harbour."
        return Key(kind, f"T-{number}"), {"title": f"Walk round {number}", "description": text, "owner": "mika"}
    at = f"2026-01-{number % 28 + 1:02}T12:00:00Z"
    if kind == "evidence":
        doc: dict[str, Any] = {
            "target": "T-1",
            "status": "passed",
            "method": "pytest",
            "timestamp": at,
            "summary": f"Seen {number}.",
        }
        return Key(kind, f"E-{number}"), doc
    actor = {"type": "agent", "id": "hauler"}
    doc = {"taskId": "T-1", "kind": "progress", "atIso": at, "actor": actor, "payload": {"text": f"lap {number}"}}
    return Key(kind, f"H-{number}"), doc


# Generated documents

letters = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))
TEXTS: Final = (
    "no", "null", "2026-01-01", "a: b", "# not a heading", "- not a list", "[P1] marked", '"quoted"', "back\\slash",
    "\\u00e9", "{", "}],",
    "<b>bold</b>", "<!-- a comment -->", "e\u0301", "\u00e9", "\U0001f6a2 \U0001f469\u200d\U0001f527",
    "\u202eright to left", "a\u00a0b", "x\u2028y", "%s {0} $HOME", "' OR 1=1 --", "@mika #12 !34", "status:done",
)  # fmt: skip
"""One-line texts that some store or other takes for something else."""

BLOCKS: Final = (
    "---\nid: T-2\n---\n", "```\ncode\n```", "~~~\n```\n~~~", "first\n\n\n\nlast", "- [ ] open\n- [x] done",
    " lead and trail ", "\n\nlead", "trail\n\n", "\tindented\n\t\ttwice", "| a | b |\n|---|---|\n| 1 | 2 |",
    "<details>\n<summary>more</summary>\n\ntext\n</details>", "<<<<<<< ours\n=======\n>>>>>>> theirs",
    "two  \nspaces", "1. one\n1. one", "    four spaces", "====\n====", "%% hidden %%", "\ufeffmarked",
)  # fmt: skip
"""Texts of several lines, or with a shape, that some store or other takes for something else."""

line = st.one_of(st.text(letters, min_size=1, max_size=20), st.sampled_from(TEXTS))
text = st.one_of(line, st.sampled_from(BLOCKS)).filter(lambda found: bool(found.strip()))
names = st.lists(line, max_size=3, unique_by=normalise)
exact = st.one_of(st.none(), st.booleans(), st.integers(1 - 2**53, 2**53 - 1), line)
things = st.recursive(
    exact, lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(line, inner, max_size=2))
)
extensions = st.dictionaries(line.map(lambda name: f"x {name}"), things, max_size=2)
moments = st.datetimes().map(lambda moment: moment.isoformat() + "Z")

GENERATED: Final[dict[str, dict[str, st.SearchStrategy[Any]]]] = {
    "task": {
        "title": line.filter(lambda found: bool(found.strip())),
        "description": text,
        "status": st.sampled_from(STATUSES),
        "priority": st.one_of(st.just("unset"), st.integers(0, 99).map(lambda rank: f"p{rank}")),
        "dependsOn": names,
        "owner": line,
        "decisionGate": st.dictionaries(st.sampled_from(FLAGS), st.just(value=True)),
        "acceptanceCriteria": st.lists(
            st.fixed_dictionaries({"text": line.filter(lambda found: bool(found.strip())), "done": st.booleans()}),
            max_size=3,
            unique_by=lambda item: normalise(item["text"]),  # ticks go by the text of their item
        ),
        "labels": names,
        "milestone": line,
        "notes": st.one_of(text, st.lists(line, min_size=1, max_size=3)),
        "files": names,
        "parent": line,
        "due": st.dates().map(lambda day: day.isoformat()),
        "archived": st.booleans(),
        "extensions": extensions,
    },
    "evidence": {
        "targetType": st.sampled_from(["task", "phase", "requirement", "release"]),
        "status": st.sampled_from(RESULTS),
        "method": line,
        "timestamp": moments,
        "summary": text,
        "artifacts": names,
        "criteriaResults": st.lists(st.fixed_dictionaries({"criterion": line, "status": line, "evidence": line})),
        "commit": line,
        "extensions": extensions,
    },
    "event": {
        "taskId": line,
        "kind": st.sampled_from(["note", "progress", "x-tide-turned"]),
        "payload": st.dictionaries(line, things, max_size=2),
        "extensions": extensions,
    },
}
"""Strategies for the values of fields; what every record needs stands in `plain`."""


def documents(kind: str) -> st.SearchStrategy[Doc]:
    """Return a strategy for whole valid documents of one kind, normalised and sparse."""

    def whole(fields: Doc) -> Doc:
        doc = sparse(kind, normalise({**plain(kind)[1], **fields}))
        return with_method_class(dict(doc)) if kind == "evidence" else doc

    return st.fixed_dictionaries({}, optional=GENERATED[kind]).map(whole)


def for_all[T](strategy: st.SearchStrategy[T], check: Callable[[T], None], *, examples: int = EXAMPLES) -> None:
    """Try a check on generated values, the same ones in every run; the smallest that fails is shown."""
    steady = settings(derandomize=True, database=None, deadline=None, max_examples=examples)
    steady(given(strategy)(check))()

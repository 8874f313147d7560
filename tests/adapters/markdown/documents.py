"""Documents to test with: every field, and the texts that break YAML, Markdown and our own markers."""

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tallystick_adapters.markdown import codec, edits
from tallystick_adapters.markdown.codec import Note
from tallystick_contract.adapter import Change, Key

arbitrary = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How properties are tried: a busy machine, on which a draw takes long, says nothing about them."""

NASTY = (
    "no", "~", "null", "true", "2026-02-30", "Re: plan", 'Re: plan #12 — "it\'s" @me', "Fix #12 now", "*draft*",
    "{{x}}",
    "'it's'", "- item", "- [ ] box", "- [x] done", "# head", "---", "...", "```", "~~~~", "  ```json", "<!--", "-->",
    "<!-- tally:begin description -->", "<!-- tally:end description -->", "<!-- tally:end notes -->",
    "<!-- tally:end criteria -->", "<!-- tally:begin notes list -->", "<!-- \\tally:end gate -->",
    "<!-- tally:end evidence -->", "<!-- tally:end journal -->", "<!-- {} -->", "\\", "\\\\",
    "\r\n", "\r", "\n", "\n\n",
    "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x7f", "\ufeff", "\ufffe", "👩‍👩‍👧", "e\u0301", "é",
    "\u0338", " ", "  ", "\t",
    "[[link]]", "[[a|b]]", "%%hidden%%", "|", ">", "&a", "!tag", "%", "@", "`", "key: value", ": ", " #", "\U000e0001",
)  # fmt: skip
"""Pieces of text with a meaning somewhere between the hub and the note."""

characters = st.one_of(st.integers(1, 0xD7FF), st.integers(0xE000, 0x10FFFF)).map(chr)
texts = st.one_of(
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(characters, max_size=6)), min_size=1, max_size=6).map("".join),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=5).map("\n".join),
    st.text(characters, max_size=20),
)
some = st.none() | texts
ids = st.one_of(st.integers(0, 99).map("T-{}".format), texts.filter(bool))
plain = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.one_of(plain, st.lists(plain, max_size=2), st.dictionaries(texts, plain, max_size=2))
mappings = st.dictionaries(texts, values, max_size=2)
criteria = st.lists(st.fixed_dictionaries({"text": texts, "done": st.booleans()}), max_size=4)

FIELDS: Mapping[str, st.SearchStrategy[Any]] = {
    "title": some,
    "description": some,
    "status": st.sampled_from(["planned", "in-progress", "blocked", "completed", "cancelled"]),
    "priority": st.sampled_from(["unset", "p0", "p1", "p99"]),
    "dependsOn": st.lists(ids, max_size=3),
    "owner": some,
    "decisionGate": st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("noAutoClose", "requiresVerification", "requiresOperatorApproval"), st.booleans())
    ),
    "acceptanceCriteria": criteria,
    "labels": st.lists(texts, max_size=3),
    "milestone": some,
    "notes": st.one_of(some, st.lists(texts, max_size=3)),
    "files": st.lists(texts, max_size=3),
    "parent": st.none() | ids,
    "due": st.none() | st.dates().map(str),
    "archived": st.booleans(),
    "extensions": mappings,
    "deliveryState": st.sampled_from([None, "reported", "artifact-produced", "applied", "recovery-required"]),
}


def _named(doc: dict[str, Any]) -> dict[str, Any]:
    """Return the document with a title if it has neither title nor description (K-011)."""
    shown = codec.image("task", doc)
    return doc if "title" in shown or "description" in shown else {**doc, "title": "named"}


tasks = st.fixed_dictionaries({}, optional=FIELDS).map(_named)
evidence = st.fixed_dictionaries(
    {"target": ids, "status": st.sampled_from(["passed", "failed", "partial", "skipped"])},
    optional={
        "targetType": texts.filter(bool),
        "method": some,
        "methodClass": st.sampled_from(["test", "command", "inspect", "other"]),
        "timestamp": st.none() | st.just("2026-05-01T10:00:00+02:00"),
        "summary": some,
        "artifacts": st.lists(texts, max_size=3),
        "criteriaResults": st.lists(st.fixed_dictionaries({"criterion": texts, "status": texts}), max_size=2),
        "commit": some,
        "extensions": mappings,
    },
)
events = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["note", "status-change", "x-own"]),
        "atIso": st.just("2026-05-01T10:00:00Z"),
        "actor": st.fixed_dictionaries({"type": st.just("agent"), "id": texts.filter(bool)}),
    },
    optional={"taskId": st.none() | ids, "payload": mappings, "extensions": mappings},
)
STRATEGIES = {"task": tasks, "evidence": evidence, "event": events}

# What people write around our regions: no fence or comment left open, no marker at the start of a line.
human = st.lists(
    st.sampled_from(
        [
            "", "A paragraph", "with trailing spaces  ", "---", "setext\n===", "%%hidden%%", "- [ ] T-1 example",
            "```\n<!-- tally:begin gate -->\n- [ ] x\n```", "~~~ md\n<!-- tally:end gate -->\n~~~",
            "````\n```\n<!-- tally:begin notes -->\n```\n````", "- ```\n  <!-- tally:end notes -->\n  ```",
            "> <!-- tally:begin notes -->", "<!-- a comment\n<!-- tally:begin notes -->", " <!-- tally:begin notes -->",
            "<!-- one line -->", "<!-- tally:begin elsewhere -->", "text <!-- tally:begin notes -->",
            "é👩‍👩‍👧\u2028x\x85y", "[[link]]",
        ]
    ),
    max_size=5,
).map("\n".join)  # fmt: skip
"""Text as people write it, with examples of our own markers in places where they are none."""


def read(text: str, stem: str = "note") -> Note:
    """Return the note a text is; fails if it is none."""
    note = codec.parse(text, stem)
    assert note is not None
    return note


def update(note: Note, key: Key, fields: Mapping[str, Any], *, text_of: Key | None = None) -> str:
    """Return the note's text after an update of some fields of one of its records; fails if it is refused."""
    task = text_of or (Key("task", note.id) if note.id else None)
    current = codec.records(note, task)[key]
    change = Change("update", key, codec.revision(current), fields, codec.image(key.kind, {**current, **fields}))
    amended = edits.amend(note, task, [change])
    assert not amended.errors, amended.errors
    assert amended.text is not None
    return amended.text


def create(note: Note, key: Key, image: Mapping[str, Any]) -> str:
    """Return the note's text after a record was added to it; fails if it is refused."""
    task = Key("task", note.id) if note.id else None
    amended = edits.amend(note, task, [Change("create", key, None, image, image)])
    assert not amended.errors, amended.errors
    assert amended.text is not None
    return amended.text

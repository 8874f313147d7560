"""Boards for tests: generated records, and the ways in which people and tools write the same JSON."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tallystick_adapters.project_json.adapter import ProjectJson
from tallystick_contract.adapter import Change, Key, Observed, Pull
from tallystick_contract.canonical import Doc, normalise, normalise_text
from tallystick_contract.fields import arranged, sparse
from tallystick_contract.gates import with_method_class

TASK_FIELDS = (
    "title", "description", "status", "priority", "dependsOn", "owner", "decisionGate", "acceptanceCriteria",
    "labels", "milestone", "notes", "files", "parent", "due", "extensions",
)  # fmt: skip

letters = st.characters(codec="utf-8", exclude_characters="\0")
nasty = st.one_of(
    st.text(letters, max_size=20),
    st.sampled_from([
        "no", "2026-01-01", "a: b", "# x", "```\ncode\n```", "---", " lead", "trail \n", "\n\n", "a\r\nb", "\ufeffbom",
        "x\u2028y", "x\u0085y", "e\u0301", "\U0001f600", '"quoted"', "back\\slash", "\\u00e9", "{", "}],",
        "[P1] marked", "[p0/local-safe] marked", "[P123] not", "\t", "<<<<<<< ours", "null",
    ]),
)  # fmt: skip
some = nasty.filter(bool)
ids = st.text(letters, min_size=1, max_size=8).map(normalise_text)
names = st.one_of(
    some, st.sampled_from(["status", "owner", "extensions", "assigned_agent", "acceptance_done", "type", "target"])
)
exact = st.one_of(
    st.none(), st.booleans(), st.integers(1 - 2**53, 2**53 - 1), st.floats(allow_nan=False, allow_infinity=False), nasty
)
values = st.recursive(
    exact, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(nasty, inner, max_size=3)), max_leaves=5
)
extensions = st.dictionaries(names, values, max_size=3)
flags = st.dictionaries(
    st.sampled_from(["noAutoClose", "requiresVerification", "requiresOperatorApproval"]), st.just(value=True)
)
criteria = st.lists(
    st.fixed_dictionaries({"text": st.one_of(some, st.just("same")), "done": st.booleans()}), max_size=4
)
ranks = st.one_of(st.just("unset"), st.integers(0, 99).map(lambda rank: f"p{rank}"))

task_values: dict[str, st.SearchStrategy[Any]] = {
    "title": st.one_of(st.none(), some),
    "description": some,
    "status": st.sampled_from(["planned", "in-progress", "blocked", "completed", "cancelled"]),
    "priority": ranks,
    "dependsOn": st.lists(ids, max_size=3),
    "owner": st.one_of(st.none(), some),
    "decisionGate": flags,
    "acceptanceCriteria": criteria,
    "labels": st.lists(nasty, max_size=3),
    "milestone": st.one_of(st.none(), some),
    "notes": st.one_of(st.none(), some, st.lists(nasty, min_size=1, max_size=3)),
    "files": st.lists(nasty, max_size=3),
    "parent": st.one_of(st.none(), ids),
    "due": st.one_of(st.none(), st.dates().map(lambda day: day.isoformat())),
    "extensions": extensions,
}
evidence_values: dict[str, st.SearchStrategy[Any]] = {
    "target": ids,
    "targetType": some,
    "status": st.sampled_from(["passed", "failed", "partial", "skipped"]),
    "method": st.one_of(st.none(), some),
    "timestamp": st.one_of(st.none(), st.datetimes().map(lambda moment: moment.isoformat() + "Z")),
    "summary": st.one_of(st.none(), some),
    "artifacts": st.lists(nasty, max_size=3),
    "criteriaResults": st.lists(
        st.fixed_dictionaries(
            {"criterion": nasty, "status": nasty}, optional={"evidence": st.one_of(st.none(), nasty), "more": values}
        ),
        max_size=2,
    ),
    "commit": st.one_of(st.none(), some),
    "extensions": extensions,
}


def _whole(kind: str, doc: Mapping[str, Any]) -> Doc:
    found = sparse(kind, normalise(doc))
    return with_method_class(found) if kind == "evidence" else found


tasks = st.fixed_dictionaries(
    {"description": some}, optional={name: item for name, item in task_values.items() if name != "description"}
).map(lambda doc: _whole("task", doc))
evidence = st.fixed_dictionaries(
    {"target": ids}, optional={name: item for name, item in evidence_values.items() if name != "target"}
).map(lambda doc: _whole("evidence", doc))
task_edits = st.fixed_dictionaries({}, optional=task_values).map(normalise)
evidence_edits = st.fixed_dictionaries({}, optional=evidence_values).map(normalise)


@dataclass(frozen=True)
class Writing:
    """One way to write JSON."""

    indent: int | str | None
    separators: tuple[str, str]
    newline: str
    bom: bool
    escaped: bool
    ending: str

    def write(self, document: Any) -> bytes:
        """Return the document written this way."""
        text = json.dumps(document, indent=self.indent, separators=self.separators, ensure_ascii=self.escaped)
        lines = text.replace("\n", self.newline) + (self.newline if self.ending else "")
        return ("\ufeff" if self.bom else "").encode() + lines.encode()


pretty = st.builds(
    Writing, st.sampled_from([2, 4, "\t"]), st.just((",", ": ")), st.sampled_from(["\n", "\r\n"]), st.booleans(),
    st.booleans(), st.sampled_from(["", "\n"]),
)  # fmt: skip
compact = st.builds(
    Writing, st.none(), st.sampled_from([(",", ":"), (", ", ": ")]), st.just("\n"), st.booleans(), st.booleans(),
    st.sampled_from(["", "\n"]),
)  # fmt: skip
writings = st.one_of(pretty, compact)


def board(root: Path, **settings: Any) -> ProjectJson:
    """Return the spoke over `root`/.project."""
    return ProjectJson("board", {"path": ".project", **settings}, str(root))


def write(root: Path, name: str, content: bytes | str | Any) -> Path:
    """Write a file of the board; anything but text and bytes as pretty JSON."""
    path = root / ".project" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, bytes | str):
        content = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def age(root: Path) -> None:
    """Make every file look long unchanged, as it would be to a run that comes later."""
    for number, path in enumerate(sorted((root / ".project").rglob("*.json*"))):
        os.utime(path, ns=(1_700_000_000_123_456_789 + number,) * 2)


def task(name: str, **more: Any) -> dict[str, Any]:
    """Return a record of a task as the board writes it."""
    return {"id": name, "description": f"About {name}", "status": "planned", **more}


def images(pull: Pull) -> dict[Key, Doc]:
    """Return the observed images by key."""
    return {item.key: item.image for item in pull.observed}


def one(pull: Pull, name: str, kind: str = "task") -> Observed:
    """Return the observed record of an id."""
    return next(item for item in pull.observed if item.key == Key(kind, name))


def update(spoke: ProjectJson, seen: Observed, fields: Mapping[str, Any]) -> Change:
    """Return the change of a record that was seen; its image has sets in the order they will stand in."""
    kind = seen.key.kind
    wanted = spoke.image(seen.key, sparse(kind, {**seen.image, **arranged(kind, fields, seen.image)}))
    return Change("update", seen.key, seen.revision, fields, wanted, seen.native)


def create(spoke: ProjectJson, key: Key, doc: Doc) -> Change:
    """Return the change that creates a record."""
    image = spoke.image(key, doc)
    return Change("create", key, None, image, image)


def push_one(spoke: ProjectJson, change: Change) -> Observed:
    """Push one change that must succeed; return what is shown."""
    outcomes: Sequence[Any] = spoke.push([change])
    assert outcomes[0].error is None, outcomes[0].error
    shown = outcomes[0].shown
    assert isinstance(shown, Observed)
    return shown

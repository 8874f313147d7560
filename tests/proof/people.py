"""People at work on four unequal spokes: the edits half of the search for lost words."""

import json
import tempfile
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tallystick_contract.canonical import Doc
from tallystick_contract.fields import value
from tests.sync.rig import Rig

NAMES: Final = ("a", "b", "c", "d")
TASKS: Final = ("T-1", "T-2", "T-3")

type Token = tuple[str, str]

tasks, spokes = st.sampled_from(TASKS), st.sampled_from(NAMES)
texts = st.sampled_from(["title", "owner", "milestone"])
proses = st.sampled_from(["description", "notes"])
sets = st.sampled_from(["labels", "files"])


def tokens(doc: Doc) -> set[Token]:
    """Return everything somebody wrote that a document holds: every written word is used once only."""
    found = {(name, doc[name]) for name in ("title", "owner", "milestone") if doc.get(name)}
    found |= {(name, item) for name in ("labels", "files") for item in doc.get(name, ())}
    found |= {(name, line) for name in ("description", "notes") for line in (doc.get(name) or "").split("\n") if line}
    for item in doc.get("acceptanceCriteria", ()):
        found |= {("criterion", item["text"])} | ({("tick", item["text"])} if item["done"] else set())
    return found | {(f"extensions.{name}", json.dumps(item)) for name, item in doc.get("extensions", {}).items()}


def field_of(token: Token) -> str:
    """Return the field a token belongs to."""
    name = token[0].partition(".")[0]
    return "acceptanceCriteria" if name in {"criterion", "tick"} else name


class People(RuleBasedStateMachine):
    """People who edit tasks, evidence and events on four unequal spokes, and a memory of all they wrote.

    `live` holds, task by task, every word that must be found somewhere: in the hub or in an open question. A word stops
    living when somebody who sees it replaces it. `unseen` holds the fields that somebody who deleted a task on a poorer
    spoke never saw: a deletion takes them with it, as nobody can tell when they were written.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.rig = Rig(self.folder, " ".join(NAMES))
        self.rig.places["b"].gaps = ("task.owner", "task.labels", "task.extensions", "evidence.summary")
        self.rig.places["b"].kinds = ("task", "evidence")
        self.rig.places["c"].gaps = ("task.notes", "task.deliveryState")
        self.rig.places["c"].absence = "ask"
        self.rig.places["c"].kinds = ("task",)
        self.live: dict[str, set[Token]] = {ident: set() for ident in TASKS}
        self.unseen: dict[str, set[str]] = {ident: set() for ident in TASKS}
        self.count = 0
        self.at_rest = False

    @initialize()
    def fill(self) -> None:
        """Begin with a project in step."""
        for ident in TASKS:
            self.write("a", ident, "title", self.word())
        self.rig.sync()

    def word(self) -> str:
        """Return a text nobody has written before."""
        self.count += 1
        self.at_rest = False
        return f"w{self.count}"

    # What people do on spokes

    def write(self, spoke: str, ident: str, name: str, new: Any) -> None:
        """Let a person who sees what the spoke shows change one field of it."""
        place = self.rig.places[spoke]
        if name not in place.adapter().capabilities().shown("task"):
            return
        before = self.rig.shown(spoke, ident)
        if before is None:
            self.rig.put(spoke, ident, title=self.word())
        self.rig.put(spoke, ident, **{name: new})
        self.follow(ident, before or {}, self.rig.shown(spoke, ident) or {})

    def follow(self, ident: str, before: Doc, after: Doc) -> None:
        """Note what was replaced by somebody who saw it, and what must be found from now on."""
        self.live[ident] -= tokens(before) - tokens(after)
        self.live[ident] |= tokens(after) - tokens(before)
        self.at_rest = False

    def shown(self, spoke: str, ident: str, name: str) -> Any:
        return value("task", self.rig.shown(spoke, ident) or {}, name)

    @rule(spoke=spokes, ident=tasks, name=texts)
    def set_text(self, spoke: str, ident: str, name: str) -> None:
        self.write(spoke, ident, name, self.word())

    @rule(spoke=spokes, ident=tasks, name=st.sampled_from(["owner", "milestone", "due", "notes"]))
    def clear(self, spoke: str, ident: str, name: str) -> None:
        if self.rig.shown(spoke, ident) is not None:
            self.write(spoke, ident, name, None)

    @rule(spoke=spokes, ident=tasks, name=proses, place=st.integers(0, 3), add=st.booleans())
    def write_line(self, spoke: str, ident: str, name: str, place: int, *, add: bool) -> None:
        lines = (self.shown(spoke, ident, name) or "").split("\n")
        lines[place : place + (0 if add else 1)] = [self.word()]
        self.write(spoke, ident, name, "\n".join(lines))

    @rule(spoke=spokes, ident=tasks, name=sets)
    def add_element(self, spoke: str, ident: str, name: str) -> None:
        self.write(spoke, ident, name, [*self.shown(spoke, ident, name), self.word()])

    @rule(spoke=spokes, ident=tasks, name=sets)
    def remove_element(self, spoke: str, ident: str, name: str) -> None:
        if items := self.shown(spoke, ident, name):
            self.write(spoke, ident, name, items[1:])

    @rule(spoke=spokes, ident=tasks, act=st.sampled_from(["add", "tick", "remove"]))
    def change_criteria(self, spoke: str, ident: str, act: str) -> None:
        items = list(self.shown(spoke, ident, "acceptanceCriteria"))
        if act == "add":
            items.append({"text": self.word(), "done": False})
        elif items and act == "tick":
            items[-1] = {**items[-1], "done": True}
        elif items:
            items = items[1:]
        else:
            return
        self.write(spoke, ident, "acceptanceCriteria", items)

    @rule(spoke=spokes, ident=tasks, member=st.sampled_from(["x", "y"]))
    def set_member(self, spoke: str, ident: str, member: str) -> None:
        self.write(spoke, ident, "extensions", {**self.shown(spoke, ident, "extensions"), member: self.word()})

    @rule(
        spoke=spokes, ident=tasks,
        fields=st.sampled_from([
            ("status", "in-progress"), ("status", "completed"), ("status", "planned"), ("priority", "p1"),
            ("priority", "p2"), ("due", "2025-01-01"), ("parent", "T-1"), ("archived", True),
            ("decisionGate", {"noAutoClose": True}), ("decisionGate", {"requiresVerification": True}),
            ("decisionGate", {}), ("dependsOn", ["T-1"]), ("dependsOn", ["T-2"]), ("dependsOn", []),
        ]),
    )  # fmt: skip
    def choose(self, spoke: str, ident: str, fields: tuple[str, Any]) -> None:
        self.write(spoke, ident, *fields)

    @rule(spoke=spokes, ident=tasks)
    def delete(self, spoke: str, ident: str) -> None:
        shown = self.rig.shown(spoke, ident)
        if shown is None:
            return
        self.rig.drop(spoke, ident)
        self.unseen[ident] |= self.rig.places[spoke].adapter().capabilities().gaps("task")
        self.live[ident] -= tokens(shown)
        self.at_rest = False

    @rule(ident=tasks, one=spokes, two=spokes, name=st.sampled_from(["title", "milestone", "owner"]))
    def edit_at_once(self, ident: str, one: str, two: str, name: str) -> None:
        """Two people who know nothing of each other edit one field."""
        for spoke in {one, two}:
            self.write(spoke, ident, name, self.word())

    @rule(ident=tasks, one=spokes, two=spokes, name=st.sampled_from(["title", "milestone", "notes"]))
    def delete_against_edit(self, ident: str, one: str, two: str, name: str) -> None:
        """One deletes what another is working on."""
        self.write(two, ident, name, self.word())
        if one != two:
            self.delete(one, ident)

    @rule(spoke=st.sampled_from(["a", "b", "d"]), ident=st.sampled_from(["E-1", "E-2"]), task=tasks,
          status=st.sampled_from(["passed", "failed"]))  # fmt: skip
    def prove(self, spoke: str, ident: str, task: str, status: str) -> None:
        if self.rig.shown(spoke, ident, "evidence") is None:
            self.rig.put(spoke, ident, "evidence", target=task, status=status, method="pytest")
        else:
            self.rig.put(spoke, ident, "evidence", artifacts=[self.word()])
        self.at_rest = False

    @rule(spoke=st.sampled_from(["a", "d"]), task=tasks)
    def report_progress(self, spoke: str, task: str) -> None:
        fields = {"kind": "progress", "atIso": self.rig.now(), "actor": {"type": "agent", "id": "x"}}
        self.rig.put(spoke, self.word(), "event", taskId=task, **fields)

    @rule(spoke=st.sampled_from(["a", "d"]))
    def lose_evidence(self, spoke: str) -> None:
        if self.rig.shown(spoke, "E-1", "evidence") is not None:
            self.rig.drop(spoke, "E-1", kind="evidence")
            self.at_rest = False

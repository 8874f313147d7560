"""Whatever people, crashes and broken spokes do in whatever order: spokes end in step, and no word is lost.

`TALLY_PROVE=1` searches for longer.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.canonical import Doc
from tallystick_contract.errors import Broken, Refused, Throttled, Unknown
from tallystick_contract.fields import value
from tallystick_sync.answers import resolve
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.records import load_cases
from tallystick_sync.summary import conflicts, held
from tests.sync.faults import Killed, Meddled, Push, before_push, lose_reply, mend
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


class Convergence(RuleBasedStateMachine):
    """People edit four unequal spokes and the hub while runs succeed, fail and die."""

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
        self.count = 0
        self.at_rest = False

    def teardown(self) -> None:
        """Every history ends in rest."""
        try:
            self.rest()
        finally:
            self.rig.ledger.close()
            shutil.rmtree(self.folder)

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
        unseen = self.rig.places[spoke].adapter().capabilities().gaps("task")
        kept = {token for token in self.live[ident] if _of(token) not in unseen}
        self.live[ident] = kept - tokens(shown)
        self.at_rest = False

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

    # What people do in the hub

    @rule(ident=tasks, name=texts)
    def set_in_hub(self, ident: str, name: str) -> None:
        before = self.rig.hub(ident)
        if before is not None:
            with self.rig.editor() as editor:
                editor.set_fields(Key("task", ident), {name: self.word()})
            self.follow(ident, before, self.rig.hub(ident) or {})

    @rule(ident=tasks)
    def delete_in_hub(self, ident: str) -> None:
        if (before := self.rig.hub(ident)) is not None:
            with self.rig.editor() as editor:
                editor.bury(Key("task", ident))
            self.live[ident] -= tokens(before)
            self.at_rest = False

    @rule(ident=tasks)
    def restore_in_hub(self, ident: str) -> None:
        query = "SELECT 1 FROM records WHERE kind = 'task' AND id = ? AND deleted IS NOT NULL"
        if self.rig.ledger.db.execute(query, (ident,)).fetchone():
            with self.rig.editor() as editor:
                editor.restore(ident)
            self.at_rest = False

    @rule(pick=st.integers(0, 9), how=st.integers(0, 9))
    def answer(self, pick: int, how: int) -> None:
        """Answer one open question by something that is on offer."""
        if not (asked := conflicts(self.rig.engine())):
            return
        question = asked[pick % len(asked)]
        key, name = Key(question["kind"], question["id"]), question["field"]
        case = load_cases(self.rig.ledger, [key], NAMES)[key]
        known = tokens(case.hub or {}).union(
            *(tokens(doc) for copy in case.copies.values() for doc in (copy.base, copy.seen) if doc)
        )
        choices = ["keep", "delete"] if name == "presence" else sorted(set(question["values"]) - {"hub"})
        choice = choices[how % len(choices)]
        if name != "presence" and (case.hub is None or case.deleted or choice not in case.copies):
            return
        try:
            with self.rig.editor() as editor:
                resolve(editor, key, name, **({"chosen": choice} if name == "presence" else {"take": choice}))
        except Refused:
            return
        self.at_rest = False
        if key.kind != "task":
            return
        if name != "presence":
            taken = tokens({name: value("task", self.rig.hub(key.id) or {}, name)})
            self.live[key.id] -= {token for token in known if _of(token) == name} - taken
        elif choice == "delete":
            self.live[key.id] -= known

    # What the world does

    @rule(spoke=spokes, error=st.sampled_from([Broken("lost"), Unknown("lost"), Throttled("lost"), Killed()]),
          keep=st.sampled_from([0, 1, None]))  # fmt: skip
    def lose_the_next_reply(self, spoke: str, error: BaseException, keep: int | None) -> None:
        lose_reply(self.rig.places[spoke], error, keep=keep)

    @rule(spoke=spokes, ident=tasks, name=texts)
    def meddle(self, spoke: str, ident: str, name: str) -> None:
        def act(_changes: Sequence[Change]) -> None:
            if self.rig.shown(spoke, ident) is not None:
                self.write(spoke, ident, name, self.word())

        before_push(self.rig.places[spoke], act)

    @rule(spoke=spokes, ident=tasks)
    def delete_while_writing(self, spoke: str, ident: str) -> None:
        before_push(self.rig.places[spoke], lambda _changes: self.delete(spoke, ident))

    @rule(spoke=spokes)
    def refuse(self, spoke: str) -> None:
        def push(_write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
            return [Outcome(change.key, error=Refused("not now")) for change in changes]

        self.rig.places[spoke].wrap = lambda inner: Meddled(inner, push)

    @rule(spoke=spokes)
    def toggle_broken(self, spoke: str) -> None:
        store = self.rig.places[spoke].store
        store.broken = "" if store.broken else "unplugged"

    @rule(spoke=spokes)
    def toggle_holes(self, spoke: str) -> None:
        store = self.rig.places[spoke].store
        store.complete = not store.complete

    @rule(spoke=spokes)
    def toggle_write(self, spoke: str) -> None:
        place = self.rig.places[spoke]
        place.writable = not place.writable
        self.at_rest = False

    @rule(spoke=spokes, ident=tasks)
    def toggle_readable(self, spoke: str, ident: str) -> None:
        key, store = Key("task", ident), self.rig.places[spoke].store
        if key in store.unreadable:
            store.unreadable.discard(key)
        elif key in store.records:
            store.unreadable.add(key)

    @rule(order=st.permutations(NAMES), only=st.sets(spokes))
    def run(self, order: list[str], only: set[str]) -> None:
        self.tidy()
        try:
            self.rig.sync(*only, order=order, deletions=99, changes=99)
        except Killed:
            self.rig.reopen()

    @rule(order=st.permutations(NAMES), after=st.integers(0, 12), moment=st.sampled_from(["before", "within", "after"]))
    def run_and_die(self, order: list[str], after: int, moment: str) -> None:
        """Die at a boundary of a transaction."""
        self.tidy()
        left = [after]
        whole = self.rig.ledger.transaction

        @contextmanager
        def transaction() -> Iterator[Connection]:
            left[0] -= 1
            if left[0] < 0 and moment == "before":
                raise Killed
            with whole() as db:
                yield db
                if left[0] < 0 and moment == "within":
                    raise Killed
            if left[0] < 0:
                raise Killed

        self.rig.ledger.transaction = transaction  # type: ignore[method-assign]
        try:
            self.rig.sync(order=order, deletions=99, changes=99)
        except Killed:
            pass
        finally:
            self.rig.reopen()

    def tidy(self) -> None:
        """What is not there any more cannot be unreadable either."""
        for place in self.rig.places.values():
            place.store.unreadable &= set(place.store.records)

    # What must be so

    @precondition(lambda self: not self.at_rest)
    @rule()
    def rest(self) -> None:
        """Mend everything, let it settle, and look."""
        for place in self.rig.places.values():
            mend(place)
            place.writable, place.store.broken, place.store.complete = True, "", True
            place.store.unreadable.clear()
        for _ in range(4):
            report = self.rig.sync(deletions=99, changes=99)
            assert report.problems == []
            if not report.writes and not report.accepted:
                break
        self.rig.check_rest()
        assert self.rig.dirty() == set()
        self.check_words()
        self.at_rest = True

    def check_words(self) -> None:
        """Every word is in the hub, in an open question, or was replaced by somebody who had seen it."""
        unsettled = {ident for ident, name in self.rig.asked() if name == "presence"}
        for ident in TASKS:
            found = tokens(self.rig.hub(ident) or {})
            for item in conflicts(self.rig.engine()):
                if item["id"] == ident and item["field"] != "presence":
                    for offer in item["values"].values():
                        found |= tokens({item["field"]: offer})
            for item in held(self.rig.engine()):
                found |= tokens({item["field"]: item["value"]}) if item["id"] == ident else set()
            if ident in unsettled:
                found |= {token for spoke in NAMES for token in tokens(self.rig.shown(spoke, ident) or {})}
            lost = self.live[ident] - found
            assert not lost, f"{ident}: {sorted(lost)} is nowhere"

    @precondition(lambda self: self.at_rest)
    @rule()
    def lose_the_ledger(self) -> None:
        """With everything in step, a lost ledger is rebuilt without a write."""
        if self.rig.asked() or self.rig.waiting():
            return
        before = {kind: self.rig.records(kind) for kind in ("task", "evidence", "event")}
        self.rig.ledger.close()
        for path in self.folder.glob("ledger.db*"):
            path.unlink()
        self.rig.ledger = Ledger.open(self.rig.path)
        report = self.rig.sync(deletions=99, changes=99)
        assert (report.writes, report.conflicts, report.held) == (0, [], [])
        assert {kind: self.rig.records(kind) for kind in before} == before


def _of(token: Token) -> str:
    """Return the field a token belongs to."""
    name = token[0].partition(".")[0]
    return "acceptanceCriteria" if name in {"criterion", "tick"} else name


TestConvergence = Convergence.TestCase
TestConvergence.settings = settings(
    max_examples=2000 if os.environ.get("TALLY_PROVE") else 60,
    stateful_step_count=60 if os.environ.get("TALLY_PROVE") else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

"""Whatever people, crashes and broken spokes do in whatever order: spokes end in step, and no word is lost."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from sqlite3 import Connection

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tallystick_contract.adapter import Change, Key, Outcome
from tallystick_contract.errors import Broken, Refused, Throttled, Unknown
from tallystick_contract.fields import value
from tallystick_sync.answers import resolve
from tallystick_sync.ledger import Ledger
from tallystick_sync.ledger.records import load_cases
from tallystick_sync.summary import conflicts, held
from tests.proof.people import NAMES, TASKS, People, field_of, spokes, tasks, texts, tokens
from tests.sync.faults import Killed, Meddled, Push, before_push, lose_reply, mend


class Convergence(People):
    """The hub is edited too, while runs succeed, fail and die."""

    def teardown(self) -> None:
        """Every history ends in rest."""
        try:
            self.rest()
        finally:
            self.rig.ledger.close()
            shutil.rmtree(self.folder)

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
            self.live[key.id] -= {token for token in known if field_of(token) == name} - taken
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

    @rule(order=st.permutations(NAMES), again=st.booleans())
    def run_all(self, order: list[str], *, again: bool) -> None:
        self.run(order, set())
        if again:
            self.run(order, set())

    @rule()
    def run_without_trouble(self) -> None:
        for place in self.rig.places.values():
            mend(place)
        self.run(list(NAMES), set())

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
            taken = {token for token in lost if field_of(token) in self.unseen[ident]}
            assert not lost - taken, f"{ident}: {sorted(lost - taken)} is nowhere"
            self.live[ident] -= taken
            self.unseen[ident] = set()

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

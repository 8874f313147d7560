"""What people do by command: edits of the hub, moves, deletions, restores, answers, and taking a run back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tallystick_contract.adapter import Key
from tallystick_contract.errors import Invalid, Refused
from tallystick_contract.fields import DERIVED, FIELDS, value
from tallystick_contract.lifecycle import EVENTS
from tallystick_sync.answers import resolve, undo
from tallystick_sync.edits import Editor
from tallystick_sync.ledger.records import load_cases
from tests.proof.history import check_history
from tests.proof.people import NAMES, People, acts, keys, places, tasks
from tests.proof.snapshot import Place, Snapshot, take
from tests.proof.vocabulary import Token, change, new, tokens

picks = st.integers(0, 9)


class Desk(People):
    """The hub is edited too, by a person who sees what it shows; every command is held to the hub's own rules."""

    relived = False

    @contextmanager
    def command(self) -> Iterator[Editor]:
        """Carry out one command; what it changes in the hub was changed by somebody who saw it."""
        before = take(self.rig)
        try:
            with self.rig.editor() as editor:
                yield editor
        except (Refused, Invalid) as error:
            self.reached[f"{type(error).__name__} by command".lower()] += 1
            assert take(self.rig) == before, "a refused command changed something"
            return
        after = take(self.rig)
        assert after.shown == before.shown, "a command wrote to a spoke"
        check_history(self.rig, before, after, relived=self.relived)
        for key in before.docs.keys() | after.docs.keys():
            if before.docs.get(key) != after.docs.get(key):
                self.follow(key, "hub", before.docs.get(key, {}), after.docs.get(key, {}))

    @rule(place=places, act=acts, event=st.sampled_from(["", "", *EVENTS]), task=tasks)
    def edit_in_hub(self, place: tuple[Key, str], act: int, event: str, task: Key) -> None:
        """Move a task, or set one field of a record, or begin one."""
        key, name = place
        doc = self.rig.hub(key.id, key.kind)
        if event and self.rig.hub(task.id) is not None:
            with self.command() as editor:
                editor.move(task.id, event, "because")
        elif doc is None:
            about = {"evidence": {"target": task.id}, "event": {"taskId": task.id}}.get(key.kind, {})
            with self.command() as editor:
                editor.create(key, {**new(key, self.word()), **about})
        elif name != "status" and name not in DERIVED[key.kind]:
            item = change(key.kind, name, value(key.kind, doc, name), act, self.word())
            with self.command() as editor:
                editor.set_fields(key, {name: item})

    @rule(key=keys)
    def bury_or_restore(self, key: Key) -> None:
        """Delete a record, or bring a deleted task back with the evidence and events that went."""
        before = take(self.rig)
        if key in before.buried and key.kind == "task":
            with self.command() as editor:
                editor.restore(key.id)
            after = take(self.rig)
            for other, doc in before.buried.items():
                if other == key or key.id in (doc.get("target"), doc.get("taskId")):
                    wanted = {name: item for name, item in doc.items() if name != "deliveryState"}
                    assert wanted.items() <= after.docs[other].items(), f"{other.id} was not restored"
            self.reached["restored"] += 1
        elif key in before.docs:
            with self.command() as editor:
                editor.bury(key)
            self.reached["buried"] += 1

    @rule(back=st.integers(0, 2))
    def take_back(self, back: int) -> None:
        """Reverse what one of the last runs and commands changed in the hub."""
        query = "SELECT DISTINCT run FROM journal ORDER BY run DESC LIMIT 1 OFFSET ?"
        row = self.rig.ledger.db.execute(query, (back,)).fetchone()
        if row is not None and row[0] > 1:
            with self.command() as editor:
                done, _ = undo(editor, row[0])
                self.reached["taken back"] += bool(done)

    @rule(pick=picks, how=picks)
    def answer(self, pick: int, how: int) -> None:
        """Answer one open question by something that is on offer, or by putting a held move back."""
        now = take(self.rig)
        asked = sorted(now.conflicts) + sorted(place for place in now.held if place not in now.conflicts)
        if not asked:
            return
        key, name = place = asked[pick % len(asked)]
        said = now.conflicts.get(place) or {"hub": None, **_moves(now, place)}
        if name == "presence":
            self.answer_presence(key, ("keep", "delete")[how % 2])
        elif name == "id":
            with self.command() as editor:
                resolve(editor, key, name, chosen=key.id)
        elif key in now.docs:
            self.answer_field(key, name, said, how)

    def refuses_lowering(self, key: Key, now: Snapshot, gate: Any) -> bool:
        """Tell whether a gate may not be answered away, as a completion waits before it."""
        waits = any(item == "completed" for item, _ in now.held.get((key, "status"), ()))
        return waits and bool(set(value("task", now.docs[key], "decisionGate")) - set(gate))

    def answer_field(self, key: Key, name: str, said: Mapping[str, Any], how: int) -> None:
        """Take one side; every other value on offer was seen, and is given up."""
        choice = sorted(said)[how % len(said)]
        known = self.on_offer(key)
        now, before = take(self.rig), self.rig.ledger.last_run()
        with self.command() as editor:
            resolve(editor, key, name, take=choice)
        if self.rig.ledger.last_run() > before:  # else it was refused
            after = take(self.rig)
            assert (key, name) not in {*after.conflicts, *after.held}, "the question is still open"
            if name == "decisionGate":
                gate = value("task", after.docs[key], name)
                assert not self.refuses_lowering(key, now, gate), f"{key.id}: lowered before a completion that waits"
            kept = tokens(key.kind, {name: value(key.kind, self.rig.hub(key.id, key.kind) or {}, name)})
            self.forget(key, {token for token in known if token[0] == name} - kept)
            self.reached["answered"] += 1

    def answer_presence(self, key: Key, choice: str) -> None:
        """Keep the record or let it go, everything known of it with it."""
        known = self.on_offer(key)
        with self.command() as editor:
            resolve(editor, key, "presence", chosen=choice)
            self.reached[f"presence: {choice}"] += 1
        if choice == "delete":
            self.forget(key, known)
            assert key not in take(self.rig).docs

    def on_offer(self, key: Key) -> set[Token]:
        """Return every word the ledger knows of a record."""
        case = load_cases(self.rig.ledger, [key], NAMES)[key]
        docs = [case.hub or {}, *(doc for copy in case.copies.values() for doc in (copy.base, copy.seen) if doc)]
        return set().union(*(tokens(key.kind, doc) for doc in docs))

    @rule(spoke=st.sampled_from([None, *NAMES]))
    def adopt(self, spoke: str | None) -> None:
        """Start afresh with one spoke, or with all."""
        now = take(self.rig)
        if now.conflicts or now.held or self.nonsense():
            return
        self.rig.adopt(spoke)
        self.at_rest = False
        self.relived = self.relived or spoke is None
        self.reached["adopted"] += 1
        after = take(self.rig)
        for key, live in self.live.items():  # what was only in the hub goes with it
            shown = [shown.get(key, {}) for shown in (after.docs, *after.shown.values())]
            self.live[key] = live & set().union(*(tokens(key.kind, doc) for doc in shown))
            self.writers.update({(key, name): set(NAMES) for name in FIELDS[key.kind]})


def _moves(now: Snapshot, place: Place) -> dict[str, Any]:
    """Return what is held at a place, by the spoke that made the move."""
    return {spoke: item for item, movers in now.held.get(place, ()) for spoke in movers}

"""People at work on four unequal spokes, and a memory of every word they wrote."""

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, sparse, value
from tallystick_sync.policy import Policy
from tests.proof.sites import Site
from tests.proof.vocabulary import TASKS, Token, change, new, tokens
from tests.sync.rig import Rig

MEMORY: Final = next((path for path in ("/dev/shm",) if os.access(path, os.W_OK)), None)  # noqa: S108 -- mkdtemp's
"""Where files cost no disk; None: where temporary files go."""

NAMES: Final = ("a", "b", "c", "d")
KEYS: Final = (
    *(Key("task", ident) for ident in TASKS), Key("evidence", "E-1"), Key("evidence", "E-2"), Key("event", "V-1"),
)  # fmt: skip

FULL: Final = KEYS[:2]
"""The records that begin with something in every field in which edits can meet."""

spokes, keys, acts = st.sampled_from(NAMES), st.sampled_from(KEYS), st.integers(0, 5)
tasks = st.sampled_from(KEYS[:3])
gone = st.sampled_from([*NAMES, ""])
places = st.one_of(
    st.tuples(tasks, st.sampled_from(sorted(FIELDS["task"]))),
    st.tuples(tasks, st.sampled_from(["status", "decisionGate", "title", "dependsOn"])),
    st.tuples(st.sampled_from(KEYS[3:5]), st.sampled_from(sorted(FIELDS["evidence"]))),
    st.tuples(st.sampled_from(KEYS[5:]), st.sampled_from(sorted(FIELDS["event"]))),
)
"""A record and one of its fields: every field of the contract there is, the telling ones more often."""

POLICIES: Final = (
    Policy(), Policy(), Policy(), Policy(fields={"title": "prefer:b", "owner": "latest", "notes": "prefer:d"}),
    Policy("adapter-first", "b"), Policy("canonical-plus-mirror", "a"),
)  # fmt: skip


class People(RuleBasedStateMachine):
    """People who edit whatever there is on spokes that hold unequal parts of it.

    `live` holds, record by record, every word that must be found somewhere: in the hub or in an open question. A word
    stops living when somebody who sees it replaces it; `said` are all there ever were. `unseen` holds the fields that
    somebody who deleted a task on a
    poorer spoke never saw: a deletion takes them with it, as nobody can tell when they were written. `writers` are the
    places at which a field was edited since the last rest. `reached` counts, over all histories, what came about.
    """

    reached: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tally-proof-", dir=MEMORY))
        self.rig = Rig(self.folder, " ".join(NAMES))
        self.sites = {name: Site(place.store) for name, place in self.rig.places.items()}
        self.rig.places.update(self.sites)
        self.sites["b"].gaps = ("task.owner", "task.labels", "task.extensions", "evidence.summary")
        self.sites["b"].kinds = ("task", "evidence")
        self.sites["c"].gaps = ("task.notes", "task.deliveryState")
        self.sites["c"].absence, self.sites["c"].kinds = "ask", ("task",)
        self.sites["d"].tracker = True
        self.live: dict[Key, set[Token]] = {}
        self.said: dict[Key, set[Token]] = {}
        self.unseen: dict[Key, set[str]] = {}
        self.writers: dict[tuple[Key, str], set[str]] = {}
        self.vanished: set[Key] = set()
        self.count = 0
        self.at_rest = False

    @initialize(policy=st.sampled_from(POLICIES), gated=st.booleans(), deletes=st.booleans(), asks=st.booleans())
    def fill(self, policy: Policy, *, gated: bool, deletes: bool, asks: bool) -> None:
        """Begin with a project in step, under some policy."""
        self.rig.policy = policy
        self.rig.gates = ("requiresVerification",) if gated else ()
        self.sites["d"].deletes, self.sites["d"].absence = deletes, "ask" if asks else "delete"
        for key in KEYS:
            self.replace_record("a", key, {**new(key, self.word()), **(self.full() if key in FULL else {})})
        self.rig.sync()
        self.at_rest = True

    def full(self) -> dict[str, Any]:
        """Return what makes a task one in which edits can meet: lines, items, elements, members."""
        word = self.word
        return {
            **{name: "\n".join(word() for _ in range(4)) for name in ("description", "notes")},
            **{name: [word(), word()] for name in ("labels", "files")},
            "acceptanceCriteria": [{"text": word(), "done": done} for done in (False, True, False)],
            "extensions": {"x": word(), "y": word()},
        }

    def word(self) -> str:
        """Return a text nobody has written before."""
        self.count += 1
        self.at_rest = False
        return f"w{self.count}"

    # What a person does on one spoke

    def shown(self, spoke: str, key: Key) -> dict[str, Any] | None:
        """Return a record as the spoke shows it."""
        record = self.sites[spoke].store.records.get(key)
        return None if record is None else sparse(key.kind, record)

    def holds(self, spoke: str, key: Key, name: str) -> bool:
        """Tell whether the spoke has a place for this field."""
        return name in self.sites[spoke].adapter().capabilities().shown(key.kind)

    def write(self, spoke: str, key: Key, name: str, item: Any) -> None:
        """Let a person who sees what the spoke shows change one field of it, or begin the record."""
        if not self.holds(spoke, key, name):
            return
        before = self.shown(spoke, key)
        if before is None and self.sites[spoke].tracker and key.kind == "task":
            return  # a tracker's ids are its own to give
        fresh = new(key, self.word()) if before is None else before
        self.replace_record(spoke, key, {**fresh, name: item})

    def replace_record(self, spoke: str, key: Key, doc: Doc) -> None:
        """Put a whole record in the place of what the spoke shows, seeing that."""
        if key.kind not in self.sites[spoke].kinds:
            return
        if key.kind != "task" and self.shown(spoke, key) is None and self.rig.hub(key.id, key.kind) is not None:
            return  # it was lost here and will be put back: whoever wrote it anew would change what he does not see
        before, held = self.shown(spoke, key) or {}, self.sites[spoke].adapter().capabilities().shown(key.kind)
        self.sites[spoke].store.records[key] = sparse(key.kind, {name: doc[name] for name in doc if name in held})
        self.follow(key, spoke, before, self.shown(spoke, key) or {})

    def follow(self, key: Key, place: str, before: Doc, after: Doc) -> None:
        """Note what was replaced by somebody who saw it, and what must be found from now on.

        What was said of this record before need not be: somebody else may have replaced it meanwhile.
        """
        said, says, known = tokens(key.kind, before), tokens(key.kind, after), self.said.setdefault(key, set())
        self.live[key] = (self.live.get(key, set()) - (said - says)) | (says - said - known)
        known |= says
        for name in FIELDS[key.kind]:
            if value(key.kind, before, name) != value(key.kind, after, name):
                self.writers.setdefault((key, name), set()).add(place)
        self.at_rest = False

    def forget(self, key: Key, said: set[Token]) -> None:
        """Note that words went with a record that somebody who saw them removed."""
        self.live[key] = self.live.get(key, set()) - said
        self.at_rest = False

    def edit(self, spoke: str, key: Key, name: str, act: int) -> None:
        """Let a person change a field in one of the ways there are for its kind."""
        now = value(key.kind, self.shown(spoke, key) or {}, name)
        self.write(spoke, key, name, change(key.kind, name, now, act, self.word()))

    def delete(self, spoke: str, key: Key) -> None:
        """Let a person remove a record; only a task can be deleted that way, the rest is put back."""
        shown = self.shown(spoke, key)
        if shown is None:
            return
        del self.sites[spoke].store.records[key]
        self.sites[spoke].store.unreadable.discard(key)
        kept = {} if key.kind == "task" else (self.rig.hub(key.id, key.kind) or {})
        self.forget(key, tokens(key.kind, shown) - tokens(key.kind, kept))
        if key.kind == "task":
            self.unseen.setdefault(key, set()).update(self.sites[spoke].adapter().capabilities().gaps("task"))
            if self.sites[spoke].absence == "delete":
                self.vanished.add(key)

    @rule(some=st.lists(st.tuples(spokes, places, acts), min_size=1, max_size=4))
    def edit_here_and_there(self, some: list[tuple[str, tuple[Key, str], int]]) -> None:
        """People edit what they come across."""
        for spoke, place, act in some:
            self.edit(spoke, *place, act)

    @rule(place=places, some=st.lists(st.tuples(spokes, acts), min_size=2, max_size=3), gone=gone)
    def edit_at_once(self, place: tuple[Key, str], some: list[tuple[str, int]], gone: str) -> None:
        """People who know nothing of each other edit one field, and one of them deletes what the others work on."""
        for spoke, act in some:
            if self.shown(spoke, place[0]) is not None:
                self.edit(spoke, *place, act)
        if gone:
            self.delete(gone, place[0])

    @rule(spoke=spokes, key=keys)
    def remove(self, spoke: str, key: Key) -> None:
        self.delete(spoke, key)

    @rule(spoke=spokes, other=spokes, key=keys, what=st.sampled_from(["rename", "renumber", "shuffle", "bring back"]),
          shuffled=st.randoms(use_true_random=False))  # fmt: skip
    def handle(self, spoke: str, other: str, key: Key, what: str, shuffled: Any) -> None:
        """Do to a record what changes nothing of what it says."""
        shown = self.shown(spoke, key)
        if shown is None:
            if what == "bring back" and not self.sites[spoke].tracker and (copy := self.shown(other, key)) is not None:
                self.replace_record(spoke, key, copy)
        elif what == "rename":
            self.sites[spoke].store.natives[key] = f"moved-{self.word()}"
        elif what == "renumber":
            self.renumber(spoke, key, shown)
        else:  # trackers list the same labels in any order
            sets = {name: item for name in ("labels", "files", "dependsOn", "artifacts") if (item := shown.get(name))}
            noise = {name: shuffled.sample(item, len(item)) for name, item in sets.items()}
            self.sites[spoke].store.records[key] = {**shown, **noise}

    def renumber(self, spoke: str, key: Key, shown: Doc) -> None:
        """Give a task another id, which no engine can tell from one deletion and one new task."""
        fresh = Key("task", f"T-{key.id[-1]}0")
        if key.kind == "task" and not self.sites[spoke].tracker and self.shown(spoke, fresh) is None:
            self.delete(spoke, key)
            self.replace_record(spoke, fresh, shown)

    @rule(spoke=spokes, key=tasks)
    def write_nonsense(self, spoke: str, key: Key) -> None:
        """Write what the contract does not know; the record is named and left alone until it is mended."""
        shown = self.shown(spoke, key)
        if shown is not None:
            self.replace_record(spoke, key, {**shown, "priority": "urgent"})

    def nonsense(self) -> list[tuple[str, Key]]:
        """Return where something stands that the contract does not know."""
        records = [(spoke, site.store.records) for spoke, site in self.sites.items()]
        return [(spoke, key) for spoke, there in records for key in there if there[key].get("priority") == "urgent"]

    def mend_nonsense(self) -> None:
        """Somebody corrects every value the contract does not know."""
        for spoke, key in self.nonsense():
            self.replace_record(spoke, key, {**(self.shown(spoke, key) or {}), "priority": "p9"})

    @rule(spoke=st.sampled_from(["a", "b", "d"]), task=tasks, act=acts)
    def contribute(self, spoke: str, task: Key, act: int) -> None:
        """Bring evidence, or say how it goes."""
        key = KEYS[3 + act % 2]
        if act > 3 and spoke != "b":
            said = {"taskId": task.id, "kind": "progress", "payload": {"text": self.word()}}
            self.replace_record(spoke, Key("event", self.word()), {**new(KEYS[5], ""), **said})
        elif self.shown(spoke, key) is None:
            self.replace_record(spoke, key, {**new(key, ""), "target": task.id, "summary": self.word()})
        else:
            self.edit(spoke, key, "artifacts", 4)

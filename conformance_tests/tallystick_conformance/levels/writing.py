"""Writing: what is asked stands on the spoke afterwards, that and nothing else, and the outcome says so truly."""

from tallystick_conformance.bench import EACH_FIELD, EACH_KIND, Bench, as_json, tuples_as_lists
from tallystick_conformance.planning import at_rest, carried_out, decided, of_hub, planned
from tallystick_conformance.samples import VALUES
from tallystick_contract.errors import Refused, Stale
from tallystick_contract.fields import FIELDS, same, value


class Writing:
    """The checks of the level."""

    @EACH_KIND
    def test_a_created_record_stands_there(self, bench: Bench, kind: str) -> None:
        """A create puts the record on the spoke, once, as asked. Write before answering."""
        bench.needs_kind(kind, written=True)
        key, doc = bench.plain(kind)
        bench.write(bench.creation(key, doc))
        assert bench.differences(kind, bench.there(key) or {}, doc) == []

    @EACH_FIELD
    def test_every_field_held_is_written_as_asked(self, bench: Bench, kind: str, name: str) -> None:
        """A field declared native or encoded is written without loss. Mend the codec, or declare the gap."""
        bench.needs_field(kind, name, written=True)
        for number, item in enumerate(VALUES[kind][name], 1):
            key, doc = bench.plain(kind, number, **{name: item})
            bench.write(bench.creation(key, doc))
            assert same(FIELDS[kind][name], value(kind, bench.there(key) or {}, name), item)

    @EACH_FIELD
    def test_every_field_held_can_be_changed(self, bench: Bench, kind: str, name: str) -> None:
        """An update sets a field to its new value. Events are history and are not tried."""
        bench.needs_field(kind, name, written=True)
        _not_history(bench, kind)
        first, second = VALUES[kind][name]
        shown = bench.write(bench.update(bench.settled(kind, 1, **{name: first}), **{name: second}))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert same(FIELDS[kind][name], value(kind, doc, name), second)

    @EACH_FIELD
    def test_every_field_held_can_be_emptied(self, bench: Bench, kind: str, name: str) -> None:
        """An update can put a field back to its default. Take it off the spoke then, or show it empty."""
        bench.needs_field(kind, name, written=True)
        needed = {"target", bench.word} if bench.holds("task", "title") else {"target", "title", "description"}
        _not_history(bench, kind)
        if name in needed:
            bench.skip("every record needs this field")
        default = FIELDS[kind][name].default
        shown = bench.write(bench.update(bench.settled(kind, 1, **{name: VALUES[kind][name][0]}), **{name: default}))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert value(kind, doc, name) == default

    def test_the_outcome_shows_what_stands_there(self, bench: Bench) -> None:
        """An outcome is what the next reader would be shown, revision included. Read back what was written."""
        bench.needs_tasks()
        for shown in (
            bench.write(bench.creation(*bench.plain("task", 1))),
            bench.write(bench.rewording(bench.settled("task", 2), "Written by the engine.")),
        ):
            assert bench.listed()[shown.key] == shown

    def test_an_update_leaves_other_fields_alone(self, bench: Bench) -> None:
        """An update writes the fields it names, though its image may be poorer. Never write the whole image."""
        bench.needs_field("task", "owner", written=True)
        seen = bench.settled("task", 1, owner="mika")
        change = bench.rewording(seen, "Written by the engine.")
        poorer = {name: item for name, item in change.image.items() if name != "owner"}
        (outcome,) = bench.push(type(change)("update", seen.key, seen.revision, change.fields, poorer, seen.native))
        assert outcome.error is None, outcome.error
        assert (bench.there(seen.key) or {}).get("owner") == "mika"

    def test_an_update_keeps_what_nobody_knows(self, bench: Bench) -> None:
        """Unknown members of a record survive an update of another field. Change the record, do not rebuild it."""
        bench.needs_field("task", "extensions", written=True)
        kept = {"tide table": [1, None, {"high": True}], "x-crew": "two"}
        shown = bench.write(bench.rewording(bench.settled("task", 1, extensions=kept), "Written by the engine."))
        assert (bench.there(shown.key) or {})["extensions"] == kept

    def test_neighbours_are_left_alone(self, bench: Bench) -> None:
        """A write touches its own record only: others keep content and revision."""
        bench.needs_tasks()
        others = [bench.settled("task", number) for number in (1, 3)]
        bench.write(bench.rewording(bench.settled("task", 2), "Written by the engine."))
        bench.write(bench.creation(*bench.plain("task", 4)))
        listed = bench.listed()
        assert [listed[other.key] for other in others] == others

    def test_a_deleted_record_is_away(self, bench: Bench) -> None:
        """A delete takes the record off the spoke, and its outcome shows nothing."""
        bench.needs_deletion()
        seen, other = bench.settled("task", 1), bench.settled("task", 2)
        (outcome,) = bench.push(bench.deletion(seen))
        assert (outcome.error, outcome.shown) == (None, None)
        assert (bench.there(seen.key), list(bench.listed())) == (None, [other.key])

    def test_a_spoke_that_deletes_nothing_says_so(self, bench: Bench) -> None:
        """Where deletion is declared impossible it is refused and reported. Answer Unsupported or Refused."""
        bench.needs_tasks()
        if bench.capabilities.deletes:
            bench.skip("declares that it deletes")
        seen = bench.settled()
        (outcome,) = bench.push(bench.deletion(seen))
        assert outcome.error is not None
        assert bench.there(seen.key) is not None

    def test_what_was_written_is_not_listed_as_news(self, bench: Bench) -> None:
        """After a run its own writes are no changes. Take creates, updates and deletes into `state()`."""
        bench.needs_tasks()
        first, second = bench.settled("task", 1), bench.settled("task", 2)
        changes = [bench.creation(*bench.plain("task", 3)), bench.rewording(first, "Written by the engine.")]
        changes += [bench.deletion(second)] if bench.capabilities.deletes else []
        assert [outcome.error for outcome in bench.push(*changes)] == [None] * len(changes)
        pull = bench.pull()
        assert (list(pull.observed), list(pull.gone)) == ([], [])

    def test_outcomes_come_in_the_order_of_the_changes(self, bench: Bench) -> None:
        """There is one outcome for each change, in their order, with its key."""
        bench.needs_tasks()
        seen = bench.settled("task", 5)
        changes = [bench.creation(*bench.plain("task", number)) for number in (9, 2, 7)]
        changes.insert(1, bench.rewording(seen, "Written by the engine."))
        outcomes = bench.push(*changes)
        assert [outcome.key for outcome in outcomes] == [change.key for change in changes]
        for change, outcome in zip(changes, outcomes, strict=True):
            assert outcome.shown is not None
            assert bench.differences("task", outcome.shown.image, change.image) == []

    def test_one_failure_stops_no_other(self, bench: Bench) -> None:
        """A change that cannot be done has its error in its outcome, and the others are done all the same."""
        bench.needs_tasks()
        stale = bench.settled("task", 1)
        bench.reword(stale, "Edited by somebody else.")
        changes = [bench.creation(*bench.plain("task", 2)), bench.rewording(stale, "Too late.")]
        changes.append(bench.creation(*bench.plain("task", 3)))
        outcomes = bench.push(*changes)
        assert [type(outcome.error) for outcome in outcomes] == [type(None), Stale, type(None)]
        assert {bench.plain("task", number)[0] for number in (1, 2, 3)} == set(bench.everything())

    def test_nothing_to_write_writes_nothing(self, bench: Bench) -> None:
        """A push without changes answers nothing and does nothing."""
        bench.needs_tasks()
        bench.settled()
        before = bench.everything()
        assert (bench.push(), bench.everything()) == ([], before)

    def test_the_value_that_is_there_can_be_written(self, bench: Bench) -> None:
        """Writing a value that is there already succeeds and leaves the record as it was."""
        bench.needs_tasks()
        seen = bench.settled()
        shown = bench.write(bench.rewording(seen, str(value("task", seen.image, bench.word))))
        assert (shown.image, bench.differences("task", bench.there(seen.key) or {}, seen.image)) == (seen.image, [])

    def test_sets_keep_the_order_of_the_spoke(self, bench: Bench) -> None:
        """New elements of a set go after those that are there, in the order they have there. Append, do not sort."""
        bench.needs_field("task", "labels", written=True)
        seen = bench.settled("task", 1, labels=["wind", "anchor", "moss"])
        bench.write(bench.update(seen, labels=["anchor", "boat", "wind", "moss"]))
        assert (bench.there(seen.key) or {})["labels"] == ["wind", "anchor", "moss", "boat"]

    def test_a_set_loses_only_what_was_taken_away(self, bench: Bench) -> None:
        """Removing an element of a set leaves the others in place and order."""
        bench.needs_field("task", "labels", written=True)
        seen = bench.settled("task", 1, labels=["wind", "anchor", "moss"])
        bench.write(bench.update(seen, labels=["moss", "wind"]))
        assert (bench.there(seen.key) or {})["labels"] == ["wind", "moss"]

    def test_criteria_keep_order_and_ticks(self, bench: Bench) -> None:
        """Acceptance criteria are a list: order, repetitions and the tick of each item are kept."""
        bench.needs_field("task", "acceptanceCriteria", written=True)
        items = [{"text": text, "done": done} for text, done in (("b", True), ("a", False), ("c", True), ("b", False))]
        shown = bench.write(bench.update(bench.settled(), acceptanceCriteria=items))
        assert (shown.image["acceptanceCriteria"], (bench.there(shown.key) or {})["acceptanceCriteria"]) == (
            items,
            items,
        )

    def test_an_archived_record_can_be_written(self, bench: Bench) -> None:
        """An archived task is still a record: it can be changed, and taken out of the archive again."""
        bench.needs_field("task", "archived", written=True)
        seen = bench.settled("task", 1, archived=True, status="completed")
        shown = bench.write(bench.rewording(seen, "Written in the archive."))
        assert value("task", bench.there(seen.key) or {}, "archived")
        bench.write(bench.update(shown, archived=False))
        assert not value("task", bench.there(seen.key) or {}, "archived")

    def test_a_deleted_record_can_come_back(self, bench: Bench) -> None:
        """A record that was deleted can be created again under its id."""
        bench.needs_deletion()
        seen = bench.settled()
        bench.push(bench.deletion(seen))
        shown = bench.write(bench.creation(seen.key, {**seen.image, bench.word: "Back again."}))
        assert (bench.text_there(seen.key), bench.pull().total, shown.key) == ("Back again.", 1, seen.key)

    def test_a_kind_that_is_only_read_is_not_written(self, bench: Bench) -> None:
        """A change of a read-only kind is answered with an error and leaves no trace."""
        kinds = [kind for kind in bench.capabilities.fields if not bench.capabilities.takes(kind)]
        if not kinds:
            bench.skip("declares no kind read-only")
        before = bench.everything()
        for kind in kinds:
            (outcome,) = bench.push(bench.creation(*bench.plain(kind)))
            assert (outcome.error is not None, bench.everything()) == (True, before)

    @EACH_KIND
    def test_what_the_plan_writes_needs_no_second_write(self, bench: Bench, kind: str) -> None:
        """A record written in full leaves nothing due. The image must be what the spoke shows after the write."""
        bench.needs_kind(kind, written=True)
        key, plain = bench.plain(kind)
        doc = {**plain, **{name: pair[0] for name, pair in VALUES[kind].items() if bench.holds(kind, name)}}
        carried_out(bench, planned(bench, of_hub(key, doc)))
        assert decided(bench, at_rest(bench.listed()[key], doc)).changes == {}

    def test_the_state_after_writing_is_json(self, bench: Bench) -> None:
        """The state survives being kept as JSON after writes too."""
        bench.needs_tasks()
        with bench.run() as adapter:
            adapter.pull({})
            adapter.push([bench.creation(*bench.plain("task"))])
            state = adapter.state()
            assert as_json(state) == tuples_as_lists(state)

    def test_an_update_leaves_every_other_field(self, bench: Bench) -> None:
        """An update of one field leaves all others as they were: sets, criteria, gate, links and dates too."""
        bench.needs_tasks()
        others = {name: pair[0] for name, pair in VALUES["task"].items() if name not in {bench.word, "archived"}}
        seen = bench.settled("task", 1, **others)
        shown = bench.write(bench.rewording(seen, "Written by the engine."))
        wanted = {**seen.image, bench.word: "Written by the engine."}
        for doc in (shown.image, bench.there(seen.key) or {}):
            assert bench.differences("task", doc, wanted) == []

    def test_an_outcome_does_not_repeat_what_was_asked(self, bench: Bench) -> None:
        """An outcome shows what stands there though the change's image says less. Read it back, do not echo it."""
        bench.needs_field("task", "owner", written=True)
        seen = bench.settled("task", 1, owner="mika")
        change = bench.rewording(seen, "Written by the engine.")
        poorer = {name: item for name, item in change.image.items() if name != "owner"}
        (outcome,) = bench.push(type(change)("update", seen.key, seen.revision, change.fields, poorer, seen.native))
        assert outcome.shown == bench.listed()[seen.key]

    def test_an_unreadable_record_is_not_written(self, bench: Bench) -> None:
        """A record that cannot be read is not written over: what is on it would be lost. Answer Refused or Stale."""
        bench.needs_tasks()
        seen = bench.spoiled()
        before = bench.peek()
        for change in (bench.rewording(seen, "Written by the engine."), bench.creation(*bench.plain("task"))):
            (outcome,) = bench.push(change)
            assert isinstance(outcome.error, Refused | Stale), outcome
        assert bench.peek() == before


def _not_history(bench: Bench, kind: str) -> None:
    if kind == "event":
        bench.skip("an event is history: it is written once and not changed")

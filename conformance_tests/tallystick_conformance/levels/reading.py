"""Reading: whatever is on the spoke is listed, once, as it stands there, and nothing is written by looking."""

from tallystick_conformance.bench import EACH_FIELD, EACH_KIND, Bench, as_json, tuples_as_lists
from tallystick_conformance.samples import VALUES
from tallystick_contract.fields import FIELDS, same, sparse, value


class Reading:
    """The checks of the level."""

    def test_an_empty_spoke_lists_nothing(self, bench: Bench) -> None:
        """A spoke without records is listed as empty and complete. Do not take "nothing there yet" for an error."""
        pull = bench.pull()
        assert (list(pull.observed), list(pull.gone), pull.total, pull.complete) == ([], [], 0, True)

    @EACH_KIND
    def test_a_record_on_the_spoke_is_listed(self, bench: Bench, kind: str) -> None:
        """The first pull lists a record as it stands on the spoke. With an empty state, list everything."""
        bench.needs_kind(kind)
        key = bench.plant(*bench.plain(kind))
        pull = bench.pull()
        assert [seen.key for seen in pull.observed if seen.key.kind == kind] == [key]
        (seen,) = [seen for seen in pull.observed if seen.key == key]
        there = bench.there(key) or {}
        assert bench.fit(kind, seen.image) == bench.fit(kind, there)

    @EACH_FIELD
    def test_every_field_held_is_read_as_it_stands(self, bench: Bench, kind: str, name: str) -> None:
        """A field declared native or encoded is read without loss. Mend the codec, or declare what it cannot hold."""
        bench.needs_field(kind, name, written=True)
        for item in VALUES[kind][name]:
            seen = bench.settled(kind, **{name: item})
            assert same(FIELDS[kind][name], value(kind, seen.image, name), item)

    def test_what_did_not_change_is_not_listed_again(self, bench: Bench) -> None:
        """A second pull lists nothing. Remember the revision of every listed record in `state()`."""
        bench.settled()
        pull = bench.pull()
        assert (list(pull.observed), list(pull.gone), pull.total) == ([], [], 1)

    def test_only_what_changed_is_listed(self, bench: Bench) -> None:
        """A pull lists the record that changed and no other. Compare each record with its own revision."""
        bench.settled("task", 1)
        bench.settled("task", 2)
        key = bench.plant(*bench.plain("task", 2, owner="ana", description="Another round."))
        assert [seen.key for seen in bench.pull().observed] == [key]

    def test_a_new_record_beside_known_ones_is_listed_alone(self, bench: Bench) -> None:
        """A pull lists a new record and not those it has listed before. Keep what is known in `state()`."""
        bench.settled("task", 1)
        key = bench.plant(*bench.plain("task", 2))
        pull = bench.pull()
        assert ([seen.key for seen in pull.observed], pull.total) == ([key], 2)

    def test_a_full_pull_lists_everything(self, bench: Bench) -> None:
        """With `full`, everything is listed, known or not. Do not answer a full pull from what is remembered."""
        keys = {bench.settled("task", number).key for number in range(1, 4)}
        pull = bench.pull(full=True)
        assert ({seen.key for seen in pull.observed}, pull.total) == (keys, 3)

    def test_a_full_pull_agrees_with_the_first(self, bench: Bench) -> None:
        """Images and revisions do not depend on how a record is listed. Derive both from the record alone."""
        first = bench.settled()
        assert bench.listed()[first.key] == first

    def test_reading_changes_nothing(self, bench: Bench) -> None:
        """Looking writes nothing, not even at first sight. Keep every write in `push`."""
        bench.plant(*bench.plain("task"))
        before = bench.everything()
        bench.pull()
        bench.pull()
        bench.pull(full=True)
        bench.open().check()
        assert bench.everything() == before

    def test_the_state_is_json(self, bench: Bench) -> None:
        """The state survives being kept as JSON. Use only objects, lists, texts, numbers, booleans and null."""
        with bench.run() as adapter:
            bench.plant(*bench.plain("task"))
            adapter.pull({})
            state = adapter.state()
            assert as_json(state) == tuples_as_lists(state)

    def test_what_is_listed_holds_only_declared_fields(self, bench: Bench) -> None:
        """An image holds fields the spoke declares it shows, and none at its default. Drop all others when decoding."""
        seen = bench.settled()
        assert set(seen.image) <= bench.capabilities.shown("task")
        assert seen.image == sparse("task", seen.image)

    def test_a_listed_image_is_what_the_adapter_would_write(self, bench: Bench) -> None:
        """`image` leaves what was read as it is. Else every run would find something to write."""
        for kind in bench.capabilities.fields:
            if bench.capabilities.takes(kind):
                seen = bench.settled(kind)
                assert bench.adapter.image(seen.key, seen.image) == seen.image

    def test_the_revision_moves_with_the_record(self, bench: Bench) -> None:
        """A record that changes gets another revision. Derive it from all of the record's own content."""
        before = bench.settled()
        assert bench.settled(description="Another round.", title="Another walk").revision != before.revision

    def test_the_revision_stays_when_a_neighbour_changes(self, bench: Bench) -> None:
        """A record keeps its revision while others change. Do not use that of the file or the whole listing."""
        before = bench.settled("task", 1)
        bench.settled("task", 2, owner="ana")
        bench.plant(*bench.plain("task", 2, owner="mika"))
        assert bench.listed()[before.key].revision == before.revision

    def test_a_lost_state_lists_everything_anew(self, bench: Bench) -> None:
        """Without a state everything is listed, with the revisions it had. Keep nothing that matters elsewhere."""
        before = {seen.key: seen for seen in (bench.settled("task", 1), bench.settled("task", 2))}
        bench.state = {}
        assert {seen.key: seen for seen in bench.pull().observed} == before

    def test_an_older_state_lists_all_that_changed_since(self, bench: Bench) -> None:
        """A pull compares with the state it is given, not with the newest one. Remember nothing outside of it."""
        seen = bench.settled()
        older = bench.state
        bench.plant(*bench.plain("task", 1, description="Changed once."))
        bench.pull()
        bench.state = older
        assert [again.key for again in bench.pull().observed] == [seen.key]

    def test_one_instance_reads_anew_each_time(self, bench: Bench) -> None:
        """A second pull of the same instance sees what changed since the first. Keep no listing between pulls."""
        seen = bench.settled()
        with bench.run() as adapter:
            assert list(adapter.pull(bench.state).observed) == []
            bench.plant(*bench.plain("task", 1, description="Changed within the run."))
            assert [again.key for again in adapter.pull(bench.state).observed] == [seen.key]

    def test_every_kind_is_listed_beside_the_others(self, bench: Bench) -> None:
        """Records of all kinds are listed together and counted in `total`. One pull covers all there is."""
        keys = {bench.plant(*bench.plain(kind)) for kind in bench.capabilities.fields}
        pull = bench.pull()
        assert ({seen.key for seen in pull.observed}, pull.total) == (keys, len(keys))

    def test_an_unreadable_record_stops_no_other(self, bench: Bench) -> None:
        """One record that cannot be read is quarantined with a reason, and the others are listed."""
        other = bench.settled("task", 2)
        bench.spoiled("task", 1)
        pull = bench.pull(full=True)
        assert [seen.key for seen in pull.observed] == [other.key]
        assert [bool(bad.reason.strip() and bad.native.strip()) for bad in pull.quarantined] == [True]

    def test_a_record_that_was_mended_is_listed(self, bench: Bench) -> None:
        """A record that can be read again, and differs, is listed. Look at what is quarantined in every run."""
        seen = bench.spoiled()
        bench.pull()
        bench.reword(seen, "Mended.")
        pull = bench.pull()
        assert ([again.key for again in pull.observed], list(pull.quarantined)) == ([seen.key], [])

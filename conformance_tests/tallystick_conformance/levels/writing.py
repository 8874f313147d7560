"""Writing: what is asked stands on the spoke afterwards, that and nothing else, and the outcome says so truly."""

from tallystick_conformance.bench import EACH_FIELD, EACH_KIND, Bench
from tallystick_conformance.samples import VALUES
from tallystick_contract.fields import FIELDS, same, value


class Writing:
    """The checks of the level."""

    @EACH_KIND
    def test_a_created_record_stands_there(self, bench: Bench, kind: str) -> None:
        """A create puts the record on the spoke, once, as asked. Write before answering."""
        bench.needs_kind(kind, written=True)
        key, doc = bench.plain(kind)
        bench.write(bench.creation(key, doc))
        assert bench.fit(kind, bench.there(key) or {}) == doc

    @EACH_FIELD
    def test_every_field_held_is_written_as_asked(self, bench: Bench, kind: str, name: str) -> None:
        """A field declared native or encoded is written without loss. Mend the codec, or declare the gap."""
        bench.needs_field(kind, name, written=True)
        for number, item in enumerate(VALUES[kind][name], 1):
            key, doc = bench.plain(kind, number, **{name: item})
            bench.write(bench.creation(key, doc))
            assert same(FIELDS[kind][name], value(kind, bench.there(key) or {}, name), item)

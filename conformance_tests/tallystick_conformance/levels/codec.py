"""Codec: what the spoke declares, and `image`, the pure projection of a document to what the spoke would show."""

import copy
import json

import pytest

from tallystick_conformance.bench import EACH_KIND, Bench
from tallystick_conformance.planning import SPOKE, carried_out, decided, of_hub, planned
from tallystick_conformance.samples import FLAGS, RESULTS, STATUSES, VALUES, documents, for_all
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise
from tallystick_contract.capabilities import Fidelity
from tallystick_contract.fields import DERIVED, FIELDS, sparse, value


class Codec:
    """The checks of the level."""

    def test_the_declaration_is_always_the_same(self, bench: Bench) -> None:
        """Every instance declares the same capabilities, at any time. Declare what the spoke is, not how it fares."""
        bench.pull()
        assert bench.adapter.capabilities() == bench.capabilities == bench.open().capabilities()

    def test_only_known_kinds_and_fields_are_declared(self, bench: Bench) -> None:
        """The declaration names kinds and fields of the contract. See `fields.FIELDS` for their names."""
        declared = {(kind, name) for kind, table in bench.capabilities.fields.items() for name in table}
        assert declared <= {(kind, name) for kind, table in FIELDS.items() for name in table}

    def test_no_field_of_a_kind_is_passed_over(self, bench: Bench) -> None:
        """A kind that is held declares each of its fields. Declare those it cannot hold `unsupported`."""
        missing = {kind: set(FIELDS[kind]) - set(table) for kind, table in bench.capabilities.fields.items()}
        assert {kind: names for kind, names in missing.items() if names} == {}

    def test_every_field_held_names_its_place(self, bench: Bench) -> None:
        """A field held on the spoke says where. Write the place as a person on the spoke would call it."""
        placeless = [
            f"{kind}.{name}"
            for kind, table in bench.capabilities.fields.items()
            for name, mapped in table.items()
            if mapped.fidelity is not Fidelity.UNSUPPORTED and not mapped.place.strip()
        ]
        assert placeless == []

    def test_kinds_that_are_only_read_are_held(self, bench: Bench) -> None:
        """Only a kind that is held can be read-only. Take the others out of `read_only`."""
        assert bench.capabilities.read_only <= set(bench.capabilities.fields)

    def test_tasks_keep_a_text(self, bench: Bench) -> None:
        """A spoke that holds tasks holds a title or a description both ways: a task is nothing without one."""
        bench.needs_kind("task")
        assert bench.holds("task", "title") or bench.holds("task", "description")

    def test_the_scope_names_what_is_listed(self, bench: Bench) -> None:
        """Every instance gives the same scope, and it is not empty. Build it from path, repository and filters."""
        assert bench.adapter.scope() == bench.open().scope() != ""

    def test_a_usable_spoke_is_ready(self, bench: Bench) -> None:
        """`check` says that a spoke in order is ready. Tell apart what is missing and what is only worth a word."""
        assert bench.open().check().ready

    @EACH_KIND
    def test_image_is_a_fixpoint_of_itself(self, bench: Bench, kind: str) -> None:
        """The image of an image is that image. Else the engine would write for ever."""
        bench.needs_kind(kind)
        key, image = Key(kind, "X-1"), bench.adapter.image

        def check(doc: Doc) -> None:
            once = image(key, doc)
            assert image(key, once) == once

        for_all(documents(kind), check)

    @EACH_KIND
    def test_image_keeps_all_that_is_held(self, bench: Bench, kind: str) -> None:
        """The image shows each field declared native or encoded as it is. Declare a field that cannot be so kept."""
        bench.needs_kind(kind, written=True)

        def check(doc: Doc) -> None:
            assert bench.differences(kind, doc, bench.adapter.image(Key(kind, "X-1"), doc)) == []

        for_all(documents(kind), check)

    @EACH_KIND
    def test_image_shows_only_what_is_declared(self, bench: Bench, kind: str) -> None:
        """The image holds declared fields and none at its default. Leave out everything else."""
        bench.needs_kind(kind)

        def check(doc: Doc) -> None:
            image = bench.adapter.image(Key(kind, "X-1"), doc)
            assert set(image) <= bench.capabilities.shown(kind)
            assert image == sparse(kind, image)

        for_all(documents(kind), check)

    @EACH_KIND
    def test_image_leaves_its_argument_alone(self, bench: Bench, kind: str) -> None:
        """`image` changes nothing in the document it is given. Build a new one."""
        bench.needs_kind(kind)

        def check(doc: Doc) -> None:
            before = copy.deepcopy(doc)
            bench.adapter.image(Key(kind, "X-1"), doc)
            assert doc == before

        for_all(documents(kind), check)

    @EACH_KIND
    def test_image_is_json(self, bench: Bench, kind: str) -> None:
        """The image is plain JSON data. Turn dates, sets and objects of your own into texts and lists."""
        bench.needs_kind(kind)

        def check(doc: Doc) -> None:
            image = bench.adapter.image(Key(kind, "X-1"), doc)
            assert json.loads(json.dumps(image, allow_nan=False)) == image

        for_all(documents(kind), check)

    def test_image_depends_on_the_document_alone(self, bench: Bench) -> None:
        """The image is the same before and after reading and writing. Let it look at nothing but its arguments."""
        key, doc = bench.plain("task")
        before = bench.adapter.image(key, doc)
        bench.settled("task", 2)
        with bench.run() as adapter:
            adapter.pull(bench.state)
            assert adapter.image(key, doc) == before

    def test_image_touches_nothing(self, bench: Bench) -> None:
        """`image` neither reads nor writes the spoke. It is called for every record of every run."""
        bench.settled()
        before = bench.everything()
        bench.adapter.image(*bench.plain("task", 2))
        assert bench.everything() == before

    def test_image_gives_text_in_normal_form(self, bench: Bench) -> None:
        """Texts of an image are in NFC with line feeds. Use `canonical.normalise` on what comes in."""
        doc = {bench.word: "cafe\u0301\r\nnoir\rau lait"}
        image = bench.adapter.image(Key("task", "X-1"), doc)
        assert image == normalise(image)

    @pytest.mark.parametrize("status", STATUSES)
    def test_image_keeps_every_status(self, bench: Bench, status: str) -> None:
        """Each status of a task is a different one on the spoke too. Never fold two of them into one."""
        bench.needs_field("task", "status")
        key, doc = bench.plain("task", 1, status=status)
        assert value("task", bench.adapter.image(key, doc), "status") == status

    @pytest.mark.parametrize("result", RESULTS)
    def test_image_keeps_every_result(self, bench: Bench, result: str) -> None:
        """Each status of evidence is a different one on the spoke too. Nothing but `passed` may read as passed."""
        bench.needs_field("evidence", "status")
        key, doc = bench.plain("evidence", 1, status=result)
        assert value("evidence", bench.adapter.image(key, doc), "status") == result

    @pytest.mark.parametrize("flag", FLAGS)
    def test_image_keeps_every_flag_of_a_gate(self, bench: Bench, flag: str) -> None:
        """Each flag of a decision gate is kept by itself. A gate lost on the way is a gate that was passed."""
        bench.needs_field("task", "decisionGate")
        key, doc = bench.plain("task", 1, decisionGate={flag: True})
        assert value("task", bench.adapter.image(key, doc), "decisionGate") == {flag: True}

    def test_image_keeps_every_rank(self, bench: Bench) -> None:
        """All priorities from p0 to p99, and unset, stay apart. Encode those the spoke has no word of its own for."""
        bench.needs_field("task", "priority")
        for rank in ["unset", *(f"p{number}" for number in range(100))]:
            key, doc = bench.plain("task", 1, priority=rank)
            assert value("task", bench.adapter.image(key, doc), "priority") == rank

    @EACH_KIND
    def test_a_gap_is_reported_and_leaves_no_trace(self, bench: Bench, kind: str) -> None:
        """A field declared unsupported is a gap in the plan, and no write shows it. Declare what you do show."""
        bench.needs_kind(kind, written=True)
        gaps = bench.capabilities.gaps(kind)
        if not gaps:
            bench.skip(f"declares no gap in records of kind {kind}")
        key, doc = bench.plain(kind)
        made = planned(bench, of_hub(key, {**doc, **{name: VALUES[kind][name][0] for name in gaps}}))
        told = {gap for decision in made.decisions for gap in decision.gaps}
        assert {(SPOKE, f"{kind}.{name}") for name in gaps - DERIVED[kind]} <= told
        carried_out(bench, made)
        assert gaps.isdisjoint(bench.there(key) or {})
        assert gaps.isdisjoint(bench.listed()[key].image)

    @EACH_KIND
    def test_a_derived_field_is_shown(self, bench: Bench, kind: str) -> None:
        """A field declared derived is shown as the hub says. Repaint it with every write, or declare it unsupported."""
        bench.needs_kind(kind, written=True)
        names = DERIVED[kind] & bench.capabilities.shown(kind)
        if not names:
            bench.skip(f"shows no field of kind {kind} that the hub derives")
        key, doc = bench.plain(kind)
        wanted = {name: VALUES[kind][name][0] for name in names}
        shown = bench.write(bench.creation(key, {**doc, **wanted}))
        for found in (shown.image, bench.there(key) or {}):
            assert {name: value(kind, found, name) for name in names} == wanted

    def test_a_kind_not_held_is_a_gap(self, bench: Bench) -> None:
        """A kind that is not declared is a gap in the plan, and nothing of it is written."""
        kinds = [kind for kind in FIELDS if not bench.capabilities.holds(kind)]
        if not kinds:
            bench.skip("declares records of every kind")
        for kind in kinds:
            made = decided(bench, of_hub(Key(kind, "X-1"), {name: pair[0] for name, pair in VALUES[kind].items()}))
            assert (made.gaps, made.changes) == ([(SPOKE, kind)], {})

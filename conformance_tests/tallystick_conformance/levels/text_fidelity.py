"""Text fidelity: every text comes back letter by letter, whatever the store would take it for."""

from typing import Any

import pytest

from tallystick_conformance.bench import Bench
from tallystick_conformance.planning import at_rest, carried_out, decided, of_hub, planned
from tallystick_conformance.samples import BLOCKS, TEXTS, documents, for_all
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc, normalise_text
from tallystick_contract.fields import value


def _each(name: str, texts: tuple[str, ...]) -> pytest.MarkDecorator:
    cases = [pytest.param(text, id=f"{number}") for number, text in enumerate(texts, 1)]
    return pytest.mark.parametrize(name, cases)


class TextFidelity:
    """The checks of the level."""

    @_each("text", TEXTS + BLOCKS)
    def test_a_description_is_read_letter_by_letter(self, bench: Bench, text: str) -> None:
        """A description on the spoke is read as it stands there. Quote and escape with the store's own means."""
        bench.needs_field("task", "description")
        seen = bench.settled("task", 1, description=normalise_text(text))
        assert value("task", seen.image, "description") == normalise_text(text)

    @_each("text", TEXTS + BLOCKS)
    def test_a_description_is_written_letter_by_letter(self, bench: Bench, text: str) -> None:
        """A description is written as asked. Quote and escape with the store's own means."""
        bench.needs_field("task", "description", written=True)
        shown = bench.write(bench.update(bench.settled(), description=normalise_text(text)))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert value("task", doc, "description") == normalise_text(text)

    @_each("text", TEXTS)
    def test_a_title_is_kept_letter_by_letter(self, bench: Bench, text: str) -> None:
        """A title is written and read as it is. Neither trim nor shorten nor decorate it."""
        bench.needs_field("task", "title", written=True)
        shown = bench.write(bench.update(bench.settled(), title=normalise_text(text)))
        for doc in (shown.image, bench.there(shown.key) or {}, bench.listed()[shown.key].image):
            assert value("task", doc, "title") == normalise_text(text)

    def test_a_title_is_not_trimmed(self, bench: Bench) -> None:
        """Spaces around a title are a part of it. If the store cannot keep them, show so in `image`."""
        bench.needs_field("task", "title", written=True)
        key, doc = bench.plain("task", 1, title="  between spaces ")
        bench.write(bench.creation(key, doc))
        assert value("task", bench.there(key) or {}, "title") == bench.adapter.image(key, doc)["title"]

    @_each("text", TEXTS)
    def test_a_label_is_kept_letter_by_letter(self, bench: Bench, text: str) -> None:
        """A label is a free text: commas, colons and signs in it mean nothing."""
        bench.needs_field("task", "labels", written=True)
        labels = ["first", normalise_text(text)]
        shown = bench.write(bench.update(bench.settled(), labels=labels))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert value("task", doc, "labels") == labels

    @_each("text", TEXTS)
    def test_an_owner_is_kept_letter_by_letter(self, bench: Bench, text: str) -> None:
        """An owner is a free text."""
        bench.needs_field("task", "owner", written=True)
        shown = bench.write(bench.update(bench.settled(), owner=normalise_text(text)))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert value("task", doc, "owner") == normalise_text(text)

    def test_a_label_that_looks_like_a_status_is_a_label(self, bench: Bench) -> None:
        """Free labels such as `status:done` change neither status nor priority."""
        bench.needs_field("task", "labels", "status", "priority", written=True)
        seen = bench.settled("task", 1, labels=["status:done", "status: completed", "priority:p0", "completed"])
        assert (value("task", seen.image, "status"), value("task", seen.image, "priority")) == ("planned", "unset")
        assert len(seen.image["labels"]) == 4

    def test_another_field_s_update_leaves_texts_alone(self, bench: Bench) -> None:
        """An update of the owner leaves every text as it was. Do not format what you do not change."""
        bench.needs_field("task", "description", "owner", written=True)
        text = "\n\n".join(BLOCKS)
        shown = bench.write(bench.update(bench.settled("task", 1, description=normalise_text(text)), owner="ana"))
        assert value("task", bench.there(shown.key) or {}, "description") == normalise_text(text)

    def test_carriage_returns_are_no_change(self, bench: Bench) -> None:
        """CRLF on the spoke is read as LF, and nothing is due because of it. Normalise when reading."""
        bench.needs_field("task", "description")
        self._quiet(bench, "one\r\ntwo\r\n\r\nthree", "one\ntwo\n\nthree")

    def test_decomposed_letters_are_no_change(self, bench: Bench) -> None:
        """Decomposed letters on the spoke are read composed, and nothing is due because of it."""
        bench.needs_field("task", "description")
        self._quiet(bench, "cafe\u0301", "caf\u00e9")

    @staticmethod
    def _quiet(bench: Bench, there: str, wanted: str) -> None:
        seen = bench.settled("task", 1, description=there)
        assert value("task", seen.image, "description") == wanted
        assert list(bench.pull().observed) == []
        assert decided(bench, at_rest(seen)).changes == {}

    def test_long_texts_are_whole(self, bench: Bench) -> None:
        """A text of 60,000 characters is neither cut nor refused."""
        bench.needs_field("task", "description", written=True)
        text = "".join(f"{number} Ärger am Kai\n" for number in range(3000)) + "end"
        shown = bench.write(bench.update(bench.settled(), description=text))
        for doc in (shown.image, bench.there(shown.key) or {}):
            assert value("task", doc, "description") == text

    def test_no_title_is_no_title(self, bench: Bench) -> None:
        """A task without a title is read without one. Do not invent one that counts as an edit."""
        bench.needs_field("task", "title", "description", written=True)
        key, doc = Key("task", "T-1"), {"description": "Only this.\n\nAnd more."}
        shown = bench.write(bench.creation(key, doc))
        assert "title" not in shown.image
        assert "title" not in bench.fit("task", bench.there(key) or {})

    def test_no_description_is_no_description(self, bench: Bench) -> None:
        """A task with a title alone is read without a description."""
        bench.needs_field("task", "title", "description", written=True)
        shown = bench.write(bench.creation(Key("task", "T-1"), {"title": "Only this"}))
        assert "description" not in shown.image

    def test_notes_are_a_text_or_a_list(self, bench: Bench) -> None:
        """Notes stay what they are: a list with one item is no text, and a text is no list."""
        bench.needs_field("task", "notes", written=True)
        seen = bench.settled()
        for notes in (["one"], "one", ["one", "two\nlines"], "- one\n- two"):
            seen = bench.write(bench.update(seen, notes=notes))
            assert (seen.image["notes"], (bench.there(seen.key) or {})["notes"]) == (notes, notes)

    def test_extensions_keep_names_and_types(self, bench: Bench) -> None:
        """Unknown members keep their names and JSON types: null, numbers, texts that look like numbers."""
        bench.needs_field("task", "extensions", written=True)
        members: dict[str, Any] = {
            "a b": None,
            "n": [0, -1, 2**53 - 1, 0.5],
            "t": ["1", "true", "null", ""],
            "o": {"": {}},
        }
        shown = bench.write(bench.update(bench.settled(), extensions=members))
        assert (shown.image["extensions"], (bench.there(shown.key) or {})["extensions"]) == (members, members)

    def test_whole_documents_come_back(self, bench: Bench) -> None:
        """Whatever document the hub holds, it stands on the spoke as its image says, and nothing is due after it."""
        bench.needs_tasks()
        count = iter(range(1, 10_000))

        def check(doc: Doc) -> None:
            key = Key("task", f"G-{next(count)}")
            carried_out(bench, planned(bench, of_hub(key, doc)))
            assert bench.differences("task", bench.there(key) or {}, doc) == []
            assert decided(bench, at_rest(bench.listed()[key], doc)).changes == {}

        for_all(documents("task"), check, examples=25)

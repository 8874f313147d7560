"""What is written reads back as the same, whatever the texts; and text can never pass for one of our markers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.markdown import codec, edits, frontmatter, regions
from tallystick_adapters.markdown.keys import KEYS
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import normalise_text
from tallystick_contract.fields import TASK, arranged, sparse

from .documents import (
    FIELDS,
    STRATEGIES,
    arbitrary,
    create,
    events,
    evidence,
    human,
    ids,
    mappings,
    read,
    tasks,
    texts,
    update,
)


@arbitrary
@given(st.sampled_from(["task", "evidence", "event"]).flatmap(lambda kind: st.tuples(st.just(kind), STRATEGIES[kind])))
def test_an_image_is_a_fixpoint_of_itself(record: tuple[str, dict[str, Any]]) -> None:
    kind, doc = record
    image = codec.image(kind, doc)
    assert codec.image(kind, image) == image


@arbitrary
@given(tasks, ids, st.lists(evidence, max_size=2), st.lists(events, max_size=2))
def test_a_new_note_shows_exactly_what_was_written(
    task: dict[str, Any], record_id: str, checks: list[dict[str, Any]], happened: list[dict[str, Any]]
) -> None:
    record_id = normalise_text(record_id)
    image = codec.image("task", task)
    rows = [(f"E-{place}-{record_id}", codec.image("evidence", one)) for place, one in enumerate(checks)]
    lines = [(f"V-{place}-{record_id}", codec.image("event", one)) for place, one in enumerate(happened)]
    note = read(edits.draft((record_id, image), rows, lines))
    key = Key("task", record_id)
    expected = {
        key: image,
        **{Key("evidence", i): one for i, one in rows},
        **{Key("event", i): one for i, one in lines},
    }
    assert note.id == record_id
    assert codec.records(note, key) == expected
    assert not note.remarks
    assert not note.strays


@arbitrary
@given(tasks, tasks, human, human)
def test_an_edit_shows_what_was_wanted_and_keeps_every_word_of_people(
    first: dict[str, Any], second: dict[str, Any], above: str, below: str
) -> None:
    image, wanted = codec.image("task", first), codec.image("task", second)
    drafted = edits.draft(("T-1", image), [], [])
    head, body = drafted.split("---\n", 2)[1:]
    text = f"---\ncompany:   # keep\n{head}alias: [a, b]\n---\n{above}\n{body}\n{below}"
    note = read(text)
    assert codec.records(note, Key("task", "T-1")) == {Key("task", "T-1"): image}
    fields = {name: wanted.get(name, TASK[name].default) for name in FIELDS}
    after = update(note, Key("task", "T-1"), fields)
    assert read(after).task == {**wanted, **sparse("task", arranged("task", fields, image))}
    assert _outside(after) == _outside(text)


def _outside(text: str) -> str:
    """Return what is not ours in a note, without the blank lines that set regions off."""
    note = read(text)
    ours = [frontmatter.Splice(one.start, one.end, "") for one in note.body.regions.values()]
    ours += [frontmatter.Splice(slot.start, slot.end, "") for key, slot in note.front.slots.items() if key in KEYS]
    return "\n".join(line for line in frontmatter.splice(text, ours).split("\n") if line.strip())


@arbitrary
@given(tasks, st.sampled_from(sorted(FIELDS)), st.data())
def test_editing_one_field_leaves_all_other_bytes(task: dict[str, Any], name: str, data: st.DataObject) -> None:
    task = {**task, "title": "t"}
    text = edits.draft(("T-1", codec.image("task", task)), [], [])
    value = data.draw(FIELDS[name].filter(lambda value: name != "title" or bool(value)))
    after = update(read(text), Key("task", "T-1"), {name: value})
    back = update(
        read(after),
        Key("task", "T-1"),
        {name: codec.image("task", task).get(name, TASK[name].default)},
    )
    assert _lines(back) == _lines(text)


def _lines(text: str) -> list[str]:
    """Return the lines of a note without empty regions, sorted: a key that went and came back stands last."""
    for name in regions.NAMES:
        text = text.replace(f"\n{regions.whole(name, '', chr(10))}\n", "")
    return sorted(line for line in text.split("\n") if line.strip())


@arbitrary
@given(texts)
def test_no_text_in_a_region_is_a_marker(text: str) -> None:
    inner = regions.escaped(text)
    assert regions.unescaped(inner) == text
    note = f"---\nid: T-1\n---\n{regions.whole('notes', inner, chr(10))}\n"
    assert list(read(note).body.regions) == ["notes"]


@arbitrary
@given(st.lists(st.tuples(texts, st.booleans()), max_size=4), st.booleans())
def test_list_items_read_back(items: list[tuple[str, bool]], boxes: bool) -> None:  # noqa: FBT001 -- a drawn value
    items = [(normalise_text(text), done and boxes) for text, done in items]
    marks = ["- [x] " if done else "- [ ] " if boxes else "- " for _, done in items]
    written = "\n".join(regions.item_lines(mark, text) for mark, (text, _) in zip(marks, items, strict=True))
    assert regions.items(written, boxes=boxes) == (items, "")


@arbitrary
@given(st.one_of(texts, st.lists(texts, max_size=3), mappings))
def test_a_rendered_value_is_the_same_to_both_readers(value: Any) -> None:
    line = f"key: {frontmatter.rendered(value)}\n"
    quick = read_front(f"---\nid: T-1\n{line}---\n")
    careful = read_front(f"---\nid: 'T-1'\n{line}---\n")
    assert quick == value
    assert careful == value


def read_front(text: str) -> Any:
    front = frontmatter.parse(text)
    assert front is not None
    return front.slots["key"].value


@arbitrary
@given(texts)
def test_yaml_reads_a_rendered_text_as_that_text(text: str) -> None:
    from ruamel.yaml import YAML  # noqa: PLC0415 -- only this test asks an independent reader

    assert YAML(typ="safe", pure=True).load(f"key: {frontmatter.rendered(text)}\n") == {"key": text}


@arbitrary
@given(tasks, evidence, events, human)
def test_evidence_and_events_are_added_without_touching_anything_else(
    task: dict[str, Any], check: dict[str, Any], event: dict[str, Any], below: str
) -> None:
    text = edits.draft(("T-1", codec.image("task", task)), [], []) + below
    added = {Key("evidence", "E-1"): codec.image("evidence", check), Key("event", "V-1"): codec.image("event", event)}
    after = text
    for key, image in added.items():
        after = create(read(after), key, image)
    assert _is_subsequence(text, after)
    note = read(after)
    assert codec.records(note, Key("task", "T-1")) == {Key("task", "T-1"): codec.image("task", task), **added}


def _is_subsequence(text: str, longer: str) -> bool:
    rest = iter(longer)
    return all(character in rest for character in text)


@arbitrary
@given(st.lists(events, min_size=2, max_size=4))
def test_journal_lines_are_never_rewritten(happened: list[dict[str, Any]]) -> None:
    text = edits.draft(("T-1", {"title": "t"}), [], [])
    for place, event in enumerate(happened):
        before = [line for line in text.split("\n") if line.startswith("- ")]
        text = create(read(text), Key("event", f"V-{place}"), codec.image("event", event))
        assert [line for line in text.split("\n") if line.startswith("- ")][: len(before)] == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_stay(newline: str, bom: str) -> None:
    text = bom + "---\nid: T-1\nstatus: planned\n---\nhuman  \n\nno final newline".replace("\n", newline)
    wanted = {
        "description": "one\ntwo",
        "status": "completed",
        "labels": ["a"],
        "deliveryState": "applied",
    }
    after = update(read(text), Key("task", "T-1"), wanted)
    assert after.count("\n") == after.count(newline)
    assert after.startswith(bom + "---")
    assert f"human  {newline}{newline}no final newline{newline}" in after
    assert read(after).task == {"title": "note", **wanted}

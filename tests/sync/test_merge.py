"""The merge: order-free, lossless, and clashing only where two people really want different things."""

from itertools import permutations
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.fields import EVIDENCE, TASK, Field, Merge, same
from tallystick_sync.merge import ABSENT, CLASH, Side, distinct, merge

TITLE, LABELS, GATE = TASK["title"], TASK["labels"], TASK["decisionGate"]
EXTENSIONS, NOTES, CRITERIA, STAMP = (
    TASK["extensions"],
    TASK["notes"],
    TASK["acceptanceCriteria"],
    EVIDENCE["timestamp"],
)

_words = st.sampled_from(["a", "b", "c", "d"])
_criteria = st.lists(
    st.fixed_dictionaries({"text": _words, "done": st.booleans()}), max_size=3, unique_by=lambda item: item["text"]
)
_json = st.one_of(st.none(), st.booleans(), st.integers(0, 2), _words)
_instants = ["2025-01-01T10:00:00Z", "2025-01-01T11:00:00+01:00", "2025-01-01T10:00:00", "2025-01-02T10:00:00Z"]
VALUES: Final[dict[str, tuple[Field, st.SearchStrategy[Any]]]] = {
    "value": (TITLE, st.one_of(st.none(), _words)),
    "status": (TASK["status"], st.sampled_from(["planned", "in-progress", "completed"])),
    "set": (LABELS, st.lists(_words, unique=True)),
    "map": (EXTENSIONS, st.dictionaries(_words, _json, max_size=3)),
    "prose": (TASK["description"], st.one_of(st.none(), st.lists(_words, max_size=5).map("\n".join))),
    "notes": (NOTES, st.one_of(st.none(), st.lists(_words, max_size=5))),
    "criteria": (CRITERIA, _criteria),
    "instant": (STAMP, st.one_of(st.none(), st.sampled_from(_instants))),
}
every_kind = pytest.mark.parametrize("kind", VALUES)


def agree(field: Field, left: Any, right: Any) -> bool:
    """Tell whether two merge results are the same answer."""
    return left is right if CLASH in (left, right) else same(field, left, right)


def sides(values: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Side]]:
    return st.lists(st.builds(Side, values, values), min_size=1, max_size=most)


@every_kind
@given(data=st.data())
def test_swapping_sides_never_changes_the_result(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    hub, moved = data.draw(values), data.draw(sides(values))
    first = merge(field, hub, moved)
    for other in permutations(moved):
        assert agree(field, merge(field, hub, other), first)


@every_kind
@given(data=st.data())
def test_one_edit_of_what_everybody_agreed_on_is_taken(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    hub, new = data.draw(values), data.draw(values)
    assert agree(field, merge(field, hub, [Side(hub, new)]), new)


@every_kind
@given(data=st.data())
def test_the_same_edit_made_everywhere_is_one_edit(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    hub, new = data.draw(values), data.draw(values)
    assert agree(field, merge(field, hub, [Side(hub, new)] * 3), new)


@every_kind
@given(data=st.data())
def test_a_result_merged_again_stays(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    hub, moved = data.draw(values), data.draw(sides(values))
    result = merge(field, hub, moved)
    if result is not CLASH:
        assert agree(field, merge(field, result, [Side(result, result)]), result)
        assert agree(field, merge(field, result, [Side(side.base, result) for side in moved]), result)


@every_kind
@given(data=st.data())
def test_a_side_that_shows_what_the_hub_holds_has_nothing_to_tell(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    hub, base, new = data.draw(values), data.draw(values), data.draw(values)
    alone = merge(field, hub, [Side(hub, new)])
    assert agree(field, merge(field, hub, [Side(hub, new), Side(base, hub)]), alone)


@every_kind
@given(data=st.data())
def test_two_edits_of_one_base_give_one_of_them_or_both_or_clash(kind: str, data: st.DataObject) -> None:
    field, values = VALUES[kind]
    if field.merge not in {Merge.VALUE, Merge.INSTANT}:
        return
    hub, one, two = data.draw(values), data.draw(values), data.draw(values)
    result = merge(field, hub, [Side(hub, one), Side(hub, two)])
    moved = [item for item in (one, two) if not same(field, item, hub)]
    if len(distinct(field, moved)) > 1:
        assert result is CLASH
    elif moved:
        assert agree(field, result, moved[0])


@given(_words, _words, _words)
def test_an_edit_that_had_seen_the_hub_s_value_replaces_it(old: str, hub: str, new: str) -> None:
    """One side is behind and made the very same edit: nobody contradicts."""
    assert merge(TITLE, hub, [Side(hub, new), Side(old, new)]) == new


def test_a_field_shown_before_anything_was_agreed_clashes_with_another_value() -> None:
    assert merge(TASK["status"], "planned", [Side(ABSENT, "completed")]) is CLASH
    assert merge(TASK["status"], ABSENT, [Side(ABSENT, "completed"), Side(ABSENT, "planned")]) is CLASH
    assert merge(TASK["status"], ABSENT, [Side(ABSENT, "completed")] * 2) == "completed"


@given(st.lists(_words, unique=True), st.lists(_words, unique=True), st.lists(_words, unique=True))
def test_sets_lose_only_what_somebody_removed_and_nobody_added(base: list[str], one: list[str], two: list[str]) -> None:
    merged = merge(LABELS, base, [Side(base, one), Side(base, two)])
    assert len(merged) == len(set(merged))
    assert set(merged) == (set(base) & set(one) & set(two)) | (set(one) - set(base)) | (set(two) - set(base))
    kept = [item for item in base if item in merged]
    assert merged[: len(kept)] == kept


def test_an_element_one_side_added_survives_the_removal_of_its_namesake() -> None:
    assert merge(LABELS, ["x"], [Side(["x"], []), Side([], ["x", "y"])]) == ["x", "y"]


def test_new_elements_keep_their_spoke_s_order() -> None:
    assert merge(LABELS, ["m"], [Side(["m"], ["z", "m", "a"])]) == ["m", "z", "a"]


@given(st.dictionaries(_words, _json), st.dictionaries(_words, _json), st.dictionaries(_words, _json))
def test_maps_merge_member_by_member(base: dict[str, Any], one: dict[str, Any], two: dict[str, Any]) -> None:
    merged = merge(EXTENSIONS, base, [Side(base, one), Side(base, two)])
    missing = object()
    wanted: dict[str, Any] = {}
    for name in {**base, **one, **two}:
        values = [doc.get(name, missing) for doc in (base, one, two)]
        moved = [item for item in values[1:] if item is not values[0] and item != values[0]]
        if len(moved) == 2 and moved[0] is not moved[1] and moved[0] != moved[1]:
            assert merged is CLASH
            return
        wanted[name] = moved[0] if moved else values[0]
    assert merged == {name: item for name, item in wanted.items() if item is not missing}


def test_null_is_a_value_of_a_member_and_not_its_absence() -> None:
    assert merge(EXTENSIONS, {"a": 1}, [Side({"a": 1}, {"a": None})]) == {"a": None}
    assert merge(EXTENSIONS, {"a": None}, [Side({"a": None}, {})]) == {}
    assert merge(EXTENSIONS, {"a": 1}, [Side({"a": 1}, {"a": None}), Side({"a": 1}, {})]) is CLASH


def test_gates_are_raised_from_both_sides() -> None:
    one, two = {"noAutoClose": True}, {"requiresVerification": True}
    assert merge(GATE, {}, [Side({}, one), Side({}, two)]) == {**one, **two}


_LINES = ["one", "two", "three", "four", "five"]
BASE = "\n".join(_LINES)


@given(st.permutations(range(5)), st.text("xyz", min_size=1), st.text("uvw", min_size=1))
def test_prose_edited_in_lines_apart_combines(places: list[int], mine: str, yours: str) -> None:
    first, second = places[:2]
    one = [mine if place == first else line for place, line in enumerate(_LINES)]
    two = [yours if place == second else line for place, line in enumerate(_LINES)]
    merged = merge(NOTES, BASE, [Side(BASE, "\n".join(one)), Side(BASE, "\n".join(two))])
    if abs(first - second) == 1:
        assert merged is CLASH, "hunks that touch have no order of their own"
    else:
        both = [mine if place == first else line for place, line in enumerate(two)]
        assert merged == "\n".join(both)


def test_prose_of_different_bases_clashes() -> None:
    assert merge(NOTES, "h", [Side("a", "b"), Side("c", "d")]) is CLASH


def test_a_list_of_notes_merges_by_item_and_never_with_a_text() -> None:
    base = ["a", "b", "c"]
    assert merge(NOTES, base, [Side(base, ["x", "b", "c"]), Side(base, ["a", "b", "y"])]) == ["x", "b", "y"]
    assert merge(NOTES, base, [Side(base, ["x", "b", "c"]), Side(base, "a\nb\ny")]) is CLASH


def ticks(*items: str) -> list[dict[str, Any]]:
    """Write criteria as `+done` and `-open`."""
    return [{"text": item[1:], "done": item[0] == "+"} for item in items]


def test_ticks_on_different_items_combine_with_a_new_item() -> None:
    base = ticks("-a", "-b", "-c")
    merged = merge(CRITERIA, base, [Side(base, ticks("+a", "-b", "-c")), Side(base, ticks("-a", "-b", "+c", "+d"))])
    assert merged == ticks("+a", "-b", "+c", "+d")


def test_a_tick_on_an_item_removed_elsewhere_is_not_lost() -> None:
    base = ticks("-a", "-b", "-c")
    assert merge(CRITERIA, base, [Side(base, ticks("+a", "-b", "-c")), Side(base, ticks("-b", "-c"))]) is CLASH


def test_one_instant_in_two_spellings_is_no_edit() -> None:
    zulu, local = _instants[:2]
    assert merge(STAMP, zulu, [Side(zulu, local)]) in (zulu, local)
    assert merge(STAMP, None, [Side(None, zulu), Side(None, local)]) in (zulu, local)
    assert merge(STAMP, zulu, [Side(zulu, local), Side(zulu, _instants[3])]) == _instants[3]

"""Replaying a journal gives the same records whatever came twice, in any order its causes allow (K-084)."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.adapter import Key
from tallystick_contract.fields import sparse
from tallystick_contract.journal import WHOLE, Entry, entry_id, replay

KEYS = st.sampled_from([Key("task", "T-1"), Key("task", "T-2"), Key("evidence", "T-1")])
FIELDS = st.sampled_from(["title", "labels", "summary"])
STEPS = st.lists(st.tuples(KEYS, st.sampled_from(["create", "edit", "delete"]), FIELDS, st.integers(0, 3)), max_size=15)


def history(steps: list[tuple[Key, str, str, int]]) -> tuple[list[Entry], dict[Key, dict[str, Any]]]:
    """Return a journal and, told independently, the records it leads to."""
    records: dict[Key, dict[str, Any]] = {}
    entries: list[Entry] = []
    for number, (key, op, field, item) in enumerate(steps):
        name = field if op == "edit" else WHOLE
        parent = next((old.id for old in reversed(entries) if old.key == key and old.field in (WHOLE, name)), None)
        before: Any = records.get(key)
        after: Any = None
        if op == "create":
            after = records[key] = {"title": f"new {item}"}
        elif op == "delete":
            records.pop(key, None)
        elif key in records:
            records[key] = {**records[key], field: item}
            before, after = None, item
        else:
            continue
        source = str(number)
        entries.append(Entry(entry_id(key, name, before, after, source), key, name, before, after, parent))
    return entries, {key: sparse(key.kind, record) for key, record in records.items()}


def _blocked(entry: Entry, earlier: list[Entry]) -> bool:
    return any(old.id == entry.parent or (entry.field == WHOLE and old.key == entry.key) for old in earlier)


@given(STEPS, st.data())
def test_any_order_the_causes_allow_gives_the_same_records(
    steps: list[tuple[Key, str, str, int]], data: st.DataObject
) -> None:
    entries, records = history(steps)
    assert replay(entries) == records
    waiting, order = list(entries), []
    while waiting:
        ready = [entry for number, entry in enumerate(waiting) if not _blocked(entry, waiting[:number])]
        order.append(data.draw(st.sampled_from(ready)))
        waiting.remove(order[-1])
    assert replay(order) == records


@given(STEPS, st.integers(0, 15))
def test_what_comes_twice_counts_once(steps: list[tuple[Key, str, str, int]], cut: int) -> None:
    entries, records = history(steps)
    assert replay([*entries[:cut], *entries]) == records
    assert replay([*entries, *entries[cut:]]) == records
    assert replay(iter(entries)) == records
    assert replay([*entries, *entries[::-1]]) == records


def test_the_same_change_seen_twice_has_one_id_and_another_has_another() -> None:
    key = Key("task", "T-1")
    base = entry_id(key, "title", "a", "b", "event-1")
    assert base == entry_id(Key("task", "T-1"), "title", "a", "b", "event-1")
    assert entry_id(key, "x", None, {"a": 1, "b": 2}, "s") == entry_id(key, "x", None, {"b": 2, "a": 1}, "s")
    others = [
        entry_id(Key("evidence", "T-1"), "title", "a", "b", "event-1"),
        entry_id(Key("task", "T-2"), "title", "a", "b", "event-1"),
        entry_id(key, "owner", "a", "b", "event-1"),
        entry_id(key, "title", None, "b", "event-1"),
        entry_id(key, "title", "a", None, "event-1"),
        entry_id(key, "title", "a", "b", "event-2"),
    ]
    assert len({base, *others}) == 7


def test_a_replay_leaves_the_entries_as_they_were() -> None:
    document = {"title": "t"}
    key = Key("task", "T-1")
    replay([Entry("1", key, WHOLE, None, document), Entry("2", key, "title", "t", "u", "1")])
    assert document == {"title": "t"}

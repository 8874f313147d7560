"""The journal is append-only, complete, and leads to the tables in any order its causes allow."""

import random
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick_contract.adapter import Key
from tallystick_contract.journal import WHOLE, Entry, replay
from tests.adapters.sqlite.spoke import create, opened, sql

IDS = st.sampled_from(["a", "b", "c"])
VALUES = st.sampled_from(["'x'", "'e\u0301'", "NULL", "'[1]'", "''"])
STATEMENTS = st.one_of(
    st.builds("INSERT OR REPLACE INTO tasks (id, title, labels) VALUES ('{}', {}, '[\"l\"]')".format, IDS, VALUES),
    st.builds("UPDATE tasks SET title = {1}, description = {2} WHERE id = '{0}'".format, IDS, VALUES, VALUES),
    st.builds("UPDATE tasks SET notes_list = {1}, archived = 1 - archived WHERE id = '{0}'".format, IDS, VALUES),
    st.builds("UPDATE OR REPLACE tasks SET id = '{1}', title = {2} WHERE id = '{0}'".format, IDS, IDS, VALUES),
    st.builds("UPDATE tasks SET labels = '[', extensions = '{{\"n\": 1.0}}' WHERE id = '{}'".format, IDS),
    st.builds("UPDATE tasks SET row_version = 0 WHERE id = '{}'".format, IDS),
    st.builds("DELETE FROM tasks WHERE id = '{}'".format, IDS),
    st.builds(
        "INSERT INTO events (id, kind) VALUES ('{}', 'note') ON CONFLICT DO UPDATE SET kind = 'held'".format, IDS
    ),
)


def allowed_orders(entries: list[Entry], seed: int) -> list[Entry]:
    """Return the entries in a random order in which each follows its causes."""
    waiting, order = list(entries), []
    dice = random.Random(seed)  # noqa: S311 -- an order, not a secret
    while waiting:
        ready = [entry for number, entry in enumerate(waiting) if not _blocked(entry, waiting[:number])]
        chosen = dice.choice(ready)
        waiting.remove(chosen)
        order.append(chosen)
    return order


def _blocked(entry: Entry, earlier: list[Entry]) -> bool:
    return any(other.id == entry.parent or (entry.field == WHOLE and other.key == entry.key) for other in earlier)


@settings(max_examples=60, deadline=None)
@given(statements=st.lists(STATEMENTS, max_size=12), seed=st.integers(0, 99), cut=st.integers(0, 40))
def test_the_journal_leads_to_the_tables(
    tmp_path_factory: pytest.TempPathFactory, statements: list[str], seed: int, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("db")
    spoke = opened(folder)
    spoke.push([create("a", {"title": "first"})])
    sql(folder, *statements)
    entries, shown = list(spoke.entries()), spoke.records()
    assert replay(entries) == shown
    assert replay([*entries[:cut], *entries]) == shown
    assert replay(allowed_orders(entries, seed)) == shown
    assert spoke.replay() == []


@settings(max_examples=40, deadline=None)
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=12), cut=st.integers(0, 12))
def test_pulls_in_steps_see_what_one_pull_sees(
    tmp_path_factory: pytest.TempPathFactory, statements: list[str], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("db")
    spoke = opened(folder)
    spoke.push([create("a", {"title": "first"}), create("b", {"title": "second"})])
    seen = {item.key: item for item in spoke.pull({}).observed}
    present = set(seen)
    for part in (statements[:cut], statements[cut:]):
        sql(folder, *part)
        pull = spoke.pull(spoke.state())
        assert present.issuperset(pull.gone), "only what was listed before is gone"
        assert not {item.key for item in pull.observed}.intersection(pull.gone)
        for key in pull.gone:
            seen.pop(key, None)
            present.discard(key)
        for item in pull.quarantined:
            assert item.key is not None
            seen.pop(item.key, None)
            present.add(item.key)
        seen |= {item.key: item for item in pull.observed}
        present |= {item.key for item in pull.observed}
        assert pull.total == len(present)
    whole = spoke.pull({})
    assert {item.key: item for item in whole.observed} == seen
    assert {item.key for item in whole.observed} | {item.key for item in whole.quarantined} == present


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET after = 'x'",
        "DELETE FROM journal",
        "INSERT OR REPLACE INTO journal (seq, kind, record, field) VALUES (1, 'task', 'T-1', '')",
    ],
)
def test_the_journal_is_only_added_to(tmp_path: Path, statement: str) -> None:
    spoke = opened(tmp_path)
    spoke.push([create("T-1", {"title": "one"})])
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        sql(tmp_path, statement)


def test_an_entry_names_what_changed_and_what_it_follows(tmp_path: Path) -> None:
    spoke = opened(tmp_path)
    spoke.push([create("T-1", {"title": "one"})])
    sql(tmp_path, "UPDATE tasks SET title = 'two'", "UPDATE tasks SET title = 'three'", "DELETE FROM tasks")
    made, first, second, gone = spoke.entries()
    assert (made.field, made.before, made.after["title"], made.parent) == (WHOLE, None, "one", None)
    assert (first.field, first.before, first.after, first.parent) == ("title", "one", "two", made.id)
    assert (second.before, second.after, second.parent) == ("two", "three", first.id)
    assert (gone.field, gone.before["title"], gone.after, gone.parent) == (WHOLE, "three", None, second.id)


def test_a_row_changed_behind_the_journal_is_found(tmp_path: Path) -> None:
    spoke = opened(tmp_path)
    spoke.push([create("T-1", {"title": "one"}), create("T-2", {"title": "two"})])
    made = sql(tmp_path, "SELECT sql FROM sqlite_master WHERE name = 'tally_tasks_changed'")[0][0]
    sql(tmp_path, "DROP TRIGGER tally_tasks_changed", "UPDATE tasks SET title = 'x' WHERE id = 'T-2'", made)
    assert spoke.replay() == [Key("task", "T-2")]

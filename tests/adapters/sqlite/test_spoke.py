"""The spoke as the engine uses it: what it lists, writes, refuses and remembers."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick_adapters.sqlite.adapter import Sqlite
from tallystick_contract.adapter import Change, Key
from tallystick_contract.errors import Broken, Invalid, Refused, Stale, Unsupported
from tests.adapters.sqlite.documents import documents
from tests.adapters.sqlite.spoke import create, opened, sql, update, written

ONE = Key("task", "T-1")


@pytest.fixture
def spoke(tmp_path: Path) -> Sqlite:
    return opened(tmp_path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(documents, max_size=4), edits=st.lists(documents, max_size=4))
def test_a_push_shows_what_a_fresh_pull_observes(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[str, Any]], edits: list[tuple[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("db")
    spoke = opened(folder)
    keyed = [(Key(kind, f"R-{number}"), doc) for number, (kind, doc) in enumerate(records)]
    changes = [Change("create", key, None, spoke.image(key, doc), spoke.image(key, doc)) for key, doc in keyed]
    shown = {outcome.key: written(outcome) for outcome in spoke.push(changes)}
    assert [shown[key].image for key, _ in keyed] == [spoke.image(key, doc) for key, doc in keyed]
    for kind, doc in edits:
        for key in [key for key in shown if key.kind == kind]:
            fields = spoke.image(key, doc)
            change = Change("update", key, shown[key].revision, fields, {**shown[key].image, **fields})
            shown[key] = written(spoke.push([change])[0])
    fresh = opened(folder)
    assert {item.key: item for item in fresh.pull({}).observed} == shown
    assert fresh.replay() == []
    again = opened(folder)
    assert not again.pull(fresh.state()).observed


def test_a_missing_file_is_an_empty_listing_and_stays_missing(spoke: Sqlite, tmp_path: Path) -> None:
    assert spoke.pull({}).total == 0
    assert spoke.check().ready
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_changes_lists_nothing_and_keeps_its_state(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.pull({})
    spoke.push([create("T-1", {"title": "one"}), create("T-2", {"title": "two"})])
    state = spoke.state()
    later = opened(tmp_path)
    pull = later.pull(state)
    assert (list(pull.observed), list(pull.gone), pull.total, later.state()) == ([], [], 2, state)


def test_edits_of_other_programs_are_listed_and_journalled(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create(f"T-{number}", {"title": "t", "labels": ["a"]}) for number in range(4)])
    spoke.pull({})
    sql(
        tmp_path,
        "UPDATE tasks SET title = 'new', archived = 1 WHERE id = 'T-0'",
        "DELETE FROM tasks WHERE id = 'T-1'",
        "INSERT INTO tasks (id, description) VALUES ('T-9', 'by hand')",
        "UPDATE tasks SET id = 'T-8' WHERE id = 'T-2'",
        "INSERT OR REPLACE INTO tasks (id, title) VALUES ('T-3', 'replaced')",
    )
    pull = spoke.pull(spoke.state())
    assert {item.key.id: item.image for item in pull.observed} == {
        "T-0": {"title": "new", "labels": ["a"], "archived": True},
        "T-9": {"description": "by hand"},
        "T-8": {"title": "t", "labels": ["a"]},
        "T-3": {"title": "replaced"},
    }
    assert set(pull.gone) == {Key("task", "T-1"), Key("task", "T-2")}
    assert pull.total == 4
    assert spoke.replay() == []


def test_a_neighbours_edit_leaves_a_revision_alone(spoke: Sqlite, tmp_path: Path) -> None:
    shown = written(spoke.push([create("T-1", {"title": "one"})])[0])
    sql(tmp_path, "INSERT INTO tasks (id, title) VALUES ('T-2', 'two')", "UPDATE tasks SET title = title")
    assert {item.key: item.revision for item in spoke.pull({}).observed}[shown.key] == shown.revision


def test_a_record_made_anew_has_another_revision(spoke: Sqlite, tmp_path: Path) -> None:
    shown = written(spoke.push([create("T-1", {"title": "one"})])[0])
    gone = spoke.push([Change("delete", shown.key, shown.revision, {}, {})])[0]
    assert gone.error is None
    assert gone.shown is None
    assert written(spoke.push([create("T-1", {"title": "one"})])[0]).revision != shown.revision


def test_a_row_that_is_no_record_is_quarantined_until_it_is_one(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"}), create("T-2", {"title": "two"})])
    spoke.pull({})
    sql(tmp_path, "UPDATE tasks SET labels = '[' WHERE id = 'T-1'", "UPDATE tasks SET title = 'x' WHERE id = 'T-2'")
    first = spoke.pull(spoke.state())
    assert [(item.key, item.native) for item in first.quarantined] == [(ONE, "tasks/T-1")]
    assert [item.key.id for item in first.observed] == ["T-2"]
    again = spoke.pull(spoke.state())
    assert [item.key for item in again.quarantined] == [ONE]
    assert (list(again.observed), list(again.gone), again.total) == ([], [], 2)
    sql(tmp_path, "UPDATE tasks SET labels = '[]' WHERE id = 'T-1'")
    mended = spoke.pull(spoke.state())
    assert [item.key for item in mended.observed] == [ONE]
    assert not mended.quarantined
    assert not spoke.pull(spoke.state()).observed


def test_an_edit_between_pull_and_push_is_not_overwritten(spoke: Sqlite, tmp_path: Path) -> None:
    shown = written(spoke.push([create("T-1", {"title": "one"})])[0])
    sql(tmp_path, "UPDATE tasks SET owner = 'ana'")
    outcome = spoke.push([update(shown, title="mine")])[0]
    assert isinstance(outcome.error, Stale)
    assert sql(tmp_path, "SELECT title, owner FROM tasks") == [("one", "ana")]


def test_a_record_that_moved_is_not_deleted(spoke: Sqlite, tmp_path: Path) -> None:
    shown = written(spoke.push([create("T-1", {"title": "one"})])[0])
    sql(tmp_path, "UPDATE tasks SET owner = 'ana'")
    assert isinstance(spoke.push([Change("delete", shown.key, shown.revision, {}, {})])[0].error, Stale)
    assert sql(tmp_path, "SELECT owner FROM tasks") == [("ana",)]


def test_what_came_and_went_between_two_runs_is_not_gone(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    spoke.pull({})
    sql(tmp_path, "INSERT INTO tasks (id, title) VALUES ('T-2', 'short')", "DELETE FROM tasks WHERE id = 'T-2'")
    sql(tmp_path, "DELETE FROM tasks", "INSERT INTO tasks (id, title) VALUES ('T-1', 'anew')")
    pull = spoke.pull(spoke.state())
    assert (list(pull.gone), [item.image for item in pull.observed]) == ([], [{"title": "anew"}])


def test_only_the_named_fields_are_written(spoke: Sqlite, tmp_path: Path) -> None:
    shown = written(spoke.push([create("T-1", {"title": "e\u0301", "notes": ["a"]})])[0])
    written(spoke.push([update(shown, notes="text", labels=["x"])])[0])
    assert sorted(entry.field for entry in spoke.entries()) == ["", "labels", "notes"]
    assert sql(tmp_path, "SELECT title, notes, notes_list FROM tasks") == [("e\u0301", "text", None)]


def test_pushing_again_what_is_already_shown_writes_nothing(spoke: Sqlite) -> None:
    first = written(spoke.push([create("T-1", {"title": "one", "labels": ["a", "b"]})])[0])
    change = update(first, title="two")
    second = written(spoke.push([change])[0])
    seen = len(list(spoke.entries()))
    assert written(spoke.push([change])[0]) == second
    assert written(spoke.push([create("T-1", {"title": "two", "labels": ["b", "a"]})])[0]) == second
    assert len(list(spoke.entries())) == seen


def test_one_bad_change_stops_no_other(spoke: Sqlite, tmp_path: Path) -> None:
    outcomes = spoke.push(
        [
            create("T-1", {"title": "good"}),
            create("T-2", {"title": "nul\0"}),
            create("T-3", {"title": "half \ud800"}),
            create("", {"title": "no id"}),
            create("T-4", {}),
            create("T-5", {"title": "t", "colour": "red"}),
            create("G-1", {"text": "t"}, kind="guidance"),
            create("T-1", {"title": "other"}),
            Change("update", Key("task", "T-7"), "1-x", {"title": "t"}, {"title": "t"}),
            Change("delete", Key("task", "T-7"), "1-x", {}, {}),
            create("T-6", {"title": "good too"}),
        ]
    )
    kinds = [type(outcome.error) for outcome in outcomes]
    gone = type(None)
    assert kinds == [gone, Unsupported, Refused, Refused, Refused, Unsupported, Unsupported, Stale, Stale, gone, gone]
    assert all(outcome.error is None or outcome.error.where == outcome.key.id for outcome in outcomes)
    assert sql(tmp_path, "SELECT id FROM tasks ORDER BY id") == [("T-1",), ("T-6",)]
    assert spoke.replay() == []


def test_what_others_wrote_before_a_push_is_listed_after_it(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    spoke.pull({})
    sql(tmp_path, "INSERT INTO tasks (id, title) VALUES ('T-2', 'theirs')")
    spoke.push([create("T-3", {"title": "ours"})])
    later = opened(tmp_path)
    assert "T-2" in {item.key.id for item in later.pull(spoke.state()).observed}


def test_a_database_put_back_from_a_copy_is_compared_whole(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    spoke.pull({})
    spoke.close()
    copy = (tmp_path / "tasks.db").read_bytes()
    spoke.push([create("T-2", {"title": "lost"}), create("T-3", {"title": "lost too"})])
    state = spoke.state()
    spoke.close()
    (tmp_path / "tasks.db").write_bytes(copy)
    sql(tmp_path, *("INSERT INTO tasks (id, title) VALUES ('N-' || hex(randomblob(4)), 'new')" for _ in range(5)))
    later = opened(tmp_path)
    pull = later.pull(state)
    assert len(pull.observed) == 6
    assert set(pull.gone) == {Key("task", "T-2"), Key("task", "T-3")}
    assert [finding.code for finding in pull.findings] == ["history-replaced"]


def test_another_database_in_its_place_is_compared_whole(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    spoke.pull({})
    state = spoke.state()
    spoke.close()
    (tmp_path / "tasks.db").unlink()
    other = opened(tmp_path)
    other.push([create("T-2", {"title": "two"})])
    pull = other.pull(state)
    assert ([item.key.id for item in pull.observed], list(pull.gone)) == (["T-2"], [ONE])


def test_a_database_taken_away_shows_every_record_gone(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    spoke.pull({})
    spoke.close()
    (tmp_path / "tasks.db").unlink()
    later = opened(tmp_path)
    assert list(later.pull(spoke.state()).gone) == [ONE]
    assert later.state() == {}


def test_a_file_replaced_during_the_run_is_not_written(spoke: Sqlite, tmp_path: Path) -> None:
    spoke.push([create("T-1", {"title": "one"})])
    (tmp_path / "tasks.db").rename(tmp_path / "old.db")
    with pytest.raises(Broken, match="taken away during the run"):
        spoke.push([create("T-2", {"title": "two"})])
    (tmp_path / "tasks.db").write_bytes((tmp_path / "old.db").read_bytes())
    with pytest.raises(Broken, match="replaced"):
        spoke.push([create("T-2", {"title": "two"})])


def test_a_full_pull_counts_what_is_there(spoke: Sqlite) -> None:
    evidence = {"target": "T-1", "status": "passed"}
    spoke.push([create("T-1", {"title": "one"}), create("E-1", evidence, kind="evidence")])
    pull = spoke.pull({}, full=True)
    assert pull.counts == {"task": 1, "evidence": 1, "event": 0}
    assert pull.total == 2


@pytest.mark.parametrize("given", [{}, {"path": ""}, {"path": "a", "timeout": 0}, {"path": "a", "colour": "red"}])
def test_wrong_settings_name_the_allowed_ones(given: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as caught:
        Sqlite("db", given, ".")
    assert "path, timeout" in caught.value.todo
    assert "db" in caught.value.where


def test_the_scope_is_the_configured_path(spoke: Sqlite) -> None:
    assert spoke.scope() == "sqlite tasks.db"
    assert spoke.capabilities().gaps("task") == frozenset()
    assert spoke.push([]) == []

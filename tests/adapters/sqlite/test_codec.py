"""The translation between documents and rows loses nothing and refuses what is no record."""

import json
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.sqlite import codec
from tallystick_adapters.sqlite.store import packaged_migrations
from tallystick_contract.errors import Invalid, Unsupported
from tallystick_contract.fields import FIELDS, arranged
from tallystick_contract.models import validated
from tests.adapters.sqlite.documents import documents


def _tables() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", autocommit=True)
    for step in packaged_migrations():
        db.executescript(step.script)
    return db


DB = _tables()


def _round_trip(kind: str, image: dict[str, Any]) -> dict[str, Any]:
    row = {"id": "R-1", **codec.DEFAULTS[kind], **codec.encode(kind, image)}
    marks = ", ".join("?" * len(row))
    DB.execute("BEGIN")
    DB.execute(f"INSERT INTO {codec.TABLES[kind]} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 -- literal names
    document = DB.execute(f"SELECT document FROM {kind}_documents").fetchone()[0]  # noqa: S608 -- literal names
    DB.execute("ROLLBACK")
    return codec.decode(kind, "R-1", document)


@given(documents)
def test_what_is_written_is_what_is_read(record: tuple[str, dict[str, Any]]) -> None:
    kind, doc = record
    image = codec.clean(kind, doc)
    assert _round_trip(kind, image) == image


@given(documents)
def test_an_image_is_its_own_image_and_a_valid_record(record: tuple[str, dict[str, Any]]) -> None:
    kind, doc = record
    image = codec.clean(kind, doc)
    assert codec.clean(kind, image) == image
    if kind != "task" or image.get("title") or image.get("description"):
        assert validated(kind, "R-1", image) == image


@given(shown=st.lists(st.sampled_from("abcd"), unique=True), wanted=st.lists(st.sampled_from("abcd"), unique=True))
def test_sets_keep_the_order_of_the_row(shown: list[str], wanted: list[str]) -> None:
    written = arranged("task", {"labels": wanted}, {"labels": shown})["labels"]
    assert set(written) == set(wanted)
    assert [item for item in written if item in shown] == [item for item in shown if item in wanted]


@pytest.mark.parametrize("kind", FIELDS)
def test_every_field_has_a_column_and_every_column_a_field(kind: str) -> None:
    columns = {row[1] for row in DB.execute(f"PRAGMA table_info({codec.TABLES[kind]})")}
    named = set(codec.COLUMNS[kind].values()) | ({"notes_list"} if kind == "task" else set())
    assert columns == named | {"id", "row_version"}
    assert set(codec.COLUMNS[kind]) == set(FIELDS[kind]) == set(codec.PLACES[kind])


WRONG = [
    ("task", {"title": "t", "status": "done"}, "status: 'done' is not one of planned"),
    ("task", {"title": "t", "priority": "P1"}, "priority: 'P1' is not unset or p0 to p99"),
    ("task", {"title": "t", "labels": "["}, "labels: must be a JSON list"),
    ("task", {"title": "t", "labels": [1]}, "labels: must be text"),
    ("task", {"title": "t", "dependsOn": [""]}, "depends_on: an id has 1 to 512"),
    ("task", {"title": "t", "extensions": [1]}, "extensions: must be a JSON object"),
    ("task", {"title": "t", "decisionGate": {"open": True}}, "decision_gate: 'open' is not a flag"),
    ("task", {"title": "t", "decisionGate": {"noAutoClose": 1}}, "decision_gate: noAutoClose must be true or false"),
    ("task", {"title": "t", "acceptanceCriteria": [{"done": True}]}, "acceptance_criteria: each criterion is"),
    ("task", {"title": "t", "due": "tomorrow"}, "due: 'tomorrow' is no day"),
    ("task", {"title": "t", "archived": "yes"}, "archived: must be 0 or 1"),
    ("task", {"title": ""}, "title: a task needs a title or a description"),
    ("evidence", {"status": "passed"}, "target: is missing"),
    ("evidence", {"target": "T-1", "timestamp": "noon"}, "timestamp: 'noon' is not an ISO 8601 instant"),
    ("evidence", {"target": "T-1", "criteriaResults": [{}]}, "criteria_results: each result is"),
    ("evidence", {"target": "T-1", "criteriaResults": [{"criterion": "c", "status": "s", "evidence": 1}]}, "is text"),
    ("event", {"kind": "note", "actor": {"type": "agent", "id": "a"}}, "at_iso: is missing"),
    ("event", {"kind": "note", "atIso": "2024-01-01T00:00:00Z"}, "actor: is missing"),
    ("event", {"kind": "party"}, "kind: 'party' is neither"),
    ("event", {"actor": {"type": [], "id": "a"}}, "actor: is not"),
    ("event", {"payload": {"a": "x" * 70_000}}, "payload: is larger"),
]


@pytest.mark.parametrize(("kind", "document", "reason"), WRONG)
def test_a_row_that_is_no_record_is_named(kind: str, document: dict[str, Any], reason: str) -> None:
    with pytest.raises(Invalid, match=reason.replace("(", r"\(")):
        codec.decode(kind, "R-1", json.dumps(document))


@pytest.mark.parametrize("document", ['{"extensions":{"a":1e999}}', '{"extensions":{"a":NaN}}', "[" * 5000, "{"])
def test_json_that_cannot_be_carried_is_refused(document: str) -> None:
    with pytest.raises(Invalid):
        codec.decode("task", "R-1", document)


@pytest.mark.parametrize("record_id", ["e\u0301", "a\r\nb", "x" * 513])
def test_an_id_that_is_not_in_normal_form_is_named(record_id: str) -> None:
    with pytest.raises(Invalid, match="id: is not in normal form"):
        codec.decode("task", record_id, '{"title": "t"}')


def test_what_a_column_cannot_carry_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="title: text with a NUL"):
        codec.encode("task", {"title": "a\0b"})
    with pytest.raises(Unsupported, match="colour: the tables have no column"):
        codec.encode("task", {"colour": "red"})

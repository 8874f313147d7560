"""The codec: what is written is what is read, for whatever the hub may hold."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_adapters.project_json import codec, records
from tallystick_contract.canonical import Doc, canonical_json, normalise
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import arranged, sparse
from tallystick_contract.models import validated
from tests.adapters.project_json import boards


def shown(kind: str, doc: Doc) -> Doc:
    """Return what the board shows after `doc` was written."""
    return codec.decode(kind, records.encode(kind, "X-1", doc), archived=bool(doc.get("archived")))


@given(boards.tasks)
def test_a_task_is_read_as_it_was_written(doc: Doc) -> None:
    image = shown("task", doc)
    assert shown("task", image) == image
    unordered = {name: item for name, item in doc.items() if name != "acceptanceCriteria"}
    assert {name: item for name, item in image.items() if name != "acceptanceCriteria"} == unordered


@given(boards.evidence)
def test_evidence_is_read_as_it_was_written(doc: Doc) -> None:
    image = shown("evidence", doc)
    assert shown("evidence", image) == image
    left = {"methodClass", "criteriaResults"}
    assert {n: v for n, v in image.items() if n not in left} == {n: v for n, v in doc.items() if n not in left}


@given(st.one_of(boards.tasks.map(lambda doc: ("task", doc)), boards.evidence.map(lambda doc: ("evidence", doc))))
def test_an_image_is_what_the_contract_holds(pair: tuple[str, Doc]) -> None:
    kind, doc = pair
    image = shown(kind, doc)
    held = validated(kind, "X-1", image)
    assert shown(kind, held) == image
    assert canonical_json(image)


@given(boards.tasks, boards.task_edits)
def test_an_edit_shows_the_new_values_and_no_others(doc: Doc, edit: dict[str, Any]) -> None:
    old = records.encode("task", "X-1", doc)
    new = codec.decode("task", records.revise("task", old, edit))
    before = shown("task", doc)
    assert new == shown("task", sparse("task", {**before, **arranged("task", edit, before)}))


@given(boards.evidence, boards.evidence_edits)
def test_an_edit_of_evidence_shows_the_new_values_and_no_others(doc: Doc, edit: dict[str, Any]) -> None:
    old = records.encode("evidence", "X-1", doc)
    new = codec.decode("evidence", records.revise("evidence", old, edit))
    before = shown("evidence", doc)
    assert new == shown("evidence", sparse("evidence", {**before, **arranged("evidence", edit, before)}))


@given(boards.tasks, st.dictionaries(boards.names, boards.values, max_size=3))
def test_unknown_keys_stay_as_they_were(doc: Doc, foreign: dict[str, Any]) -> None:
    known = {*codec.ORDER["task"], codec.AGENT, codec.NEST}
    foreign = {key: item for key, item in foreign.items() if key not in known}
    record = {**foreign, **records.encode("task", "X-1", doc)}
    new = records.revise("task", record, {"status": "blocked"})
    assert {key: new[key] for key in foreign} == {key: record[key] for key in foreign}
    assert list(new)[: len(foreign)] == list(foreign)
    held = codec.decode("task", record).get("extensions", {})
    assert held.items() >= {k: v for k, v in normalise(foreign).items() if k not in doc.get("extensions", {})}.items()


@pytest.mark.parametrize(
    ("record", "rank"),
    [
        ({"priority": "P1"}, "p1"),
        ({"description": "[P1] x"}, "p1"),
        ({"description": "  [p0/local-safe] x"}, "p0"),
        ({"description": "x [P1]"}, "unset"),
        ({"description": "[P1] x", "priority": "p3"}, "p3"),
        ({"description": "[P1] x", "priority": "unset"}, "unset"),
        ({"description": "[P1000] x"}, "unset"),
    ],
)
def test_the_key_decides_the_priority_and_the_marker_helps_out(record: dict[str, Any], rank: str) -> None:
    image = codec.decode("task", {"description": "x", **record})
    assert image.get("priority", "unset") == rank


def test_a_priority_that_the_marker_gives_needs_no_key() -> None:
    assert "priority" not in records.encode("task", "X", {"description": "[P1] x", "priority": "p1"})
    assert records.encode("task", "X", {"description": "[P1] x"})["priority"] == "unset"
    record = {"id": "X", "description": "[P1] x", "status": "planned"}
    assert records.revise("task", record, {"description": "[P2] x"})["priority"] == "p1"


def test_the_owner_is_written_where_it_was_read() -> None:
    record = {"id": "X", "description": "x", "assigned_agent": "ana"}
    assert codec.decode("task", record)["owner"] == "ana"
    assert records.revise("task", record, {"owner": "ben"}) == {**record, "assigned_agent": "ben"}
    both = {"id": "X", "description": "x", "owner": "ana", "assigned_agent": "bot"}
    assert codec.decode("task", records.revise("task", both, {"owner": None})) == {
        "description": "x", "extensions": {"assigned_agent": "bot"},
    }  # fmt: skip


@pytest.mark.parametrize("notes", ["text", ["one", "two"]])
def test_notes_keep_their_type(notes: Any) -> None:
    record = {"id": "X", "description": "x", "notes": notes}
    assert codec.decode("task", record)["notes"] == notes
    emptied = records.revise("task", record, {"notes": None})
    assert emptied.get("notes", "gone") == ([] if isinstance(notes, list) else "gone")


def test_status_keeps_its_spelling_until_it_is_edited() -> None:
    record = {"id": "X", "description": "x", "status": "in_progress"}
    assert codec.decode("task", record)["status"] == "in-progress"
    assert records.revise("task", record, {"owner": "ana"})["status"] == "in_progress"
    assert records.revise("task", record, {"status": "in-progress"})["status"] == "in_progress"
    assert records.revise("task", record, {"status": "blocked"})["status"] == "blocked"


def test_text_that_is_shown_already_was_rewritten_in_another_normal_form() -> None:
    record = {"id": "X", "description": "cafe\u0301\r\n", "status": "planned"}
    assert records.revise("task", record, {"description": "caf\u00e9\n"}) == record


def test_ticks_are_kept_beside_the_criteria() -> None:
    doc = {"description": "x", "acceptanceCriteria": [{"text": "a", "done": True}, {"text": "b", "done": False}]}
    record = records.encode("task", "X", doc)
    assert (record["acceptance_criteria"], record["acceptance_done"]) == (["a", "b"], ["a"])
    unticked = records.revise("task", record, {"acceptanceCriteria": [{"text": "a", "done": False}]})
    assert "acceptance_done" not in unticked


def test_of_criteria_with_one_text_as_many_are_ticked_as_were() -> None:
    same = [{"text": "a", "done": False}, {"text": "a", "done": True}]
    image = shown("task", {"description": "x", "acceptanceCriteria": same})
    assert image["acceptanceCriteria"] == [{"text": "a", "done": True}, {"text": "a", "done": False}]


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"status": "done"}, "allowed: planned, in-progress, blocked, completed, cancelled"),
        ({"description": ""}, "neither a title nor a description"),
        ({"description": 3}, "description"),
        ({"notes": {"a": 1}}, "notes"),
        ({"notes": [1]}, "notes"),
        ({"depends_on": "T-1"}, "depends_on"),
        ({"depends_on": [""]}, "depends_on"),
        ({"acceptance_criteria": [{"text": "x"}]}, "acceptance_criteria"),
        ({"acceptance_criteria": [""]}, "acceptance_criteria"),
        ({"priority": "high"}, "p0 to p99"),
        ({"priority": 1}, "p0 to p99"),
        ({"due": "tomorrow"}, "due"),
        ({"decision_gate": {"no_auto_close": "yes"}}, "no_auto_close"),
        ({"decision_gate": {"new_rule": True}}, "never guessed"),
        ({"decision_gate": True}, "decision_gate"),
        ({"decisionGate": {"noAutoClose": True}}, "spelled decision_gate"),
        ({"size": 2**53}, "size"),
        ({"size": [{"deep": -(2**53)}]}, "size"),
        ({"size": float("inf")}, "size"),
    ],
)
def test_a_wrong_task_is_refused_by_name(record: dict[str, Any], named: str) -> None:
    with pytest.raises(Invalid, match=named):
        codec.decode("task", {"id": "X", "description": "x", "status": "planned", **record})


@pytest.mark.parametrize(
    ("record", "named"),
    [
        ({"status": "ok"}, "allowed: passed, failed, partial, skipped"),
        ({"status": None}, "allowed"),
        ({"target": ""}, "target"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"criteria_results": ["x"]}, "criteria_results"),
        ({"criteria_results": [{"criterion": "x"}]}, "criteria_results"),
        ({"artifacts": [1]}, "artifacts"),
    ],
)
def test_wrong_evidence_is_refused_by_name(record: dict[str, Any], named: str) -> None:
    with pytest.raises(Invalid, match=named):
        codec.decode("evidence", {"id": "V", "target": "X", "status": "passed", **record})

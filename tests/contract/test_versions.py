"""Documents state their version; moving to 1.0 and back loses nothing and hides nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.errors import Invalid
from tallystick_contract.fields import FIELDS
from tallystick_contract.models import MODELS
from tallystick_contract.versions import Loss, downgrade, parse, upgrade

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
NAMES = st.sampled_from(
    [
        "x-labels",
        "x-status",
        "x-x-status",
        "x-x-x-labels",
        "x-taskId",
        "x-method",
        "x-",
        "mine",
        "x-commit",
        "x-x-taskId",
    ]
)
EXTENSIONS = st.dictionaries(NAMES | TEXT, st.none() | TEXT | st.lists(TEXT, max_size=1), max_size=4)
MOMENT = "2024-02-03T04:05:06Z"

TASKS = st.fixed_dictionaries(
    {"id": st.just("R-1"), "title": TEXT},
    optional={
        "status": st.sampled_from(["planned", "blocked", "completed", "cancelled"]),
        "priority": st.sampled_from(["unset", "p1"]),
        "decisionGate": st.just({"noAutoClose": True}),
        "acceptanceCriteria": st.just([{"text": "a", "done": True}]),
        "labels": st.lists(TEXT, max_size=2),
        "milestone": TEXT,
        "notes": st.none() | TEXT | st.lists(TEXT, max_size=2),
        "files": st.lists(TEXT, max_size=2),
        "parent": st.just("T-0"),
        "due": st.just("2024-02-03"),
        "archived": st.booleans(),
        "deliveryState": st.sampled_from([None, "applied"]),
        "extensions": EXTENSIONS,
    },
)
EVENTS = st.fixed_dictionaries(
    {"id": st.just("R-1"), "kind": st.just("note"), "atIso": st.just(MOMENT)}
    | {"actor": st.just({"type": "agent", "id": "a"})},
    optional={"taskId": st.sampled_from([None, "T-1", "project"]), "extensions": EXTENSIONS},
)
EVIDENCE = st.fixed_dictionaries(
    {"id": st.just("R-1"), "target": st.just("T-1"), "status": st.sampled_from(["passed", "partial"])},
    optional={
        "method": st.none() | TEXT,
        "timestamp": st.sampled_from([None, MOMENT]),
        "summary": st.none() | TEXT,
        "targetType": st.sampled_from(["task", "phase"]),
        "methodClass": st.sampled_from(["test", "other"]),
        "criteriaResults": st.just([{"criterion": "c", "status": "passed", "more": 1}]),
        "commit": TEXT,
        "extensions": EXTENSIONS,
    },
)


def _wire(kind: str, documents: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return documents.map(lambda doc: (kind, MODELS[kind].parse(doc).wire()))


RECORDS = st.one_of(_wire("task", TASKS), _wire("event", EVENTS), _wire("evidence", EVIDENCE))


@given(RECORDS)
def test_an_upgrade_takes_back_all_that_a_downgrade_moved(record: tuple[str, dict[str, Any]]) -> None:
    kind, document = record
    old, _ = downgrade(kind, document)
    assert old["contractVersion"] == "1.0"
    assert parse(kind, old).wire() == old
    assert upgrade(kind, old) == document


@given(RECORDS)
def test_every_value_that_left_its_place_is_named(record: tuple[str, dict[str, Any]]) -> None:
    kind, document = record
    old, losses = downgrade(kind, document)
    moved = {name for name in FIELDS[kind] if name != "extensions" and old.get(name) != document[name]}
    at_defaults = {name for name in moved if name not in old and document[name] == FIELDS[kind][name].default}
    assert {loss.field for loss in losses} == moved - at_defaults
    for loss in losses:
        assert loss.value == document[loss.field]
        assert old["extensions"][f"x-{loss.field}"] == loss.value
        assert old.get(loss.field) == loss.instead


def test_cancelled_is_blocked_in_1_0() -> None:
    document = parse("task", {"contractVersion": "1.1", "id": "T-1", "title": "t", "status": "cancelled"}).wire()
    old, losses = downgrade("task", document)
    assert (old["status"], old["extensions"]) == ("blocked", {"x-status": "cancelled"})
    assert losses == [Loss("status", "cancelled", "blocked")]


def test_evidence_without_a_method_says_so_in_1_0() -> None:
    document = {"contractVersion": "1.1", "id": "V-1", "target": "T-1", "status": "passed"}
    old, losses = downgrade("evidence", document)
    assert (old["method"], old["summary"], old["timestamp"][:4]) == ("not stated", "not stated", "0001")
    assert {loss.field for loss in losses} == {"method", "summary", "timestamp"}


def test_a_1_0_document_of_others_is_upgraded_as_it_is() -> None:
    old = {"contractVersion": "1.0", "id": "T-1", "title": "t", "colour": "red"}
    new = upgrade("task", old)
    assert (new["contractVersion"], new["extensions"], new["labels"]) == ("1.1", {"colour": "red"}, [])


def test_a_newer_minor_version_is_read_as_the_newest_known() -> None:
    record = parse("task", {"contractVersion": "1.7", "id": "T-1", "title": "t", "mood": ["good"]})
    assert record.wire()["contractVersion"] == "1.1"
    assert record.wire()["extensions"] == {"mood": ["good"]}


@pytest.mark.parametrize("version", ["2.0", "0.9", "11.0"])
def test_an_unknown_major_version_is_refused_naming_the_known(version: str) -> None:
    with pytest.raises(Invalid, match=f"{version} is not known") as caught:
        parse("task", {"contractVersion": version, "id": "T-1", "title": "t"})
    assert caught.value.todo == "known: 1.0, 1.1"


@pytest.mark.parametrize("version", [None, 1.1, "1", "v1.0", "1.1.0", ""])
def test_a_document_must_state_its_version(version: Any) -> None:
    with pytest.raises(Invalid, match="is no version"):
        parse("task", {"contractVersion": version, "id": "T-1", "title": "t"})


def test_a_kind_the_version_does_not_have_is_refused() -> None:
    with pytest.raises(Invalid, match=r"contract 1\.0 has no guidance"):
        parse("guidance", {"contractVersion": "1.0"})


def test_extensions_that_are_no_object_are_invalid_not_a_crash() -> None:
    with pytest.raises(Invalid, match="extensions"):
        parse("task", {"contractVersion": "1.1", "id": "T-1", "title": "t", "colour": "red", "extensions": 5})


def test_a_word_is_not_a_truth_value() -> None:
    with pytest.raises(Invalid, match="archived"):
        parse("task", {"contractVersion": "1.1", "id": "T-1", "title": "t", "archived": "yes"})

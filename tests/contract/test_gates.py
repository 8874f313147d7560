"""Gates decide completion; the delivery state is derived."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.gates import METHOD_WORDS, delivery_state, method_class, missing, passed, with_method_class

STATUSES = ["planned", "in-progress", "blocked", "completed", "cancelled"]
FLAGS = ["noAutoClose", "requiresVerification", "requiresOperatorApproval"]
GATES = st.dictionaries(st.sampled_from(FLAGS), st.booleans())
EVIDENCE = st.lists(
    st.fixed_dictionaries(
        {"target": st.sampled_from(["T-1", "T-2"])},
        optional={
            "status": st.sampled_from(["passed", "failed", "partial", "skipped"]),
            "method": st.sampled_from(["pytest", "build", "review", "dogfooding"]),
            "artifacts": st.lists(st.just("report.txt"), max_size=1),
        },
    ),
    max_size=3,
)
VERIFIED = [{"target": "T-1", "status": "passed"}]


@given(status=st.sampled_from(STATUSES), gate=GATES, evidence=EVIDENCE, approved=st.booleans())
def test_only_completion_asks_the_gate(
    status: str, gate: dict[str, bool], evidence: list[dict[str, Any]], *, approved: bool
) -> None:
    task = {"title": "t", "decisionGate": gate}
    wanted = missing(task, "T-1", status, evidence, approved=approved)
    if status != "completed":
        assert wanted == []
        return
    good = any(item["target"] == "T-1" and item.get("status") == "passed" for item in evidence)
    expected = {
        "requiresVerification": gate.get("requiresVerification", False) and not good,
        "noAutoClose": gate.get("noAutoClose", False) and not approved,
        "requiresOperatorApproval": gate.get("requiresOperatorApproval", False) and not approved,
    }
    assert [flag for flag in expected if any(f"({flag})" in sentence for sentence in wanted)] == [
        flag for flag, unmet in expected.items() if unmet
    ]


def test_a_task_that_is_completed_already_asks_nothing() -> None:
    assert missing({"status": "completed", "decisionGate": {"noAutoClose": True}}, "T-1", "completed", []) == []


@pytest.mark.parametrize("status", ["failed", "partial", "skipped", None])
def test_only_passed_evidence_about_this_task_counts(status: str | None) -> None:
    other: list[dict[str, Any]] = [{"target": "T-1", "status": status}, {"target": "T-2", "status": "passed"}]
    assert passed("T-1", other) == []
    assert missing({"decisionGate": {"requiresVerification": True}}, "T-1", "completed", other) != []
    assert missing({"decisionGate": {"requiresVerification": True}}, "T-1", "completed", VERIFIED) == []


@pytest.mark.parametrize(
    ("task", "evidence", "claimed", "state"),
    [
        ({}, [], False, None),
        ({}, [], True, "reported"),
        ({}, [{"target": "T-2", "status": "passed", "method": "test"}], False, None),
        ({}, [{"target": "T-1", "status": "failed"}], False, "reported"),
        ({}, [{"target": "T-1", "status": "failed", "artifacts": ["a"]}], False, "artifact-produced"),
        ({}, [{"target": "T-1", "status": "passed", "method": "pytest"}], False, "applied"),
        ({}, [{"target": "T-1", "status": "passed", "method": "build"}], False, "applied"),
        ({}, [{"target": "T-1", "status": "passed", "method": "review"}], False, "reported"),
        ({"files": ["a.py"]}, [{"target": "T-1", "status": "passed", "method": "review"}], False, "reported"),
        ({"files": ["a.md", "docs/"]}, [{"target": "T-1", "status": "passed", "method": "review"}], False, "applied"),
        ({"files": ["a.md", "a.py"]}, [{"target": "T-1", "status": "passed", "method": "review"}], False, "reported"),
        ({"status": "completed"}, [], False, "recovery-required"),
        ({"status": "completed"}, [], True, "recovery-required"),
        ({"status": "completed"}, [{"target": "T-1", "artifacts": ["a"]}], False, "recovery-required"),
        ({"status": "completed"}, [{"target": "T-1", "status": "passed", "method": "test"}], False, "applied"),
        ({"status": "completed"}, [{"target": "T-1", "status": "passed", "method": "word"}], False, "reported"),
        ({"status": "cancelled"}, [{"target": "T-1", "status": "passed", "method": "test"}], True, None),
    ],
)
def test_the_delivery_state_follows_from_the_evidence(
    task: dict[str, Any], evidence: list[dict[str, Any]], state: str | None, *, claimed: bool
) -> None:
    assert delivery_state(task, "T-1", evidence, claimed=claimed) == state


@given(status=st.sampled_from(STATUSES), evidence=EVIDENCE, claimed=st.booleans())
def test_the_delivery_state_does_not_depend_on_the_order_of_evidence(
    status: str, evidence: list[dict[str, Any]], *, claimed: bool
) -> None:
    task = {"status": status}
    assert delivery_state(task, "T-1", evidence, claimed=claimed) == delivery_state(
        task, "T-1", evidence[::-1], claimed=claimed
    )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("pytest", "test"),
        ("vitest + inspection", "test"),
        ("Manual TEST of the build", "test"),
        ("ran the build script", "command"),
        ("cli/dogfooding", "command"),
        ("code-review", "inspect"),
        ("contest", "other"),
        ("latest", "other"),
        ("dogfooding", "other"),
        ("", "other"),
        (None, "other"),
    ],
)
def test_an_unknown_method_is_never_a_test(method: str | None, expected: str) -> None:
    assert method_class(method) == expected


def test_every_listed_word_has_its_class() -> None:
    for name, words in METHOD_WORDS.items():
        assert {method_class(word) for word in words} == {name}


def test_the_derived_class_replaces_the_one_written() -> None:
    assert with_method_class({"method": "pytest", "methodClass": "inspect"}) == {
        "method": "pytest",
        "methodClass": "test",
    }
    assert with_method_class({"method": "word", "methodClass": "test"}) == {"method": "word"}

"""Equal values have equal fingerprints, however they are spelled; different ones differ."""

import json
import unicodedata
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tallystick_contract.canonical import canonical_json, digest, fingerprint, normalise, normalise_text

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-(2.0**53) + 1, 2.0**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def _respelled(value: Any) -> Any:
    """Return the value with members turned round, texts decomposed and lines ended as elsewhere."""
    if isinstance(value, str):
        return unicodedata.normalize("NFD", value).replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    if isinstance(value, dict):
        return {_respelled(key): _respelled(item) for key, item in reversed(value.items())}
    return [_respelled(item) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_spelling_does_not_change_a_fingerprint(value: Any) -> None:
    clean = normalise(value)
    assert fingerprint(clean) == fingerprint(_respelled(clean)) == fingerprint(value)


@given(VALUES)
def test_a_fingerprint_is_over_the_value_never_over_the_bytes_of_a_file(value: Any) -> None:
    clean = normalise(value)
    compact, wide = json.dumps(clean), json.dumps(clean, indent=3, ensure_ascii=False)
    assert fingerprint(json.loads(compact)) == fingerprint(json.loads(wide)) == fingerprint(clean)


@given(VALUES, VALUES)
def test_different_values_have_different_fingerprints(left: Any, right: Any) -> None:
    assert (fingerprint(left) == fingerprint(right)) is (
        canonical_json(normalise(left)) == canonical_json(normalise(right))
    )


@given(VALUES)
def test_normalising_twice_is_normalising_once(value: Any) -> None:
    once = normalise(value)
    assert normalise(once) == once
    assert json.loads(canonical_json(once)) == once


@pytest.mark.parametrize(
    ("text", "normal"),
    [("a\r\nb\rc", "a\nb\nc"), ("e\u0301", "é"), ("e\u0301\r\n", "é\n"), ("\r\r\n", "\n\n"), ("", "")],
)
def test_text_is_nfc_with_line_feeds(text: str, normal: str) -> None:
    assert normalise_text(text) == normal


def test_a_known_fingerprint_stays_what_it_is() -> None:
    expected = "sha256:" + "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777"
    assert canonical_json({"b": 2, "a": 1}) == b'{"a":1,"b":2}'
    assert fingerprint({"b": 2, "a": 1}) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53])
def test_what_json_cannot_carry_has_no_fingerprint(value: float) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        fingerprint(value)


@given(TEXT, TEXT)
def test_a_digest_changes_with_what_it_is_of(left: str, right: str) -> None:
    assert (digest(left) == digest(right)) is (left == right)
    assert digest(left) == digest(left.encode())
    assert len(digest(left)) == 32

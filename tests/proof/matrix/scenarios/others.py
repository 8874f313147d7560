"""Other writers: what changes while a run is at work, what cannot be read, what is not in this run, what moved."""

from typing import Final

from tests.proof.matrix.project import Project, key_of
from tests.proof.matrix.scenario import START, Scenario, drop, joined, put, synced
from tests.proof.places.vault import Vault

_SIGNED: Final = {"T-3": {**START["T-3"], "owner": "bo", "priority": "p1"}}


def _renamed(project: Project) -> None:
    """A person renames a note and edits it."""
    vault = project.places["x"]
    assert isinstance(vault, Vault)
    note = vault.note(key_of("T-3"))
    note.rename(note.with_name("The winch.md"))
    project.put("x", "T-3", owner="bo")


_ONLY_NOTES: Final = dict.fromkeys(("reference", "project-json", "sqlite"), "its records have no file names")

WRITERS: Final = (
    Scenario(
        "edited-while-written",
        [put("y", "T-3", owner="bo")],
        between=put("x", "T-3", priority="p1"),
        ends=_SIGNED,
    ),
    Scenario(
        "another-edited-while-written",
        [put("y", "T-3", owner="bo")],
        between=put("x", "T-1", priority="p0"),
        again=True,
        ends={"T-3": {**START["T-3"], "owner": "bo"}, "T-1": {**START["T-1"], "priority": "p0"}},
    ),
    Scenario(
        "made-while-made",
        [put("y", "N-1", title="New")],
        between=put("x", "N-1", title="New", owner="bo"),
        ends={"N-1": {"title": "New", "owner": "bo"}},
    ),
    Scenario(
        "the-other-edited-while-written",
        [put("x", "T-3", owner="bo")],
        between=put("y", "T-3", priority="p1"),
        ends=_SIGNED,
    ),
    Scenario(
        "nonsense-is-written",
        [put("y", "T-3", priority="urgent", owner="bo"), put("y", "T-1", owner="cy")],
        ends={
            "T-1": {**START["T-1"], "owner": "cy"},
        },
        shows={"hub": {"T-3": START["T-3"]}, "x": {"T-3": START["T-3"]}, "y": {"T-3": {"priority": "urgent"}}},
    ),
    Scenario(
        "nonsense-is-made",
        [put("y", "N-1", title="New", priority="urgent")],
        shows={
            "hub": {"N-1": None},
            "x": {"N-1": None},
        },
    ),
    Scenario("renamed", [_renamed], ends={"T-3": {**START["T-3"], "owner": "bo"}}, without=_ONLY_NOTES),
    Scenario("renamed-and-edited-there", [_renamed, put("y", "T-3", priority="p1")], ends=_SIGNED, without=_ONLY_NOTES),
    Scenario(
        "one-spoke-left-out",
        [joined("w"), synced(), put("y", "T-3", owner="bo"), synced("y", "w"), put("w", "T-3", priority="p1")],
        ends=_SIGNED,
    ),
    Scenario(
        "one-spoke-left-out-of-a-deletion",
        [joined("w"), synced(), drop("y", "T-3"), synced("y", "w")],
        ends={"T-3": None},
    ),
)

"""Two clones of one project that both go on, and are merged by git (BC-056)."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cases.team import Team, tasks

GIT = shutil.which("git") or "git"
NAMED = ("-c", "user.name=Ana", "-c", "user.email=ana@example.test", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str, code: int | None = 0) -> str:
    """Run git without anyone's settings, and expect its exit code, if not any is right."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        [GIT, *NAMED, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert code in {None, done.returncode}, done
    return done.stdout


@pytest.fixture
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Team, Team]:
    """Return two checkouts of one commit with nine tasks; the parameter says how made and how git merges a board."""
    how, merging = request.param
    first = Team.found(tmp_path / "first", tasks(9))
    (first.folder / ".gitignore").write_text("db/*.db*\n.tallystick/\n")
    (first.folder / "db" / ".keep").touch()
    (first.folder / ".gitattributes").write_text(f"*.json {merging}\n*.md merge=union\n")
    git(first.folder, "init", "-q")
    git(first.folder, "add", ".")
    git(first.folder, "commit", "-qm", "nine tasks")
    git(first.folder, *(("clone", "-q", ".") if how == "clone" else ("worktree", "add", "-qb", "other")), "../second")
    second = Team(tmp_path / "second")
    second.sync()
    second.check_rest()
    return first, second


def _commit(team: Team, message: str) -> None:
    git(team.folder, "add", ".")
    git(team.folder, "commit", "-qm", message)


def _add(team: Team, word: str) -> set[str]:
    """Create a task and a child of T-1, comment on T-1, and sync; returns the new ids."""
    added = [
        team.data("task", "add", f"{word} task")["task"]["id"],
        team.data("task", "add", f"{word} child", "parent=T-1")["task"]["id"],
    ]
    team.ok("event", "add", "T-1", "--kind", "note", "--text", f"{word} comment")
    team.sync()
    return set(added)


def _listed(team: Team) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(team.board.read_text())["tasks"]
    return found


def _finish_the_merge(team: Team, *sides: list[dict[str, str]]) -> None:
    """Write the board as a person does who wants the tasks of both sides."""
    both = {item["id"]: item for side in sides for item in side}
    team.board.write_text(json.dumps({"tasks": list(both.values())}, indent=2) + "\n")


def _merged(pair: tuple[Team, Team]) -> Team:
    """Pull the second's commit into the first; the board git leaves is one that no tool may guess at."""
    git(pair[0].folder, "pull", "-q", "--no-rebase", "--no-edit", "../second", "HEAD", code=None)
    return pair[0]


WAYS = [("clone", "merge=union"), ("clone", "merge"), ("worktree", "merge=union")]


@pytest.mark.parametrize("pair", WAYS, indirect=True, ids=" ".join)
def test_bc_056_what_two_checkouts_added_is_all_there_after_the_merge(pair: tuple[Team, Team]) -> None:
    first, second = pair
    mine, theirs = _add(first, "first"), _add(second, "second")
    assert len(mine | theirs) == 4, "ids cannot collide"
    for team in pair:
        _commit(team, "more")
    sides = _listed(first), _listed(second)
    merged = _merged(pair)
    spoilt = merged.board.read_bytes()
    (problem,) = merged.sync(code=4)["problems"]
    assert re.search(r"tasks\.json:\d+", problem["where"])
    assert merged.board.read_bytes() == spoilt
    merged.check_rest(code=4)
    _finish_the_merge(merged, *sides)
    assert merged.sync()["conflicts"] == []
    for ident in mine | theirs:
        assert len(set(merged.shown(ident, "title"))) == 1
    assert [merged.shown(ident, "parent")[2] for ident in mine | theirs].count("T-1") == 2
    said = [doc["payload"]["text"] for key, doc in merged.places["db"].peek() if key.kind == "event"]
    assert sorted(said) == ["first comment", "second comment"]
    merged.check_rest()


@pytest.mark.parametrize("pair", WAYS[:2], indirect=True, ids=" ".join)
def test_bc_056_an_id_two_people_gave_is_named_and_not_guessed_until_one_gives_way(pair: tuple[Team, Team]) -> None:
    for team, word in zip(pair, ("first", "second"), strict=True):
        team.edit_task("board", "T-10", title=f"the {word} tenth")
        team.sync()
        _commit(team, word)
    sides = _listed(pair[0]), _listed(pair[1])
    merged = _merged(pair)
    report = merged.sync(code=4)
    assert "tasks.json" in report["problems"][0]["where"]
    assert [item["native"] for item in report["quarantined"]] == ["T-10.md"]
    assert merged.shown("T-10", "title", "db") == ["the first tenth"], "nothing was guessed"
    merged.check_rest(code=4)
    theirs = [{**item, "id": "T-11"} for item in sides[1] if item["id"] == "T-10"]
    _finish_the_merge(merged, sides[0], theirs)
    for ident, word in (("T-10", "first"), ("T-11", "second")):
        merged.note(ident).write_text(f"---\nid: {ident}\ntitle: the {word} tenth\nstatus: planned\n---\n")
    assert merged.sync()["conflicts"] == []
    assert merged.shown("T-10", "title") == ["the first tenth"] * 3
    assert merged.shown("T-11", "title") == ["the second tenth"] * 3
    merged.check_rest()


def test_bc_056_an_archived_task_keeps_its_id_to_itself(team: Team) -> None:
    team.edit_task("board", "T-9", archived=True)
    team.sync()
    new = team.data("task", "add", "Another")["task"]["id"]
    team.sync()
    assert new not in {f"T-{number}" for number in range(1, 13)}
    assert team.shown("T-9", "archived") == [True] * 3
    (team.folder / "vault" / "By hand.md").write_text("---\nid: T-9\nstatus: planned\n---\n")
    (unreadable,) = team.sync(code=4)["quarantined"]
    assert "T-9" in unreadable["reason"]
    team.check_rest(code=4)

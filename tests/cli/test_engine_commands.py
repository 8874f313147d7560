"""The engine's commands: what they take, what they say, and what they refuse."""

import json
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick_cli import account, hub, render, session
from tallystick_cli.watch import stoppable
from tallystick_contract.errors import Invalid
from tallystick_sync.report import Report, SpokeReport
from tests.e2e.project import Project

IDS = st.lists(st.text("abAB-1", min_size=1, max_size=6), min_size=1, max_size=6, unique=True)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return the example in step; tests of this module that use it leave it as it is."""
    project = Project.copy(tmp_path_factory.mktemp("still") / "harbour")
    project.ok("sync")
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return an example of one's own, in step."""
    project = Project.copy(tmp_path / "harbour")
    project.ok("sync")
    return project


@given(IDS, st.text("abAB-1", min_size=1, max_size=6))
def test_a_full_id_means_itself_and_a_part_only_what_begins_or_ends_so(idents: list[str], text: str) -> None:
    for ident in idents:
        assert hub.matches(idents, ident) == [ident]
    if text not in idents:
        for found in hub.matches(idents, text):
            short, whole = text.lower(), found.lower()
            assert whole == short or (len(short) >= 3 and (whole.startswith(short) or whole.endswith(short)))


@given(st.text())
def test_a_text_stays_a_text_whatever_it_looks_like(text: str) -> None:
    found = hub.read_value("task", "title", text)
    try:
        parsed = json.loads(text)
    except ValueError:
        assert found == text
    else:
        assert found == (text if isinstance(parsed, bool | int | float) else parsed)


@given(st.sampled_from(["labels", "files", "dependsOn"]), st.lists(st.text(st.characters(codec="utf-8"))))
def test_a_list_written_as_json_is_that_list(name: str, items: list[str]) -> None:
    assert hub.read_value("task", name, json.dumps(items)) == items


VALUES = st.none() | st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.booleans())


@given(
    st.lists(st.dictionaries(st.sampled_from(["title", "labels"]), st.tuples(VALUES, VALUES), max_size=2), max_size=25)
)
@settings(max_examples=30)
def test_every_write_is_one_line_without_control_characters(edits: list[dict[str, tuple[Any, Any]]]) -> None:
    writes: account.Writes = {
        "board": [{"op": "update", "kind": "task", "id": f"T-{n}", "fields": edit} for n, edit in enumerate(edits)]
    }
    lines = [render.plain(line) for line in account.write_lines(writes)]
    assert len(lines) == min(len(edits), account.SHOWN + 1)
    assert all(line.isprintable() for line in lines)


def test_the_last_line_names_everything_that_is_open() -> None:
    report = Report(spokes={"a": SpokeReport(created=1)})
    assert account.verdict(report) == "in step, 1 write"
    assert account.verdict(report, done=False) == "1 write planned"
    assert account.verdict(Report(), done=False) == "in step, 0 writes"
    report.conflicts = [{}, {}]
    report.held = report.quarantined = [{}]
    report.problems = [{}]
    report.interrupted, report.left = True, 3
    assert account.verdict(report) == (
        "not in step: interrupted with 3 writes left, 2 conflicts, 1 held move, 1 unreadable record, 1 problem; 1 write"
    )


def test_gaps_and_findings_are_told_once_each_with_their_number() -> None:
    finding = {"code": "D-03", "what": "odd", "where": "T-1"}
    report = Report(gaps={"board": {"event": 2, "task.title": 1}}, findings=[finding, {**finding, "where": "T-2"}])
    assert account.report_lines(report) == [
        "gap  board cannot hold event (2), task.title (1)",
        "finding  D-03: odd (T-1), and 1 more",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["sync", "--spoke", "bord"], 2, "there is no spoke 'bord'"),
        (["plan", "--spoke", "bord"], 2, "configured: board, db, vault"),
        (["adopt", "--spoke", "bord"], 2, "there is no spoke 'bord'"),
        (["task", "show", "19"], 2, "no task goes by '19'"),
        (["task", "show", "harbour-1"], 2, "could be any of 9"),
        (["task", "set", "our-19", "priority=hot"], 2, "priority: "),
        (["task", "set", "our-19", "colour=red"], 2, "is not FIELD=VALUE"),
        (["task", "set", "our-19", "status=completed"], 2, "status cannot be set"),
        (["task", "set", "our-19", "deliveryState=applied"], 2, "deliveryState cannot be set"),
        (["task", "set", "our-19", "dependsOn=NOPE"], 6, "HARBOUR-19 would need a task with the id NOPE"),
        (["task", "add", "x", "status=completed"], 2, "a new task is planned"),
        (["task", "add", "x", "dependsOn=NOPE"], 6, "would need a task with the id NOPE"),
        (["task", "move", "our-19", "complete"], 6, "possible here: cancel, start"),
        (["task", "move", "our-16", "reopen"], 6, "say why, with --reason"),
        (["task", "move", "our-14", "complete"], 6, "an operator's decision to close (noAutoClose)"),
        (["event", "add", "our-19", "--kind", "dance", "--text", "x"], 2, "kinds of your own start with x-"),
        (["evidence", "add", "our-19", "--status", "fine", "--method", "x", "--summary", "y"], 2, "status"),
        (["deps", "add", "our-19", "NOPE"], 6, "no task goes by 'NOPE'"),
        (["deps", "add", "our-12", "our-20"], 6, "an end to the circle"),
        (["deps", "add", "our-19", "our-14"], 6, "HARBOUR-19 is free work and HARBOUR-14 waits for an operator"),
        (["deps", "remove", "our-19", "our-14"], 2, "no dependency of HARBOUR-19 goes by 'our-14'"),
        (["resolve", "our-19", "--field", "priority", "--take", "hub"], 2, "no open priority goes by 'our-19'"),
        (["resolve", "our-19", "--field", "priority"], 2, "an answer is either --take or --value"),
        (["resolve", "our-19", "--field", "x", "--take", "hub", "--value", "x"], 2, "either --take or --value"),
        (["undo", "99"], 2, "run 99 changed nothing"),
        (["restore", "our-19"], 2, "no deleted task goes by 'our-19'"),
        (["task", "add", "x", "--actor", "mika"], 2, "write operator:NAME, agent:NAME or external:NAME"),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, list) else "",
)
def test_a_refused_command_says_why_and_changes_nothing(
    still: Project, arguments: list[str], code: int, words: str
) -> None:
    before = still.data("log")
    said = still.tally(*arguments)
    assert said.code == code, said
    assert words in said.err
    assert said.out == ""
    assert still.data("log") == before, "a refused command left a run behind"
    assert still.ok("plan") == "in step, 0 writes\n"


@pytest.mark.parametrize(
    ("other", "code"),
    [("NOPE", "dependency-unknown"), ("our-20", "dependency-cycle"), ("our-15", "dependency-protected")],
)
def test_each_refused_dependency_has_a_code_of_its_own(still: Project, other: str, code: str) -> None:
    assert still.data("deps", "add", "our-12", other, code=6)["error"]["code"] == code


def test_a_dependency_is_only_tried_until_told_to_write(project: Project) -> None:
    tried = project.data("deps", "add", "our-19", "our-12")
    assert tried == {"id": "HARBOUR-19", "dependsOn": [[], ["HARBOUR-12"]], "written": False}
    assert project.ok("plan") == "in step, 0 writes\n"
    assert project.data("deps", "add", "our-19", "our-12", "--write")["written"]
    assert project.data("sync")["writes"] == 3
    assert project.ok("deps", "add", "our-19", "our-12", "--write") == "HARBOUR-19 is so already\n"
    assert project.data("deps", "remove", "our-19", "our-12", "--write")["dependsOn"] == [["HARBOUR-12"], []]
    assert project.last_line("sync") == "in step, 3 writes"


def test_a_task_goes_through_its_life_on_every_spoke(project: Project) -> None:
    added = project.data("task", "add", "Repair the crane", "priority=p1", "labels=dock, urgent")["task"]
    assert added["id"].startswith("T-")
    assert added["labels"] == ["dock", "urgent"]
    task = added["id"][-8:].lower()
    for event, state in (("start", "in-progress"), ("block", "blocked"), ("resume", "in-progress")):
        assert project.data("task", "move", task, event)["status"][1] == state
    project.ok("evidence", "add", task, "--status", "passed", "--method", "pytest", "--summary", "14 passed")
    project.ok("event", "add", task, "--kind", "progress", "--text", "half done", "--actor", "agent:bee")
    project.ok("task", "move", task, "complete")
    assert project.last_line("sync").startswith("in step")
    shown = project.data("task", "show", task)
    assert (shown["task"]["status"], shown["task"]["deliveryState"]) == ("completed", "applied")
    assert project.data("evidence", "list", task)["evidence"] == shown["evidence"]
    project.ok("task", "move", task, "reopen", "--reason", "it squeaks")
    assert project.last_line("sync").startswith("in step")
    assert "status: planned\n" in project.note(added["id"]).read_text()
    assert project.ok("sync") == "in step, 0 writes\n"
    assert project.ok("replay") == "ledger: equal\ndb: equal\n"


def test_who_did_it_stands_in_the_log(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(session.ACTOR_VARIABLE, "agent:bee")
    project.ok("task", "set", "our-19", "priority=p4")
    project.ok("task", "set", "our-19", "priority=p5", "--actor", "operator:ines")
    project.edit(project.folder / ".project" / "verification.json", '"partial"', '"failed"')
    monkeypatch.delenv(session.ACTOR_VARIABLE)
    monkeypatch.setattr("getpass.getuser", lambda: "sol")
    project.ok("task", "set", "our-19", "priority=p6")
    project.ok("sync")
    story = project.data("log", "our-19")["journal"]
    assert [item["actor"] for item in story] == ["external:board", "agent:bee", "operator:ines", "operator:sol"]
    assert [item["actor"] for item in project.data("log", "our-12")["journal"]][-1] == "external:board"
    assert "operator:ines  HARBOUR-19  priority: p4 -> p5\n" in project.ok("log", "our-19")


def test_a_user_without_a_name_is_told_to_give_one(still: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("No username set in the environment")

    monkeypatch.setattr("getpass.getuser", nobody)
    monkeypatch.delenv(session.ACTOR_VARIABLE, raising=False)
    assert "say --actor operator:NAME" in still.tally("task", "add", "x").err


def test_the_log_shows_runs_then_what_a_run_did(project: Project) -> None:
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    run = project.data("sync")["run"]
    newest = project.data("log")["runs"][0]
    assert (newest["run"], newest["command"], newest["changes"], newest["writes"]) == (run, "sync", 1, 2)
    said = project.ok("log", "--run", str(run)).splitlines()
    assert said[0].endswith("external:vault  HARBOUR-19  priority: p3 -> p1")
    assert said[1].endswith("written to board  update HARBOUR-19  priority: p3 -> p1")
    assert project.ok("log").splitlines()[0].split() == ["run", "command", "started", "changes", "writes"]


def test_status_tells_what_is_open_and_strict_makes_it_an_exit_code(project: Project) -> None:
    assert project.ok("status", "--strict").startswith("in step as of run 1, ")
    project.ok("task", "set", "our-19", "priority=p4")
    assert "records that some spoke waits for: 1\n" in project.ok("status", "--strict", code=5)
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p9")
    project.set_on_board("HARBOUR-14", status="completed")
    project.ok("sync")
    said = project.ok("status")
    assert said.startswith("not in step as of run 3, ")
    assert "conflicts: 1\nheld moves: 1\n" in said
    assert "answer with tally resolve" in project.ok("conflicts")
    assert "waits for" in project.ok("held")


def test_a_spoke_in_trouble_shows_in_status(project: Project) -> None:
    project.board.write_text("{")
    project.ok("sync", code=4)
    data = project.data("status")
    assert not data["inStep"]
    assert {item["name"]: bool(item["error"]) for item in data["spokes"]} == {
        "board": True,
        "db": False,
        "vault": False,
    }


def test_only_the_spokes_named_are_synced_and_the_rest_catches_up(project: Project) -> None:
    project.edit(project.note("HARBOUR-19"), "priority: p3", "priority: p1")
    assert list(project.data("sync", "--spoke", "vault", "--spoke", "db")["changes"]) == ["db"]
    assert list(project.data("sync")["changes"]) == ["board"]
    assert project.ok("sync") == "in step, 0 writes\n"


def test_tasks_are_listed_by_what_they_are(still: Project) -> None:
    def listed(*options: str) -> list[str]:
        return [task["id"] for task in still.data("task", "list", *options)["tasks"]]

    assert len(listed()) == 10
    assert len(listed("--archived")) == 13
    assert listed("--status", "blocked") == ["HARBOUR-13"]
    assert listed("--owner", "mika", "--status", "completed") == ["HARBOUR-18"]
    assert listed("--label", "bug") == ["HARBOUR-21"]


def test_undo_names_what_it_leaves_and_says_so_in_its_code(project: Project) -> None:
    project.ok("task", "set", "our-19", "priority=p4", "owner=ines")
    run = project.data("log")["runs"][0]["run"]
    project.ok("task", "set", "our-19", "owner=sol")
    done = project.data("undo", str(run), code=4)
    assert done["undone"] == {"run": run, "takenBack": 1, "left": ["HARBOUR-19: owner was changed again since"]}
    task = project.data("task", "show", "our-19")["task"]
    assert (task["priority"], task["owner"]) == ("p3", "sol")


def test_undo_of_a_move_leaves_its_event_and_counts_the_move_alone(project: Project) -> None:
    project.ok("task", "move", "our-19", "start")
    run = project.data("log")["runs"][0]["run"]
    assert project.data("undo", str(run))["undone"] == {"run": run, "takenBack": 1, "left": []}
    assert project.data("task", "show", "our-19")["task"]["status"] == "planned"


def test_replay_finds_a_record_that_no_journal_leads_to(project: Project) -> None:
    db = sqlite3.connect(project.folder / ".tallystick" / "ledger.db")
    db.execute("UPDATE records SET doc = json_set(doc, '$.priority', 'p9') WHERE id = 'HARBOUR-19'")
    db.commit()
    db.close()
    assert project.data("replay", code=5)["differences"] == {"ledger": ["task HARBOUR-19: differs"], "db": []}
    assert "ledger: task HARBOUR-19: differs\n" in project.ok("replay", code=5)


def test_a_write_is_journalled_with_what_the_spoke_showed_defaults_included(project: Project) -> None:
    project.ok("task", "move", "our-20", "start")
    project.ok("sync")
    writes = project.data("log", "our-20")["writes"]
    assert {json.dumps(item["fields"].get("status")) for item in writes if item["op"] == "update"} == {
        '["planned", "in-progress"]'
    }


def test_the_ledger_s_durability_is_a_setting(project: Project) -> None:
    text = project.config.read_text()
    project.config.write_text(text + '\n[ledger]\ndurability = "power"\n')
    with session.working(project.config, spokes=False) as engine:
        assert engine.ledger.db.execute("PRAGMA synchronous").fetchone() == (2,)
    project.config.write_text(text + '\n[ledger]\ndurability = "steel"\n')
    said = project.tally("sync")
    assert said.code == 2
    assert "allowed: file, power" in said.err


@pytest.mark.usefixtures("interruptible")
def test_the_first_interrupt_is_noted_and_the_second_is_the_usual_one(capfd: pytest.CaptureFixture[str]) -> None:
    with stoppable() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("interruptible")
def test_a_background_job_that_ignored_interrupts_listened_to_them() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stoppable() as stop:
        signal.raise_signal(signal.SIGINT)
        assert not stop.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_of_two_ids_that_begin_alike_none_is_guessed() -> None:
    with pytest.raises(Invalid, match="could be any of 2"):
        hub.one_of(["TASK-1", "TASK-12"], "task", "task", "")

"""A vault on disk: identity, renames, copies, what is gone, what may not be touched."""

import builtins
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tallystick_adapters.markdown.adapter import Markdown
from tallystick_adapters.support import files
from tallystick_contract.adapter import Change, Key
from tallystick_contract.errors import Broken, Invalid, Refused, Stale, Unsupported

from .documents import STRATEGIES
from .vaults import Desk, docs, task, whole

EVIDENCE = Key("evidence", "E-1")
EVENT = Key("event", "V-1")
CHECK = {"target": "T-1", "status": "passed", "method": "pytest", "methodClass": "test", "summary": "all <green>"}
HAPPENED = {
    "taskId": "T-1",
    "kind": "note",
    "atIso": "2026-05-01T10:00:00Z",
    "actor": {"type": "agent", "id": "a --> b"},
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_pushed_is_what_a_new_reader_sees(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    desk = Desk(tmp_path_factory.mktemp("vault"))
    keys = [Key(kind, f"{kind}-{number}") for kind in STRATEGIES for number in (1, 2)]
    for _ in range(3):
        chosen = data.draw(st.lists(st.sampled_from(keys), unique=True, max_size=5))
        changes = []
        for key in chosen:
            doc = data.draw(STRATEGIES[key.kind])
            if key.kind != "task":
                doc = {
                    **doc,
                    "target" if key.kind == "evidence" else "taskId": data.draw(st.sampled_from(["task-1", "x"])),
                }
            if key not in desk.shown:
                changes.append(desk.create(key, doc))
            elif key.kind != "event":
                delete = data.draw(st.booleans())
                fields = whole(key.kind, desk.spoke().image(key, doc))
                changes.append(desk.delete(key) if delete else desk.update(key, **fields))
        outcomes = desk.push(*changes)
        assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
        for change, outcome in zip(changes, outcomes, strict=True):
            assert change.op == "delete" or (outcome.shown is not None and outcome.shown.image == change.image)
        moved = desk.pull()  # what stood in a deleted task's note stands elsewhere now
        assert not moved.gone
        assert {one.native for one in moved.observed} <= {"_tallystick.md"}
        assert desk.agrees()
        assert not desk.pull().observed


def test_a_pull_when_nothing_changed_reads_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.push(*(desk.create(task(number), {"title": f"task {number}"}) for number in range(20)))
    desk.write("plain.md", "a note of another kind")
    desk.age()
    desk.pull()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(files, "read", fail)
    monkeypatch.setattr(Path, "open", fail)
    monkeypatch.setattr(builtins, "open", fail)
    pull = desk.pull()
    assert (pull.total, pull.observed, pull.gone) == (20, (), ())


def test_bc_049_five_runs_with_nothing_to_do_write_nothing(desk: Desk) -> None:
    """BC-049: spellings that only differ in form never lead to a write."""
    desk.write("a.md", "---\r\nid: T-1\r\ntitle: 'Cafe\u0301 '\r\nlabels: [b, a]\r\ndescription:\r\n---\r\nx\r\n")
    desk.write(
        "b.md",
        "---\nid: T-2\nstatus: planned\n---\n<!-- tally:begin notes -->\nno final newline\n<!-- tally:end notes -->",
    )
    desk.pull()
    assert desk.shown[task(1)].image == {"title": "Café ", "labels": ["b", "a"]}
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in desk.folder.iterdir()}
    for _ in range(5):
        outcomes = desk.push(*(desk.update(key, **whole("task", one.image)) for key, one in desk.shown.items()))
        assert all(outcome.error is None for outcome in outcomes)
        assert not desk.pull(full=True).gone
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in desk.folder.iterdir()} == before


def test_only_the_record_that_changed_is_observed_and_gets_a_new_revision(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK), desk.create(EVENT, HAPPENED))
    before = dict(desk.shown)
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"status: planned", b"status: blocked"))
    pull = desk.pull()
    assert [one.key for one in pull.observed] == [task(1)]
    assert desk.shown[task(1)].revision != before[task(1)].revision
    path.write_bytes(path.read_bytes().replace(b"green", b"red"))
    assert [one.key for one in desk.pull().observed] == [EVIDENCE]
    path.write_bytes(path.read_bytes() + b"\nwords of a person\n")
    assert not desk.pull().observed


def test_a_renamed_note_is_the_same_note(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK))
    desk.path("deep/er").mkdir(parents=True)
    desk.path("T-1.md").rename(desk.path("deep/er/One.md"))
    pull = desk.pull()
    assert not pull.gone
    assert {one.native for one in pull.observed} == {"deep/er/One.md"}
    assert desk.push(desk.update(task(1), status="completed"))[0].error is None
    assert not desk.path("T-1.md").exists()
    assert b"status: completed" in desk.path("deep/er/One.md").read_bytes()


def test_of_two_notes_with_one_id_the_linked_one_wins(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK))
    desk.path("A copy.md").write_bytes(desk.path("T-1.md").read_bytes())
    for _ in range(2):
        pull = desk.pull()
        assert not pull.observed
        assert not pull.gone
        assert [one.native for one in pull.quarantined] == ["A copy.md"]
        assert "T-1.md" in pull.quarantined[0].reason
    assert desk.push(desk.update(task(1), status="completed"))[0].error is None
    assert b"planned" in desk.path("A copy.md").read_bytes()
    desk.path("T-1.md").unlink()
    pull = desk.pull()
    assert not pull.gone
    assert {one.native for one in pull.observed} == {"A copy.md"}


def test_of_two_unknown_notes_with_one_id_neither_is_believed(desk: Desk) -> None:
    desk.write("a.md", "---\nid: T-1\n---\n")
    desk.write("b.md", "---\nid: T-1\nstatus: completed\n---\n")
    pull = desk.pull()
    assert not pull.observed
    assert sorted(one.native for one in pull.quarantined) == ["a.md", "b.md"]
    assert all(one.key == task(1) for one in pull.quarantined)


def test_a_lost_id_is_restored_from_the_link(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK))
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"id: T-1\n", b"").replace(b"planned", b"blocked"))
    pull = desk.pull()
    assert [one.key for one in pull.observed] == [task(1)]
    assert desk.shown[task(1)].image["status"] == "blocked"
    assert path.read_bytes().startswith(b"---\nid: T-1\n")
    assert not desk.pull().observed
    assert desk.agrees()


def test_a_note_without_an_id_gets_one_from_its_name_on_every_clone(tmp_path: Path) -> None:
    for clone in ("a", "b"):
        desk = Desk(tmp_path / clone)
        path = desk.write("in/Buy milk!.md", "---\n# mine\nstatus: planned\n---\nwords")
        desk.pull()
        assert docs(desk.shown) == {Key("task", "vault-buy-milk"): {"title": "Buy milk!"}}
        assert path.read_bytes() == b"---\nid: vault-buy-milk\n# mine\nstatus: planned\n---\nwords"
        assert not desk.pull().observed
        assert desk.agrees()


def test_a_run_that_stops_before_it_writes_ids_leaves_that_to_the_next(desk: Desk) -> None:
    path = desk.write("a.md", "---\nstatus: planned\n---\n")
    desk.age()
    stopped = desk.spoke()
    stopped.pull(desk.saved)
    desk.saved = stopped.state()
    assert "id:" not in path.read_text()
    desk.pull()
    assert "id: vault-a\n" in path.read_text()


def test_notes_of_other_kinds_are_left_alone_and_not_counted(desk: Desk) -> None:
    for name, text in (
        ("plain.md", "# just text"), ("blog.md", "---\ntitle: A post\nlabels: [x]\n---\n"), ("rule.md", "---\ntext"),
        ("broken.md", "---\ntitle: a: b\n---\n"), (".obsidian/x.md", "---\nid: T-9\n---\n"),
        (".trash/y.md", "---\nid: T-8\n---\n"), (".tally-abc.md", "---\nid: T-7\n---\n"),
    ):  # fmt: skip
        desk.write(name, text)
    pull = desk.pull(full=True)
    assert (pull.total, pull.observed, pull.quarantined) == (0, [], [])
    assert pull.counts["other notes"] == 4


def test_only_the_configured_folder_is_listed_and_written(tmp_path: Path) -> None:
    desk = Desk(tmp_path, folder="work/tasks")
    desk.write("elsewhere.md", "---\nid: T-9\n---\n")
    desk.push(
        desk.create(task(1), {"title": "x"}),
        desk.create(EVIDENCE, {**CHECK, "target": "phase 1", "targetType": "phase"}),
    )
    assert desk.path("work/tasks/T-1.md").exists()
    assert desk.path("_tallystick.md").exists()
    assert desk.spoke().pull({}).total == 2
    assert desk.agrees()


@pytest.mark.parametrize(("one", "other"), [("t-1", "T-1"), ("Straße", "STRASSE"), ("é", "É")])
def test_ids_that_differ_only_in_case_get_notes_of_their_own(desk: Desk, one: str, other: str) -> None:
    keys = [Key("task", one), Key("task", other)]
    for key in keys:
        desk.push(desk.create(key, {"title": key.id}))
    desk.push(*(desk.create(Key("task", f"{key.id}-more"), {"title": key.id}) for key in keys))
    names = [path.name.casefold() for path in desk.folder.iterdir()]
    assert len(names) == len(set(names)) == 4
    assert desk.agrees()


def test_a_name_taken_by_a_note_of_another_kind_is_not_touched(desk: Desk) -> None:
    path = desk.write("T-1.md", "# not a task")
    desk.push(desk.create(task(1), {"title": "x"}))
    assert path.read_bytes() == b"# not a task"
    assert desk.agrees()


@pytest.mark.parametrize(
    "name", ["CON", "nul.txt", "a/b\\c:d", "..", ".hidden", "x" * 400, "é" * 200, "_tallystick", "trail. ", "a\nb"]
)
def test_any_id_gets_a_file_name_every_system_can_take(desk: Desk, name: str) -> None:
    desk.push(desk.create(Key("task", name), {"title": "x"}))
    (path,) = desk.folder.rglob("*.md")
    assert path.parent == desk.folder
    assert len(path.name.encode()) < 255
    assert not path.name.startswith(".")
    assert path.stem.split(".")[0].upper() not in {"CON", "NUL"}
    assert not set(path.stem) & set('<>:"/\\|?*\n')
    assert path.stem == path.stem.rstrip(". ")
    assert desk.agrees()


def test_archived_tasks_are_created_in_the_archive_and_never_moved(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x", "archived": True}), desk.create(task(2), {"title": "y"}))
    assert desk.path("archive/T-1.md").exists()
    desk.push(desk.update(task(2), archived=True))
    assert desk.path("T-2.md").exists()
    assert desk.agrees()


def test_evidence_of_a_target_without_a_note_goes_to_the_projects_note_and_stays_there(desk: Desk) -> None:
    desk.push(desk.create(EVIDENCE, CHECK), desk.create(EVENT, HAPPENED))
    assert {one.native for one in desk.shown.values()} == {"_tallystick.md"}
    desk.push(desk.create(task(1), {"title": "late"}), desk.update(EVIDENCE, summary="still here"))
    assert desk.shown[EVIDENCE].native == "_tallystick.md"
    assert desk.agrees()


def test_a_change_to_a_record_that_has_moved_is_stale_and_stops_no_other(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(task(2), {"title": "two"}))
    stale = desk.update(task(1), status="blocked")
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"planned", b"completed"))
    one, two = desk.push(stale, desk.update(task(2), status="blocked"))
    assert isinstance(one.error, Stale)
    assert two.error is None
    assert b"completed" in path.read_bytes()


def test_a_change_that_is_already_there_is_shown_without_a_write(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}))
    change = desk.update(task(1), status="completed")
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"planned", b"completed"))
    before = path.stat().st_mtime_ns
    (again,) = desk.push(change)
    assert again.error is None
    assert path.stat().st_mtime_ns == before
    (created,) = desk.push(desk.create(task(1), {"title": "one", "status": "completed"}))
    assert created.shown == again.shown
    assert isinstance(desk.push(desk.create(task(1), {"title": "other"}))[0].error, Stale)


def _in_the_same_instant(path: Path, old: bytes, new: bytes) -> None:
    """Change a note so that neither its size nor its time nor its inode shows it."""
    assert len(old) == len(new)
    before = path.stat()
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_note_read_while_it_was_new_is_read_again(desk: Desk) -> None:
    path = desk.write("a.md", "---\nid: T-1\nowner: a\n---\n")
    desk.pull()
    _in_the_same_instant(path, b"owner: a", b"owner: b")
    desk.saved = {**desk.saved, "saved": desk.saved["saved"] + 10**11}  # as if the run had gone on for long
    assert [one.image["owner"] for one in desk.pull().observed] == ["b"]


def test_a_note_written_just_before_the_run_ended_is_read_again(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x", "owner": "a"}))
    _in_the_same_instant(desk.path("T-1.md"), b"owner: a", b"owner: b")
    assert [one.image["owner"] for one in desk.pull().observed] == ["b"]


def test_an_edit_made_between_pull_and_push_is_still_observed_afterwards(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files.Signature, "racy", lambda *_: False)  # not only because the note is new
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK))
    spoke = desk.spoke()
    spoke.pull(desk.saved)
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"green", b"red"))
    assert spoke.push([desk.update(task(1), status="blocked")])[0].error is None
    desk.saved = spoke.state()
    assert [one.key for one in desk.pull().observed] == [EVIDENCE]


def test_a_deleted_task_leaves_what_people_wrote_and_moves_its_evidence(desk: Desk) -> None:
    desk.push(
        desk.create(task(1), {"title": "one", "description": "d"}),
        desk.create(EVIDENCE, CHECK),
        desk.create(EVENT, HAPPENED),
    )
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"---\n", b"---\nmine: yes # keep\n", 1) + b"my words\n")
    desk.pull()
    assert desk.push(desk.delete(task(1)))[0].error is None
    left = path.read_text()
    assert left.startswith("---\nmine: yes # keep\n---\n")
    assert left.endswith("my words\n")
    assert "tally" not in left
    pull = desk.pull()
    assert not pull.gone
    assert {key.kind for key in desk.shown} == {"evidence", "event"}
    desk.shown = {one.key: one for one in desk.spoke().pull({}).observed}
    assert {one.native for one in desk.shown.values()} == {"_tallystick.md"}


def test_a_record_that_moved_within_the_run_was_called_deleted_where_it_had_been(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVIDENCE, CHECK))
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes() + b"my words\n")
    spoke = desk.spoke()
    spoke.pull(desk.saved)
    for key in (task(1), EVIDENCE):
        assert spoke.push([desk.delete(key)])[0].error is None
    assert not desk.spoke().pull({}).observed


def test_a_deleted_note_and_an_emptied_vault_are_gone_but_a_missing_vault_is_broken(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(task(2), {"title": "two"}))
    desk.path("T-1.md").unlink()
    assert desk.pull().gone == [task(1)]
    desk.path("T-2.md").unlink()
    spoke = desk.spoke()
    pull = spoke.pull(desk.saved)
    assert (pull.gone, pull.complete, pull.total) == ([task(2)], True, 0)
    desk.folder.rmdir()
    with pytest.raises(Broken, match="is gone"):
        desk.spoke().pull(desk.saved)
    assert desk.spoke().pull({}).total == 0


def test_events_are_never_rewritten_or_deleted(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "one"}), desk.create(EVENT, HAPPENED))
    for change in (desk.update(EVENT, payload={"a": 1}), desk.delete(EVENT)):
        (outcome,) = desk.push(change)
        assert isinstance(outcome.error, Refused)
        assert outcome.error.code == "append-only"


def test_a_date_that_is_no_day_is_refused_instead_of_written(desk: Desk) -> None:
    one, two = desk.push(
        desk.create(task(1), {"title": "x", "due": "2026-02-30"}), desk.create(task(2), {"title": "y"})
    )
    assert isinstance(one.error, Refused)
    assert two.error is None


def test_half_a_character_is_refused_by_name_and_stops_no_other(desk: Desk) -> None:
    one, two = desk.push(desk.create(task(1), {"title": "\ud83d"}), desk.create(task(2), {"title": "y"}))
    assert isinstance(one.error, Unsupported)
    assert two.error is None
    (three,) = desk.push(desk.update(task(2), title="\ud83d"))
    assert isinstance(three.error, Unsupported)
    assert desk.agrees()


def test_a_read_only_note_refuses_only_its_own_changes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.push(desk.create(task(1), {"title": "x"}), desk.create(task(2), {"title": "y"}))
    monkeypatch.setattr(os, "access", lambda path, _mode: not str(path).endswith("T-1.md"))
    one, two = desk.push(desk.update(task(1), status="blocked"), desk.update(task(2), status="blocked"))
    assert isinstance(one.error, Refused)
    assert two.error is None


def test_a_link_stays_a_link_and_a_mode_stays(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}))
    real = desk.root / "real.md"
    desk.path("T-1.md").rename(real)
    real.chmod(0o640)
    desk.path("T-1.md").symlink_to(real)
    desk.pull()
    assert desk.push(desk.update(task(1), status="blocked"))[0].error is None
    assert desk.path("T-1.md").is_symlink()
    assert (real.stat().st_mode & 0o777) == 0o640
    assert not desk.pull().observed


def test_a_push_needs_no_pull_before_it(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}))
    (outcome,) = desk.spoke().push([desk.update(task(1), status="blocked")])
    assert outcome.error is None


def test_settings_are_checked_and_named(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="settings are: path, folder, durability"):
        Markdown("vault", {"path": "v", "colour": "red"}, str(tmp_path))
    with pytest.raises(Invalid, match="path"):
        Markdown("vault", {}, str(tmp_path))
    with pytest.raises(Invalid, match="inside the vault"):
        Markdown("vault", {"path": "v", "folder": "../x"}, str(tmp_path))


def test_what_cannot_be_done_is_said_before_anything_is_written(desk: Desk) -> None:
    assert desk.spoke().check().ready
    desk.folder.write_text("a file")
    health = desk.spoke().check()
    assert not health.ready
    assert "not a folder" in health.messages[0]


def test_deleting_what_is_gone_already_is_done(desk: Desk) -> None:
    (outcome,) = desk.push(Change("delete", task(9), "x", {}, {}))
    assert (outcome.shown, outcome.error) == (None, None)


def test_a_task_that_somebody_wrote_since_the_pull_was_created_once_more(desk: Desk) -> None:
    spoke = desk.spoke()
    spoke.pull({})
    desk.write("my own name.md", "---\nid: T-1\ntitle: Theirs\n---\n")
    (outcome,) = spoke.push([desk.create(task(1), {"title": "Ours"})])
    assert isinstance(outcome.error, Stale)
    assert [path.name for path in desk.folder.glob("*.md")] == ["my own name.md"]


def test_a_note_that_vanished_while_listing_took_the_others_with_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        desk.write(f"T-{number}.md", f"---\nid: T-{number}\ntitle: Note {number}\n---\n")
    desk.pull()
    scandir = os.scandir

    @contextmanager
    def slow(path: Path) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(path) as entries:
            found = sorted((entry for entry in entries if entry.name.endswith(".md")), key=lambda entry: entry.name)
        desk.path("T-1.md").unlink(missing_ok=True)
        yield found

    monkeypatch.setattr(os, "scandir", slow)
    assert list(desk.pull().gone) == [task(1)]


@pytest.mark.parametrize("name", ["dependsOn", "labels", "files"])
def test_a_set_was_written_in_another_order_than_its_note_has(desk: Desk, name: str) -> None:
    desk.write("T-1.md", f"---\nid: T-1\ntitle: Note\n{name}: [wind, anchor, moss]\n---\n")
    desk.pull()
    desk.push(desk.update(task(1), **{name: ["anchor", "boat", "wind"]}))
    assert desk.shown[task(1)].image[name] == ["wind", "anchor", "boat"]


def test_a_file_in_the_place_of_a_folder_ended_the_run_instead_of_one_task(desk: Desk) -> None:
    desk.write("archive", "not a folder")
    archived, live = desk.create(task(1), {"title": "one", "archived": True}), desk.create(task(2), {"title": "two"})
    refused, made = desk.push(archived, live)
    assert isinstance(refused.error, Refused)
    assert (refused.error.what, refused.error.code) == ("cannot be created: File exists", "unwritable")
    assert made.error is None
    assert desk.path("T-2.md").exists()


def test_a_note_that_ends_in_capitals_had_its_ending_in_its_id(desk: Desk) -> None:
    desk.write("Buy milk.MD", "---\nstatus: planned\n---\n")
    desk.pull()
    assert list(desk.shown) == [Key("task", "vault-buy-milk")]

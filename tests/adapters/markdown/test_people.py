"""Notes as people write and change them: bad YAML, doubled keys, edited regions, examples in code, odd frontmatter."""

from pathlib import Path

import pytest

from tallystick_adapters.markdown import codec
from tallystick_contract.adapter import Key
from tallystick_contract.errors import Invalid

from .documents import read, update
from .vaults import Desk, docs, task

CHECK = {
    "target": "T-1",
    "status": "passed",
    "method": "pytest",
    "methodClass": "test",
    "timestamp": "2026-05-01T10:00:00Z",
}
HAPPENED = {"taskId": "T-1", "kind": "note", "atIso": "2026-05-01T10:00:00Z", "actor": {"type": "agent", "id": "a"}}
EVIDENCE = Key("evidence", "E-1")
EVENT = Key("event", "V-1")

BAD_LINES = (
    "title: Re: plan", "title: 'it's'", "due: 2026-02-30", "title: {{date}}", "labels:\n\t- x", "title: *draft*",
    "status: doing", "priority: high", "requiresOperatorApproval: maybe", "title: [a", "extensions: text",
    "labels: [[a, b]]", "labels: &a [*a]", "title: \x07", "title: 1\ntitle: 2", "x: 1\nx: 2",
    "owner: 'a'\nowner: b",
)  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("line", BAD_LINES)
def test_bc_043_a_note_that_cannot_be_read_is_named_with_its_line_and_stops_no_other(desk: Desk, line: str) -> None:
    desk.push(
        desk.create(task(1), {"title": "one"}), desk.create(task(2), {"title": "two"}), desk.create(EVIDENCE, CHECK)
    )
    bad = desk.write(
        "T-1.md", desk.path("T-1.md").read_text().replace("status: planned", line).replace("title: one\n", "")
    )
    before = bad.read_bytes()
    stale = desk.update(task(1), status="blocked")
    for _ in range(2):
        pull = desk.pull()
        (quarantined,) = pull.quarantined
        assert (quarantined.native, quarantined.key) == ("T-1.md", task(1))
        assert "line 3" in quarantined.reason or "line 4" in quarantined.reason
        assert not pull.gone
        assert pull.total == 3
    outcomes = desk.push(stale, desk.update(task(2), status="blocked"))
    assert [outcome.error is None for outcome in outcomes] == [False, True]
    assert bad.read_bytes() == before
    desk.write("T-1.md", "---\nid: T-1\nstatus: blocked\n---\n")
    assert task(1) in {one.key for one in desk.pull().observed}


def test_bc_036_a_doubled_key_never_settles_a_gate(desk: Desk) -> None:
    """BC-036 (e): refused with both line numbers; the gate stays as it was."""
    desk.push(desk.create(task(1), {"title": "one", "decisionGate": {"requiresOperatorApproval": True}}))
    desk.write(
        "T-1.md", desk.path("T-1.md").read_text().replace("\n---\n", "\nrequiresOperatorApproval: false\n---\n", 1)
    )
    pull = desk.pull()
    assert not pull.observed
    assert "lines 5 and 6" in pull.quarantined[0].reason
    assert desk.shown[task(1)].image["decisionGate"] == {"requiresOperatorApproval": True}


def test_bc_043_what_follows_a_number_sign_is_warned_about(desk: Desk) -> None:
    desk.write("a.md", "---\nid: T-1\ntitle: Fix #12 now\n---\n")
    (finding,) = desk.pull().findings
    assert (finding.code, finding.where) == ("comment-in-value", "a.md, line 3")
    assert docs(desk.shown) == {task(1): {"title": "Fix"}}
    desk.push(desk.update(task(1), title='Re: plan #12 — "it\'s" @me'))
    assert not desk.pull(full=True).findings
    assert desk.shown[task(1)].image["title"] == 'Re: plan #12 — "it\'s" @me'


@pytest.mark.parametrize(
    "damage", ["not utf-8", "gone frontmatter", "never closed", "open region", "two regions", "nested"]
)
def test_a_known_note_that_is_damaged_is_not_gone(desk: Desk, damage: str) -> None:
    desk.push(desk.create(task(1), {"description": "words"}))
    path = desk.path("T-1.md")
    data = path.read_bytes()
    path.write_bytes(
        {
            "not utf-8": data + b"\xff",
            "gone frontmatter": b"just words\n",
            "never closed": data.replace(b"\n---\n", b"\n", 1),
            "open region": data.replace(b"<!-- tally:end description -->", b""),
            "two regions": data + data[data.index(b"<!-- tally") :],
            "nested": data.replace(b"words", b"<!-- tally:begin notes -->"),
        }[damage]
    )
    pull = desk.pull()
    assert [one.key for one in pull.quarantined] == [task(1)]
    assert "line" in pull.quarantined[0].reason
    assert (pull.gone, pull.total, pull.observed) == ([], 1, [])


def test_a_fence_left_open_above_a_region_hides_nothing_silently() -> None:
    with pytest.raises(Invalid, match="never closed") as raised:
        codec.parse("---\nid: T-1\n---\n```\ncode\n<!-- tally:begin notes -->\nx\n<!-- tally:end notes -->\n", "x")
    assert raised.value.where == "line 6"


def test_a_region_is_not_appended_into_a_fence_left_open() -> None:
    note = read("---\nid: T-1\ntitle: x\n---\nwords\n```\ncode")
    after = update(note, task(1), {"description": "d"})
    assert read(after).task == {"title": "x", "description": "d"}
    assert after.endswith("words\n```\ncode")


FRONTMATTER = """\
---
# a comment
company:
status: planned   # what it is
alias: [a, b]
rel:
  - [[Note A]]
  - "[[Note B]]"   # torn apart by others
banner: "https://x.test/a?b=1"
long: {long}
id: T-1
odd key: 'single'
folded: >
  one
  two

dependsOn:
  - "[[T-2|the second]]"
  - [[T-3]]
parent: [[T-9]]
---
Paragraph
---
%%hidden%%  \t
last paragraph""".replace("{long}", "x" * 200)


def test_bc_046_an_update_leaves_all_bytes_but_its_own_line() -> None:
    note = read(FRONTMATTER)
    assert note.task == {"title": "note", "dependsOn": ["T-2", "T-3"], "parent": "T-9"}
    after = update(note, task(1), {"status": "completed"})
    assert after == FRONTMATTER.replace("status: planned   #", "status: completed   #")


def test_bc_046_an_appended_region_is_set_off_so_that_no_paragraph_becomes_a_heading() -> None:
    after = update(read(FRONTMATTER), task(1), {"notes": "n"})
    assert after == FRONTMATTER + "\n\n<!-- tally:begin notes -->\nn\n<!-- tally:end notes -->\n"


def test_links_that_stay_keep_their_spelling() -> None:
    after = update(read(FRONTMATTER), task(1), {"dependsOn": ["T-2", "T-4"]})
    assert '\n  - "[[T-2|the second]]"\n  - T-4\nparent' in after
    assert read(after).task == {"title": "note", "dependsOn": ["T-2", "T-4"], "parent": "T-9"}


def test_bc_047_only_real_items_of_the_criteria_region_are_ticked() -> None:
    text = (
        "---\nid: T-1\ntitle: x\n---\n```\n- [ ] T-1 example\n```\n~~~\n- [ ] T-1 example\n~~~\n"
        "````\n```\n- [ ] T-1 example\n```\n"
        "````\n  ```\n  - [ ] T-1 example\n  ```\n- ```\n  - [ ] T-1 example\n  ```\n"
        "<!--\n- [ ] T-1 example\n-->\n> - [ ] T-1 example\n"
        "<!-- tally:begin criteria -->\n- [ ] T-1 real\n- [ ] **T-2** with ~~format~~\n```\n- [ ] T-1 example\n```\n"
        "<!-- tally:end criteria -->\n- [ ] T-1 example\n"
    )
    note = read(text)
    assert note.task is not None
    wanted = [{**item, "done": True} for item in note.task["acceptanceCriteria"]]
    assert [item["text"].split("\n")[0] for item in wanted] == ["T-1 real", "**T-2** with ~~format~~"]
    after = update(note, task(1), {"acceptanceCriteria": wanted})
    assert after.count("- [x] ") == 2
    assert after.count("- [ ] T-1 example") == 9
    assert update(read(after), task(1), {"acceptanceCriteria": wanted}) == after


def test_ticks_texts_and_new_items_of_people_are_read(desk: Desk) -> None:
    desk.push(
        desk.create(
            task(1), {"title": "x", "acceptanceCriteria": [{"text": "a", "done": False}, {"text": "b", "done": True}]}
        )
    )
    path = desk.path("T-1.md")
    text = (
        path.read_text()
        .replace("- [ ] a", "* [X] a, better\n\n- [ ]\n- plain")
        .replace("- [x] b", "- [ ] b\nmore of b")
    )
    path.write_text(text)
    desk.pull()
    assert [(item["text"], item["done"]) for item in desk.shown[task(1)].image["acceptanceCriteria"]] == [
        ("a, better", True), ("plain", False), ("b\nmore of b", False),
    ]  # fmt: skip


def test_in_progress_with_an_underscore_is_read_with_a_finding_and_kept_until_edited(desk: Desk) -> None:
    path = desk.write("a.md", "---\nid: T-1\nstatus: in_progress\npriority: P1\n---\n")
    assert [finding.code for finding in desk.pull().findings] == ["D-02"]
    assert desk.shown[task(1)].image == {"title": "a", "status": "in-progress", "priority": "p1"}
    desk.push(desk.update(task(1), owner="me"))
    assert "status: in_progress\npriority: P1\n" in path.read_text()


def test_yaml_words_and_numbers_are_text(desk: Desk) -> None:
    desk.write(
        "a.md",
        "---\nid: 007\ntitle: no\nowner: 1e3\nlabels: [yes, 2026-01-01, 'null', null]\n"
        "milestone: ~\ndue: 2026-01-02\n---\n",
    )
    desk.pull()
    assert docs(desk.shown) == {
        Key("task", "007"): {
            "title": "no",
            "owner": "1e3",
            "labels": ["yes", "2026-01-01", "null"],
            "due": "2026-01-02",
        }
    }


def test_the_first_description_keeps_the_title_a_note_had_from_its_name(desk: Desk) -> None:
    path = desk.write("Name.md", "---\nid: T-1\n---\n")
    desk.pull()
    (outcome,) = desk.push(desk.update(task(1), description="words"))
    assert outcome.shown is not None
    assert outcome.shown.image == {"title": "Name", "description": "words"}
    assert "title: Name" in path.read_text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- needs passed evidence (requiresVerification)", "- needs nothing"),
        ("- delivery state: applied", "- delivery state: applied\nand a note of mine"),
        ("- **passed** E-1", "- **failed** E-1"),
        ("by agent:a <!--", "by agent:mallory <!--"),
    ],
)
def test_an_edited_generated_region_is_reported_with_its_text_and_repainted(
    desk: Desk, before: str, after: str
) -> None:
    gate = {"requiresVerification": True}
    desk.push(
        desk.create(task(1), {"title": "x", "decisionGate": gate, "deliveryState": "applied"}),
        desk.create(EVIDENCE, CHECK),
        desk.create(EVENT, HAPPENED),
    )
    path = desk.path("T-1.md")
    original = path.read_text()
    assert original.count(before) == 1
    path.write_text(original.replace(before, after))
    pull = desk.pull()
    assert not pull.observed
    (finding,) = pull.findings
    assert finding.code == "region-edited"
    assert after.rsplit("\n", maxsplit=1)[-1] in finding.what
    desk.push(desk.update(task(1), status="blocked"))
    assert path.read_text() == original.replace("status: planned", "status: blocked")
    assert not desk.pull(full=True).findings


@pytest.mark.parametrize("kind", ["evidence", "event"])
def test_a_record_that_no_longer_reads_is_set_aside_and_written_again_when_pushed(desk: Desk, kind: str) -> None:
    changes = [desk.create(task(1), {"title": "x"}), desk.create(EVIDENCE, CHECK), desk.create(EVENT, HAPPENED)]
    desk.push(*changes)
    key = EVIDENCE if kind == "evidence" else EVENT
    path = desk.path("T-1.md")
    original = path.read_text()
    path.write_text(original.replace(f'{{"id": "{key.id}", ', f'{{"id": "{key.id}" '))
    for _ in range(2):
        pull = desk.pull()
        assert [one.key for one in pull.quarantined] == [key]
        assert (pull.gone, pull.observed, pull.total) == ([], [], 3)
        assert key.id in pull.findings[0].what
    desk.push(desk.update(task(1), owner="someone"))
    assert f'{{"id": "{key.id}" ' in path.read_text()
    (outcome,) = desk.push(changes[1] if kind == "evidence" else changes[2])
    assert outcome.error is None
    assert path.read_text() == original.replace("---\n\n", "owner: someone\n---\n\n", 1)
    assert not desk.pull(full=True).quarantined


def test_a_record_whose_id_was_damaged_is_set_aside_too(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}), desk.create(EVIDENCE, CHECK))
    path = desk.path("T-1.md")
    path.write_text(path.read_text().replace('{"id": "E-1"', "{id: E-1"))
    pull = desk.pull()
    assert [one.key for one in pull.quarantined] == [EVIDENCE]
    assert not pull.gone


def test_edited_evidence_that_still_reads_is_an_ordinary_edit(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}), desk.create(EVIDENCE, CHECK))
    path = desk.path("T-1.md")
    path.write_text(path.read_text().replace('"status": "passed", ', '\n  "status": "failed",\n  "mine": 1,\n'))
    pull = desk.pull()
    assert [one.key for one in pull.observed] == [EVIDENCE]
    assert desk.shown[EVIDENCE].image == {**CHECK, "status": "failed", "extensions": {"mine": 1}}


def test_bc_036_lines_doubled_by_a_merge_are_one_event(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}), desk.create(EVENT, HAPPENED))
    path = desk.path("T-1.md")
    line = next(line for line in path.read_text().split("\n") if "<!-- {" in line)
    path.write_text(path.read_text().replace(line, f"{line}\n{line}"))
    pull = desk.pull()
    assert (pull.observed, pull.quarantined, pull.total) == ([], [], 2)


def test_conflict_markers_in_the_frontmatter_set_the_note_aside(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}))
    desk.write(
        "T-1.md", "---\nid: T-1\n<<<<<<< ours\nstatus: planned\n=======\nstatus: completed\n>>>>>>> theirs\n---\n"
    )
    assert [one.key for one in desk.pull().quarantined] == [task(1)]


def test_an_id_of_another_task_in_a_known_note_is_another_task(desk: Desk) -> None:
    desk.push(desk.create(task(1), {"title": "x"}))
    path = desk.path("T-1.md")
    path.write_text(path.read_text().replace("id: T-1", "id: T-5"))
    pull = desk.pull()
    assert pull.gone == [task(1)]
    assert [one.key for one in pull.observed] == [task(5)]


ADDED = ({"notes": "more"}, {"description": "other"}, {"decisionGate": {"noAutoClose": True}})


@pytest.mark.parametrize("fields", ADDED)
def test_a_note_with_crlf_takes_new_regions_and_stays_crlf(desk: Desk, fields: dict[str, object]) -> None:
    desk.push(desk.create(task(1), {"description": "what is to be done"}))
    path = desk.path("T-1.md")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    desk.pull()
    for change in (fields, {"milestone": "M", "acceptanceCriteria": [{"text": "seen", "done": False}]}):
        (outcome,) = desk.push(desk.update(task(1), **change))
        assert outcome.error is None
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")

"""Notes as people write them, and as we leave them (BC-043, BC-046, BC-047, BC-049)."""

import unicodedata
from pathlib import Path

import pytest

from tallystick_contract.adapter import Key
from tests.cases.team import Team

BAD = {
    "T-1": "title: Re: plan", "T-2": "title: 'it's'", "T-3": "due: 2026-02-30", "T-4": "title: {{date}}",
    "T-5": "labels:\n\t- x", "T-6": "title: *draft*",
}  # fmt: skip
HOPELESS = 'Re: plan #12 — "it\'s" @me'


def test_bc_043_a_note_that_is_no_yaml_is_named_with_its_line_and_stops_no_other(team: Team) -> None:
    good = team.texts()
    for ident, line in BAD.items():
        team.edit(team.note(ident), f'title: "Task {ident[2:]}"', line)
    spoilt = team.texts()
    team.edit(team.note("T-12"), "Task 12", "A healthy one")
    for ident in BAD:
        team.edit_task("db", ident, owner="ana")
    report = team.sync(code=4)
    assert [item["id"] for item in report["quarantined"]] == list(BAD)
    assert all("line " in item["reason"] for item in report["quarantined"])
    assert team.board.read_text().count('"owner": "ana"') == len(BAD), "the other copies go on"
    assert '"A healthy one"' in team.board.read_text()
    assert {ident: team.note(ident).read_bytes() for ident in BAD} == {i: spoilt[f"vault/{i}.md"] for i in BAD}
    team.check_rest(code=4)
    for ident in BAD:
        team.note(ident).write_bytes(good[f"vault/{ident}.md"])
    team.sync()
    for ident in BAD:
        assert team.shown(ident, "owner") == ["ana"] * 3
    team.check_rest()


def test_bc_043_a_title_cut_off_by_a_comment_arrives_with_a_warning_only(team: Team) -> None:
    team.edit(team.note("T-7"), 'title: "Task 7"', "title: Fix #12 now")
    (finding,) = team.sync()["findings"]
    assert (finding["code"], finding["where"]) == ("comment-in-value", "T-7.md, line 3")
    assert team.shown("T-7", "title", "board", "db") == ["Fix"] * 2
    assert "comment-in-value" in team.ok("doctor"), "and it is told as long as it is so"


def test_bc_043_what_we_write_ourselves_reads_back_as_the_same_text(team: Team) -> None:
    team.edit_task("board", "T-7", title=HOPELESS)
    team.sync()
    assert team.shown("T-7", "title") == [HOPELESS] * 3
    team.check_rest()
    team.edit_task("board", "T-7", owner="ana")
    team.edit(team.note("T-7"), "status: planned\n", "status: planned\nmilestone: spring\n")
    team.sync()
    assert team.shown("T-7", "title") == [HOPELESS] * 3


ODD = """\
---
# a comment
company:
status: planned   # what it is
alias: [a, b]
rel:
  - [[Note A]]
banner: "https://x.test/a?b=1"
long: {long}
id: T-46
odd key: 'single'
---
A paragraph
---
%%hidden%%  \t
Heading
=======
last paragraph""".replace("{long}", "x" * 200)


def test_bc_046_an_update_changes_its_own_line_and_appends_what_is_new(team: Team) -> None:
    note = team.folder / "vault" / "Odd.md"
    note.write_text(ODD)
    team.sync()
    assert note.read_text() == ODD
    team.edit_task("board", "T-46", status="in-progress", notes="a section of its own")
    team.sync()
    text = note.read_text()
    kept = ODD.replace("status: planned   #", "status: in-progress   #")
    assert text.startswith(f"{kept}\n\n<!-- tally:begin notes -->\na section of its own\n<!-- tally:end notes -->\n")
    _, _, rest = text.partition("<!-- tally:end notes -->\n\n")
    assert rest.startswith("<!-- tally:begin journal -->\n")
    assert rest.endswith("<!-- tally:end journal -->\n")
    team.check_rest()


BOXES = """\
---
id: T-47
title: Boxes
status: planned
---
```
- [ ] T-1 example
```
~~~
- [ ] T-1 example
~~~
````
```
- [ ] T-1 example
```
````
  ```
  - [ ] T-1 example
  ```
- ```
  - [ ] T-1 example
  ```
<!--
- [ ] T-1 example
-->
> - [ ] T-1 example
<!-- tally:begin criteria -->
- [ ] T-1 real
- [ ] **T-2** with ~~format~~
<!-- tally:end criteria -->
"""


def test_bc_047_only_real_boxes_are_ticked_and_no_example_becomes_a_task(team: Team) -> None:
    note = team.folder / "vault" / "Boxes.md"
    note.write_text(BOXES)
    team.sync()
    texts = [item["text"] for item in team.shown("T-47", "acceptanceCriteria")[0]]
    assert texts == ["T-1 real", "**T-2** with ~~format~~"]
    team.edit_task("board", "T-47", acceptanceCriteria=[{"text": text, "done": True} for text in texts])
    team.sync()
    assert note.read_text() == BOXES.replace("- [ ] T-1 real", "- [x] T-1 real").replace("- [ ] **T-2", "- [x] **T-2")
    team.check_rest()
    assert len(list((team.folder / "vault").glob("*.md"))) == 13


BODIES = (
    "lines\r\nas a web editor\r\nends them", "blanks at the end   \n\n\n", "no end of line",
    "e\u0301te\u0301 decomposed", "\ttab\u00a0and no-break space", "",
)  # fmt: skip


@pytest.fixture
def spelled(tmp_path: Path) -> Team:
    """Return a project of twenty tasks whose words were spelled differently on board and in vault before we came."""
    team = Team.found(tmp_path / "harbour", {})
    at = "2026-05-01T10:00:00+02:00"
    note = {"kind": "note", "actor": {"type": "agent", "id": "bo"}, "payload": {"text": "seen"}, "atIso": at}
    for number in range(1, 21):
        body, ident = BODIES[number % len(BODIES)], f"T-{number}"
        doc = {"title": f"Task {number}" + " " * (number == 1), "labels": ["b", "a"], "owner": None}
        team.edit_task("board", ident, **doc, **({"description": body} if body else {}))
        plain = unicodedata.normalize("NFC", body).replace("\r\n", "\n")
        team.edit_task("db", ident, **{**doc, "labels": ["a", "b"], "owner": ""}, description=plain or None)
        team.places["db"].plant(Key("event", f"N-{number}"), {**note, "taskId": ident})
    return team


def test_bc_049_spellings_that_differ_only_in_form_settle_and_stay(spelled: Team) -> None:
    for _ in range(3):
        report = spelled.sync()
    assert (report["writes"], report["conflicts"]) == (0, [])
    before = spelled.everything()
    for _ in range(5):
        assert spelled.data("plan")["writes"] == spelled.sync()["writes"] == 0
    assert spelled.everything() == before


def test_bc_049_an_edit_of_a_note_is_one_write_per_spoke_and_none_back_into_the_note(team: Team) -> None:
    for word in ("first", "second", "third"):
        team.edit_task("vault", "T-1", description=word)
        text = team.note("T-1").read_bytes(), team.note("T-1").stat().st_mtime_ns
        assert {spoke: len(writes) for spoke, writes in team.sync()["changes"].items()} == {"board": 1, "db": 1}
        assert (team.note("T-1").read_bytes(), team.note("T-1").stat().st_mtime_ns) == text
    team.check_rest()

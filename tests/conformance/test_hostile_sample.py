"""A board and the hostile tracker: everything comes over once, whatever goes wrong at whichever request."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tallystick_conformance.faults import READS, WRITES, Fault, What
from tallystick_conformance.hostile.sample import fill
from tallystick_contract.adapter import Key
from tallystick_contract.canonical import Doc
from tallystick_sync.report import Report
from tests.conformance.tickets import Hands
from tests.sync.rig import Rig


class Project:
    """A reference spoke named board beside the hostile tracker."""

    def __init__(self, folder: Path) -> None:
        self.hands = Hands()
        self.rig = Rig(folder, "board tracker")
        self.rig.places["tracker"].wrap = lambda _inner: self.hands.adapter()

    def sync(self) -> Report:
        """Do one run."""
        return self.rig.sync(changes=99)

    def settle(self) -> None:
        """Sync until nothing is written; two runs must be enough, the third is quiet."""
        self.hands.tracker.plan.disarm()
        for _ in range(2):
            self.sync()
        last = self.sync()
        assert (last.writes, last.accepted, last.problems) == (0, 0, [])

    def board(self) -> dict[Key, Doc]:
        """Return what the board shows of the fields both hold."""
        return {key: self.shared(key, doc) for key, doc in self.rig.places["board"].store.records.items()}

    def tickets(self) -> dict[Key, Doc]:
        """Return what stands on the tracker, which must stand there once."""
        found = self.hands.peek()
        assert len({key for key, _ in found}) == len(found), "a record stands there twice"
        return {key: self.shared(key, doc) for key, doc in found}

    def shared(self, key: Key, doc: Doc) -> Doc:
        """Return the fields of a document that the tracker holds, sets in any order."""
        image = self.hands.adapter().image(key, doc)
        return {name: sorted(item) if name == "labels" else item for name, item in image.items()}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Give a project whose tracker holds the sample."""
    project = Project(tmp_path)
    fill(project.hands.tracker)
    yield project
    project.rig.ledger.close()


def test_the_sample_comes_over_whole_and_only_the_delivery_state_goes_back(project: Project) -> None:
    before = project.tickets()
    assert project.sync().spokes["tracker"].writes == 1
    assert project.sync().writes == 0
    done = Key("task", "tracker-#9")
    before[done] = {**before[done], "deliveryState": "recovery-required"}
    assert project.board() == project.tickets() == before


def test_what_looks_like_something_else_is_what_it_is(project: Project) -> None:
    project.sync()
    shown = {number: project.rig.shown("board", f"tracker-#{number}") or {} for number in range(3, 11)}
    assert "status" not in shown[6]
    assert shown[6]["labels"] == ["status:done", "Status/blocked", "p0"]
    assert (shown[7]["status"], shown[8]["status"], shown[9]["status"]) == ("blocked", "cancelled", "completed")
    assert shown[4]["title"] == "\U0001f6a2 two\nlines \U0001f469\u200d\U0001f527"
    assert shown[4]["description"] == "a\nb\nc\n"
    assert shown[5]["title"] == "caf\u00e9"


def test_ids_that_differ_by_case_stay_two(project: Project) -> None:
    project.sync()
    project.rig.put("board", "t-1", owner="ana")
    project.settle()
    assert project.tickets()[Key("task", "t-1")]["owner"] == "ana"
    assert "owner" not in project.tickets()[Key("task", "T-1")]


def test_a_copied_marker_neither_moves_nor_names_anything(project: Project) -> None:
    project.sync()
    assert project.rig.shown("board", "T-1") == {"title": "Upper", "description": "the upper one"}
    copy = project.rig.shown("board", "tracker-#3") or {}
    assert (copy["title"], "due" in copy) == ("Not the upper one", False)
    assert project.rig.shown("board", "tracker-c4", "event") is not None


def test_a_marker_taken_away_sets_its_record_aside_and_loses_nothing(project: Project) -> None:
    project.sync()
    project.hands.tracker.edit("tickets", 1, {"body": "only this is left"})
    report = project.sync()
    assert [item["id"] for item in report.quarantined] == ["T-1"]
    assert project.rig.hub("T-1") == {"title": "Upper", "description": "the upper one"}
    assert project.rig.shown("board", "T-1") == {"title": "Upper", "description": "the upper one"}


@pytest.mark.parametrize("nth", range(1, 6))
@pytest.mark.parametrize("what", sorted(WRITES - {What.REPLY_DOUBLED}))
def test_a_write_that_goes_wrong_is_done_once(project: Project, what: What, nth: int) -> None:
    project.sync()
    project.rig.put("board", "N-1", title="New on the board", labels=["one", "two"])
    project.rig.put("board", "N-2", title="Another", status="blocked", dependsOn=["N-1"])
    project.rig.put("board", "T-1", description="edited on the board", labels=["new"])
    project.rig.put("board", "E-1", "evidence", target="N-1", status="passed", method="pytest")
    theirs = {"title": "The same title, edited meanwhile"}
    fault = Fault(what, "write", nth, act=lambda: project.hands.tracker.edit("tickets", 12, theirs))
    project.hands.tracker.plan.arm(fault)
    project.sync()
    assert project.hands.tracker.plan.met == [fault]
    project.settle()
    assert project.board() == project.tickets()
    assert project.board()[Key("task", "T-1")]["description"] == "edited on the board"
    assert len(project.board()) == 16 + 4 + 3
    if what is What.MEDDLED:
        assert project.board()[Key("task", "tracker-#12")]["title"] == theirs["title"]


@pytest.mark.parametrize("nth", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("what", sorted(READS - {What.MEDDLED}))
def test_a_read_that_goes_wrong_loses_nothing(project: Project, what: What, nth: int) -> None:
    project.sync()
    project.hands.tracker.edit("tickets", 12, {"title": "Edited on the tracker"})
    project.hands.tracker.remove("tickets", 13)
    project.rig.put("board", "N-1", title="New on the board")
    fault = Fault(what, "read", nth)
    project.hands.tracker.plan.arm(fault)
    project.sync()
    assert project.hands.tracker.plan.met == [fault]
    project.settle()
    assert project.rig.asked() == {("tracker-#13", "presence")}
    there = project.board()
    del there[Key("task", "tracker-#13")]
    assert there == project.tickets()
    assert there[Key("task", "tracker-#12")]["title"] == "Edited on the tracker"


def test_a_create_carried_out_twice_is_told_and_not_spread(project: Project) -> None:
    project.sync()
    project.rig.put("board", "N-1", title="New on the board")
    project.hands.tracker.plan.arm(Fault(What.REPLY_DOUBLED, "write"))
    project.sync()
    project.hands.tracker.plan.disarm()
    report = project.sync()
    assert [item["reason"] for item in report.quarantined] == ["a second copy of task N-1"]
    assert (report.writes, list(project.board()).count(Key("task", "N-1"))) == (0, 1)


def test_a_create_whose_reply_was_lost_is_found_below_a_later_ticket_though_listings_lag(project: Project) -> None:
    project.hands.tracker.lag = 99
    project.sync()
    for ident in ("N-1", "N-2"):
        project.rig.put("board", ident, title=f"New on the board: {ident}")
    project.hands.tracker.plan.arm(Fault(What.REPLY_LOST, "write"))
    project.sync()
    project.hands.tracker.add("tickets", "mika", {"title": "Listed at once"})
    project.settle()
    assert project.board() == project.tickets()

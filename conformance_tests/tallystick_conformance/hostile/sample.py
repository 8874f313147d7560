"""A sample of what people and other programs leave on a tracker, each entry there to break something."""

from typing import Final

from tallystick_conformance.hostile.codec import join
from tallystick_conformance.hostile.tracker import Tracker

COPIED: Final = join("Copied from another ticket, hidden line and all.", {"id": "T-1", "fields": {"due": "2026-01-01"}})
"""A body that claims to be the task T-1."""


def fill(tracker: Tracker) -> None:
    """Put the sample on a tracker: more than two pages of tickets, all of one second, and comments."""
    ours, mika, eve = tracker.account, "mika", "eve"
    tracker.add("tickets", ours, {"title": "Upper", "body": join("the upper one", {"id": "T-1"})})
    tracker.add("tickets", ours, {"title": "Lower", "body": join("the lower one", {"id": "t-1"})})
    tracker.add("tickets", eve, {"title": "Not the upper one", "body": COPIED})
    tracker.add("tickets", mika, {"title": "\U0001f6a2 two\r\nlines \U0001f469\u200d\U0001f527", "body": "a\r\nb\rc\n"})
    tracker.add("tickets", mika, {"title": "cafe\u0301", "body": "Decomposed: e\u0301."})
    tracker.add("tickets", mika, {"title": "Open, says its state", "labels": ["status:done", "Status/blocked", "p0"]})
    tracker.add("tickets", mika, {"title": "Blocked twice", "labels": ["status/in-progress", "status/blocked"]})
    tracker.add("tickets", mika, {"title": "Dropped", "state": "closed", "reason": "not planned"})
    tracker.add("tickets", mika, {"title": "Done", "state": "closed", "reason": "done", "labels": ["priority/p1"]})
    tracker.add("tickets", mika, {"title": "No tale", "body": "<!-- tally {not json} -->"})
    for _ in range(6):
        tracker.add("tickets", mika, {"title": "The same title", "body": "and the same text"})
    for text in ("first", "second", "<!-- tally --> third"):
        tracker.add("comments", mika, {"ticket": 4, "body": text})
    tracker.add("comments", eve, {"ticket": 1, "body": COPIED})

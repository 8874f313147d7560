"""Writes `docs/lifecycle.md` from the table; run as `python -m tests.contract.render_lifecycle` from the checkout."""

from pathlib import Path

from tallystick_contract.lifecycle import EVENTS, EXPLICIT, TRANSITIONS

PAGE = Path(__file__).parents[2] / "docs" / "lifecycle.md"

_HEAD = """# The lifecycle of a task

One literal table per contract version (`tallystick_contract/lifecycle.py`); this page is rendered from it.
A pair of state and event that has no entry is refused to our own writers (the command line, MCP), with the events that
are possible named. A move that was *seen* on a spoke is never refused by the table: it is taken and flagged irregular.
Whether a task may be completed is for its gate to say, wherever the move comes from.
"""


def page() -> str:
    """Return the text of the page."""
    parts = [_HEAD]
    for version, table in TRANSITIONS.items():
        events = [event for event in EVENTS if any(event in moves for moves in table.values())]
        lines = ["| from | " + " | ".join(events) + " |", "|---" * (len(events) + 1) + "|"]
        lines += [
            f"| {state} | " + " | ".join(moves.get(event, "-") for event in events) + " |"
            for state, moves in table.items()
        ]
        parts.append(f"\n## Version {version}\n\n" + "\n".join(lines) + "\n")
    explicit = " and ".join(f"`{event}`" for event in EVENTS if event in EXPLICIT)
    parts.append(
        f"\n{explicit} are the only ways out of a finished state. They name an actor and a reason,\n"
        "and are never inferred from a status that merely looks different.\n"
    )
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")

"""`init`: propose a configuration from what lies in a folder."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tallystick_cli.options import AsJson

Write = Annotated[bool, typer.Option("--write", help="Write the file without asking.")]
Folder = Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The project's folder [default: here].")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally init --write")(init)


def init(folder: Folder = Path(), *, write: Write = False, as_json: AsJson = False) -> None:
    """Propose a tallystick.toml for a folder.

    Looks for a board, a vault and a remote. An existing file is never overwritten.
    """
    from tallystick_cli import render
    from tallystick_cli.proposal import look, save

    proposal = look(folder.absolute())
    if not as_json:
        render.say(proposal.text)
    asked = not write and not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    wanted = write or (asked and typer.confirm(f"Write this to {proposal.file}?"))
    if wanted:
        save(proposal)
    if as_json:
        render.document(
            {"file": str(proposal.file), "text": proposal.text, "found": list(proposal.found), "written": wanted}
        )
    else:
        render.lines(
            f"written: {proposal.file}" if wanted else f"not written; `tally init --write` writes {proposal.file}"
        )

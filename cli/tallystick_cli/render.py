"""What commands print: one JSON document, or plain tables; never anything a record's text could turn into control."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer

from tallystick_contract.errors import Refused, Stopped, TallystickError

UNBOUNDED = 100_000
"""Columns of a table that goes into a pipe or a file: wide enough that nothing is ever wrapped or cut."""


def plain(text: object) -> str:
    r"""Return a text on one line with control characters spelled out, so that no record can steer the terminal.

    >>> plain("two\nlines")
    'two\\nlines'
    """
    raw = str(text)
    return raw if raw.isprintable() else "".join(item if item.isprintable() else _spelled(item) for item in raw)


def say(text: str) -> None:
    """Print to standard output; a reader who has seen enough and left (`| head`) changes neither work nor exit code."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def document(data: Any) -> None:
    """Print one JSON document to standard output."""
    say(json.dumps(data, ensure_ascii=False, indent=2))


def lines(*texts: str) -> None:
    """Print texts a person reads, one a line."""
    for text in texts:
        say(plain(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, coloured and fitted on a terminal, plain and uncut in a pipe."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    on_terminal = sys.stdout.isatty()
    console = Console(highlight=False, width=None if on_terminal else UNBOUNDED)
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(plain(cell)) for cell in row))
    if on_terminal:
        console.print(grid)
        return
    with console.capture() as captured:
        console.print(grid)
    for line in captured.get().splitlines():
        say(line.rstrip())


def error(problem: TallystickError, *, as_json: bool) -> None:
    """Print one error: what, where and what to do; JSON to standard output, text to standard error."""
    if as_json:
        document({"error": {"code": code(problem), "what": problem.what, "where": problem.where, "todo": problem.todo}})
        return
    typer.echo(f"error: {plain(problem.what)}", err=True)
    for line in placed(problem.where, problem.todo):
        typer.echo(plain(line), err=True)


def placed(where: str, todo: str) -> list[str]:
    """Return the lines below an error: where it is and what to do, as far as that is known."""
    return [f"  {label}: {text}" for label, text in (("where", where), ("to do", todo)) if text]


def code(problem: TallystickError) -> str:
    """Return the machine-readable name of an error."""
    return problem.code if isinstance(problem, Refused | Stopped) else type(problem).__name__.lower()


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

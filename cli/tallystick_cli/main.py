"""The command `tally`: its subcommands, and the one place where errors become sentences and exit codes."""

import sys

import typer

from tallystick_cli.commands import conformance, health, history, questions, records, reference, running, setup, tasks
from tallystick_cli.exits import Code, for_error
from tallystick_contract.errors import Invalid, TallystickError

app = typer.Typer(
    name="tally",
    help="Keep a team's tasks, evidence and events in step across boards, databases and notes.",
    add_completion=False,
    rich_markup_mode=None,  # coloured help would cost more than the whole rest of the command's start
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (setup, running, questions, tasks, records, history, health, reference, conformance):
    group.add_to(app)


def main() -> None:
    """Run the command line and exit with a documented code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors are told once, in words."""
    as_json = "--json" in arguments
    try:
        return int(app(arguments or ["--help"], prog_name="tally", standalone_mode=False) or Code.IN_STEP)
    except TallystickError as problem:
        return _tell(problem, as_json=as_json)
    except typer.TyperException as mistake:
        return _tell(Invalid(mistake.format_message(), todo="see `tally --help`"), as_json=as_json)
    except typer.Abort:  # a question that nobody answered; an interruption comes as the code itself
        typer.echo("interrupted", err=True)
        return Code.INTERRUPTED
    except Exception:  # noqa: BLE001 -- the outermost place: told in full, with the code that says so
        return _tell_bug()


def _tell(problem: TallystickError, *, as_json: bool) -> int:
    from tallystick_cli import render

    render.error(problem, as_json=as_json)
    return for_error(problem)


def _tell_bug() -> int:
    import traceback

    traceback.print_exc()
    typer.echo("this is a bug in tally, or in an adapter: please report the lines above", err=True)
    return Code.BUG

"""`plan`, `sync` and `adopt`: what would be written, writing it, and starting afresh."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallystick_cli.exits import Code
from tallystick_cli.options import AsJson, ConfigFile, Strict

if TYPE_CHECKING:
    from tallystick_cli.account import Writes
    from tallystick_contract.errors import Stopped
    from tallystick_sync.report import Report
    from tallystick_sync.run import Options
    from tallystick_sync.survey import Engine

Deletions = Annotated[int, typer.Option("--accept-deletions", metavar="N", help="Let up to N tasks vanish.", min=0)]
Changes = Annotated[int, typer.Option("--accept-changes", metavar="N", help="Let up to N tasks change at once.", min=0)]
Spokes = Annotated[list[str] | None, typer.Option("--spoke", metavar="NAME", help="Only this spoke; repeatable.")]
OneSpoke = Annotated[str, typer.Option("--spoke", metavar="NAME", help="Only this spoke, instead of all of them.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally plan")(plan)
    app.command(epilog="Example: tally sync --accept-deletions 12")(sync)
    app.command(epilog="Example: tally adopt --spoke vault")(adopt)


def plan(
    *, spoke: Spokes = None, accept_deletions: Deletions = 0, accept_changes: Changes = 0, strict: Strict = False,
    config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show what a sync would write.

    Nothing is written, neither to a spoke nor to the ledger.
    """
    from tallystick_cli import account, session
    from tallystick_cli.watch import Watch
    from tallystick_contract.errors import Stopped
    from tallystick_sync.run import preview

    with session.viewing(config, spokes=True) as engine, Watch(quiet=as_json) as watch:
        options = _options(engine, spoke, accept_deletions, accept_changes, progress=watch.note)
        try:
            planned, report = preview(engine, options)
        except Stopped as stop:
            raise _stopped(stop, as_json=as_json) from stop
        writes = account.planned(planned, [member.name for member in engine.members])
    account.count(report, writes)
    _tell(report, writes, as_json=as_json, done=False)
    raise typer.Exit(_code(report, strict=strict))


def sync(
    *, spoke: Spokes = None, accept_deletions: Deletions = 0, accept_changes: Changes = 0, strict: Strict = False,
    config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Bring every spoke in step.

    Edits made on any spoke reach all others. What is asked, held or cannot be done is listed and delays nothing else.
    """
    from tallystick_cli import session

    with session.working(config) as engine:
        options = _options(engine, spoke, accept_deletions, accept_changes)
        carry_out(engine, options, strict=strict, as_json=as_json)


def adopt(*, spoke: OneSpoke = "", config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Start afresh with what the spokes show now.

    What was agreed before is forgotten, with one spoke or with all; then a sync links equal records and asks about
    the rest. History and deletions are kept.
    """
    from tallystick_cli import session
    from tallystick_sync.ledger.history import Stamp, forget

    with session.working(config) as engine:
        session.names(engine, [spoke] if spoke else [])
        ledger, at = engine.ledger, engine.now()
        with ledger.locked():
            run = ledger.start_run("adopt", at)
            forget(ledger, Stamp(run, at, session.actor(None).model_dump()), spoke or None)
            ledger.finish_run(run, at, {"command": "adopt"})
        carry_out(engine, _options(engine, None, 0, 0), as_json=as_json)


def carry_out(
    engine: "Engine", options: "Options", *, strict: bool = False, as_json: bool = False, **more: Any
) -> None:
    """Sync, tell what was done, and end the command with its exit code; `more` are further members of the JSON."""
    from dataclasses import replace

    from tallystick_cli import account
    from tallystick_cli.watch import Watch, stoppable
    from tallystick_contract.errors import Stopped
    from tallystick_sync import run

    with Watch(quiet=as_json) as watch, stoppable() as stop:
        options = replace(options, progress=watch.note, interrupted=stop.is_set)
        try:
            report = run.sync(engine, options)
        except Stopped as stopped:
            raise _stopped(stopped, as_json=as_json, **more) from stopped
    _tell(report, account.written(engine.ledger, report.run), as_json=as_json, **more)
    raise typer.Exit(_code(report, strict=strict))


def _options(engine: "Engine", spokes: list[str] | None, deletions: int, changes: int, **more: Any) -> "Options":
    from tallystick_cli import session
    from tallystick_sync.guards import Consent
    from tallystick_sync.run import Options

    return Options(consent=Consent(deletions, changes), only=session.names(engine, spokes or []), **more)


def _stopped(stop: "Stopped", *, as_json: bool, **more: Any) -> Exception:
    """Return how a command ends that a guard stopped: JSON is the report with the guard in it."""
    from tallystick_cli import render
    from tallystick_sync.report import Report

    if not as_json:
        return stop
    guard = {"code": stop.code, "what": stop.what, "where": stop.where, "todo": stop.todo}
    render.document({**Report(guard=guard).data(), "changes": {}, **more})
    return typer.Exit(Code.STOPPED)


def _tell(report: "Report", writes: "Writes", *, as_json: bool, done: bool = True, **more: Any) -> None:
    from tallystick_cli import account, render

    if as_json:
        render.document({**report.data(), "changes": writes, **more})
        return
    render.lines(*account.write_lines(writes), *account.report_lines(report))
    render.lines(account.verdict(report, done=done))


def _code(report: "Report", *, strict: bool) -> Code:
    if report.interrupted:
        return Code.INTERRUPTED
    if report.partial:
        return Code.PARTIAL
    return Code.FINDINGS if strict and (report.conflicts or report.held) else Code.IN_STEP

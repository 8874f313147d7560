"""A run carried out, told to whoever asked for it, and turned into an exit code."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tallystick_cli import account, render
from tallystick_cli.exits import Code
from tallystick_cli.watch import Watch, stoppable
from tallystick_contract.errors import Stopped
from tallystick_sync import run
from tallystick_sync.report import Report
from tallystick_sync.survey import Engine


def carry_out(
    engine: Engine, options: run.Options, *, strict: bool = False, as_json: bool = False,
    more: Mapping[str, Any] | None = None,
) -> Code:  # fmt: skip
    """Sync and tell what was done; `more` are further members of the JSON. Raises `Stopped` where text is wanted."""
    with Watch(quiet=as_json) as watch, stoppable() as stop:
        options = replace(options, progress=watch.note, interrupted=stop.is_set, pause=stop.wait)
        try:
            report = run.sync(engine, options)
        except Stopped as stopped:
            return stopped_by(stopped, as_json=as_json, more=more)
    tell(report, account.written(engine.ledger, report.run), as_json=as_json, more=more)
    return code(report, strict=strict)


def stopped_by(stop: Stopped, *, as_json: bool, more: Mapping[str, Any] | None = None) -> Code:
    """Tell what stopped a run before its first write: as a report with the guard in it, or by raising it again."""
    if not as_json:
        raise stop
    guard = {"code": stop.code, "what": stop.what, "where": stop.where, "todo": stop.todo}
    tell(Report(guard=guard), {}, as_json=True, more=more)
    return Code.STOPPED


def tell(
    report: Report, writes: account.Writes, *, as_json: bool, done: bool = True, more: Mapping[str, Any] | None = None
) -> None:
    """Print a report with its writes, done or only planned."""
    if as_json:
        render.document({**report.data(), "changes": writes, **(more or {})})
        return
    render.lines(*account.write_lines(writes), *account.report_lines(report), account.verdict(report, done=done))


def code(report: Report, *, strict: bool) -> Code:
    """Return the exit code of a run."""
    if report.interrupted:
        return Code.INTERRUPTED
    if report.partial:
        return Code.PARTIAL
    return Code.FINDINGS if strict and (report.conflicts or report.held) else Code.IN_STEP

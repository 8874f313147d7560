"""`plan`, `sync` and `adopt`: what would be written, writing it, and starting afresh."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallystick_cli.options import ActorName, AsJson, ConfigFile, Strict

if TYPE_CHECKING:
    from tallystick_sync.run import Options
    from tallystick_sync.survey import Engine

Deletions = Annotated[int, typer.Option("--accept-deletions", metavar="N", help="Let up to N tasks vanish.", min=0)]
Changes = Annotated[int, typer.Option("--accept-changes", metavar="N", help="Let up to N tasks change at once.", min=0)]
Yes = Annotated[
    bool,
    typer.Option("--yes", help="Take a missing record as deleted and a look-alike as another; guards still stop."),
]
Spokes = Annotated[list[str] | None, typer.Option("--spoke", metavar="NAME", help="Only this spoke; repeatable.")]
OneSpoke = Annotated[str, typer.Option("--spoke", metavar="NAME", help="Only this spoke, instead of all of them.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally plan")(plan)
    app.command(epilog="Example: tally sync --accept-deletions 12")(sync)
    app.command(epilog="Example: tally adopt --spoke vault")(adopt)


def plan(
    *, yes: Yes = False, spoke: Spokes = None, accept_deletions: Deletions = 0, accept_changes: Changes = 0,
    strict: Strict = False, config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show what a sync would write.

    Nothing is written, neither to a spoke nor to the ledger.
    """
    from tallystick_cli import account, outcome, session
    from tallystick_cli.watch import Watch
    from tallystick_contract.errors import Stopped
    from tallystick_sync.run import preview

    with session.viewing(config, spokes=True) as engine, Watch(quiet=as_json) as watch:
        options = _options(engine, spoke, accept_deletions, accept_changes, yes=yes, progress=watch.note)
        try:
            planned, report = preview(engine, options)
        except Stopped as stop:
            raise typer.Exit(outcome.stopped_by(stop, as_json=as_json)) from stop
        writes = account.planned(planned, [member.name for member in engine.members])
    account.count(report, writes)
    outcome.tell(report, writes, as_json=as_json, done=False)
    raise typer.Exit(outcome.code(report, strict=strict))


def sync(
    *, yes: Yes = False, spoke: Spokes = None, accept_deletions: Deletions = 0, accept_changes: Changes = 0,
    strict: Strict = False, config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Bring every spoke in step.

    Edits made on any spoke reach all others. What is asked, held or cannot be done is listed and delays nothing else.
    """
    from tallystick_cli import outcome, session

    with session.working(config) as engine:
        options = _options(engine, spoke, accept_deletions, accept_changes, yes=yes)
        raise typer.Exit(outcome.carry_out(engine, options, strict=strict, as_json=as_json))


def adopt(*, spoke: OneSpoke = "", actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Start afresh with what the spokes show now.

    What was agreed before is forgotten, with one spoke or with all; then a sync links equal records and asks about
    the rest. History and deletions are kept.
    """
    from tallystick_cli import outcome, session
    from tallystick_sync.ledger.history import Stamp, forget
    from tallystick_sync.run import Options

    with session.working(config) as engine:
        session.names(engine, [spoke] if spoke else [])
        ledger, at, who = engine.ledger, engine.now(), session.actor(actor)
        with ledger.locked():
            if spoke:
                ledger.refuse_rolled_back()
            run = ledger.start_run("adopt", at)
            forget(ledger, Stamp(run, at, who.model_dump()), spoke or None, gated=bool(engine.gate_default))
            ledger.finish_run(run, at, {"command": "adopt"})
        raise typer.Exit(outcome.carry_out(engine, Options(), as_json=as_json))


def _options(engine: "Engine", spokes: list[str] | None, deletions: int, changes: int, **more: Any) -> "Options":
    from tallystick_cli import session
    from tallystick_sync.guards import Consent
    from tallystick_sync.run import Options

    return Options(consent=Consent(deletions, changes), only=session.names(engine, spokes or []), **more)

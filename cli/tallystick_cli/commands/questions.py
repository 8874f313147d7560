"""`status`, `conflicts`, `held` and `resolve`: what is open, and answering it."""

from typing import Annotated

import typer

from tallystick_cli.exits import Code
from tallystick_cli.options import ActorName, AsJson, ConfigFile, Strict

Record = Annotated[str, typer.Argument(metavar="ID", help="The record's id, or a unique beginning or end of it.")]
FieldName = Annotated[str, typer.Option("--field", metavar="FIELD", help="The field that is open.")]
Take = Annotated[str | None, typer.Option("--take", metavar="SPOKE", help="The spoke whose value it shall be, or hub.")]
Value = Annotated[str | None, typer.Option("--value", metavar="VALUE", help="Another value: JSON, or else a text.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally status --json")(status)
    app.command(epilog="Example: tally conflicts")(conflicts)
    app.command(epilog="Example: tally held")(held)
    app.command(epilog="Example: tally resolve TASK-1 --field priority --take board")(resolve)


def status(*, strict: Strict = False, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Tell where the project stands.

    From the ledger alone, so as of the last sync; tally plan looks at the spokes.
    """
    from tallystick_cli import overview, render, session
    from tallystick_cli.config import load

    with session.viewing(config) as engine:
        data = overview.standing(engine.ledger, [spoke.name for spoke in load(config).spokes])
    if as_json:
        render.document(data)
    else:
        render.lines(*overview.sentences(data))
        columns = ("name", "total", "error")
        rows = [["-" if item[name] is None else item[name] for name in columns] for item in data["spokes"]]
        render.table(("spoke", "records", "problem"), rows)
    if strict and not data["inStep"]:
        raise typer.Exit(Code.FINDINGS)


def conflicts(*, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the questions only a person can answer.

    Each with every value on offer; nothing else waits for them.
    """
    from tallystick_cli import account, render, session
    from tallystick_sync import summary

    with session.viewing(config) as engine:
        found = summary.conflicts(engine)
    if as_json:
        render.document({"conflicts": found})
    elif found:
        render.lines(*map(account.conflict_line, found), "answer with tally resolve ID --field FIELD --take SPOKE")
    else:
        render.lines("no conflicts")


def held(*, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List the moves that wait.

    For evidence, for an operator, for a dependency that does not exist: each with what is missing.
    """
    from tallystick_cli import account, render, session
    from tallystick_sync import summary

    with session.viewing(config) as engine:
        found = summary.held(engine)
    if as_json:
        render.document({"held": found})
    else:
        render.lines(*(map(account.held_line, found) if found else ["nothing is held"]))


def resolve(
    record: Record, *, field: FieldName, take: Take = None, value: Value = None, actor: ActorName = None,
    config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Answer an open question.

    By a spoke's value, by the hub's, or by another one; presence is answered with keep or delete. The next sync
    carries the answer to every spoke.
    """
    from tallystick_cli import account, hub, render, session
    from tallystick_contract.errors import Invalid
    from tallystick_sync import answers

    if (take is None) == (value is None):
        raise Invalid("an answer is either --take or --value", todo="say --take SPOKE, --take hub, or --value VALUE")
    with session.editing(config, actor, "resolve") as editor:
        key = hub.find_open(editor.ledger, record, field)
        chosen = None if value is None else hub.read_value(key.kind, field, value)
        answer = answers.resolve(editor, key, field, take=take, chosen=chosen)
    if as_json:
        render.document({"run": editor.run, "kind": key.kind, "id": key.id, "field": field, "value": answer})
    else:
        render.lines(f"{key.id}  {field}: {account.short(answer)}", account.LATER)

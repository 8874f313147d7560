"""`log`, `undo`, `restore` and `replay`: what happened, taking it back, and proving that the books are right."""

from typing import Annotated, Any

import typer

from tallystick_cli.exits import Code
from tallystick_cli.options import ActorName, AsJson, ConfigFile, TaskId

Task = Annotated[str | None, typer.Argument(metavar="[TASK]", help="Only this task and its evidence.")]
OfRun = Annotated[int | None, typer.Option("--run", metavar="N", help="Only this run.")]
Run = Annotated[int, typer.Argument(metavar="RUN", help="The run's number, as tally log shows it.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally log TASK-1")(log)
    app.command(epilog="Example: tally undo 12")(undo)
    app.command(epilog="Example: tally restore TASK-1")(restore)
    app.command(epilog="Example: tally replay")(replay)


def log(task: Task = None, *, run: OfRun = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Show what happened.

    The runs; or, of one task or one run, every change with who made it where, and every write to a spoke.
    """
    from tallystick_cli import hub, render, session, story

    with session.viewing(config) as engine:
        ledger = engine.ledger
        key = hub.find(ledger, task, deleted=None) if task else None
        some = task is not None or run is not None
        data: dict[str, Any] = {
            "runs": [item for item in story.runs(ledger) if run in (None, item["run"])],
            "journal": story.journal(ledger, key, run) if some else [],
            "writes": story.writes(ledger, key, run) if some else [],
        }
    if as_json:
        render.document(data)
    elif some:
        render.lines(*map(story.journal_line, data["journal"]), *map(story.write_line, data["writes"]))
    else:
        columns = ("run", "command", "started", "changes", "writes")
        rows = [[item[name] for name in columns] for item in data["runs"]]
        render.table(columns, rows)


def undo(run: Run, *, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Take back what a run changed.

    By new edits, which a sync then carries to every spoke. What was changed again since is left and named.
    """
    from tallystick_cli import outcome, render, session
    from tallystick_sync import answers
    from tallystick_sync.edits import Editor
    from tallystick_sync.run import Options

    with session.working(config) as engine:
        with Editor(engine.ledger, session.actor(actor), "undo", engine.now(), engine.gate_default) as editor:
            taken_back, left = answers.undo(editor, run)
        if not as_json:
            render.lines(f"taken back: {taken_back}", *(f"left  {reason}" for reason in left))
        more = {"undone": {"run": run, "takenBack": taken_back, "left": left}}
        code = outcome.carry_out(engine, Options(), as_json=as_json, more=more)
    raise typer.Exit(code or (Code.PARTIAL if left else Code.IN_STEP))


def restore(task: TaskId, *, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Bring a deleted task back.

    With the evidence and events that went with it; the next sync carries them to every spoke.
    """
    from tallystick_cli import account, hub, render, session

    with session.editing(config, actor, "restore") as editor:
        keys = editor.restore(hub.find(editor.ledger, task, deleted=True).id)
    restored = [{"kind": key.kind, "id": key.id} for key in keys]
    if as_json:
        render.document({"run": editor.run, "restored": restored})
    else:
        render.lines(*(f"restored {account.named(item)}" for item in restored), account.LATER)


def replay(*, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Rebuild everything from the journals and compare.

    The ledger's records, and those of every spoke that keeps a journal of its own.
    """
    from tallystick_cli import render, session
    from tallystick_cli.rebuilt import differences
    from tallystick_sync.ledger.history import replay_differences

    with session.viewing(config, spokes=True) as engine:
        spokes = {member.name: differences(member.adapter) for member in engine.members}
        found = {"ledger": replay_differences(engine.ledger), **{k: v for k, v in spokes.items() if v is not None}}
    if as_json:
        render.document({"differences": found})
    else:
        render.lines(*(f"{name}: {'; '.join(items) or 'equal'}" for name, items in found.items()))
    if any(found.values()):
        raise typer.Exit(Code.FINDINGS)

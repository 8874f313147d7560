"""`task`: the hub's tasks, shown and edited under the lifecycle and the gates."""

from typing import Annotated

import typer

from tallystick_cli.options import ActorName, AsJson, ConfigFile, TaskId

Status = Annotated[str | None, typer.Option("--status", help="Only tasks in this status.")]
Label = Annotated[str | None, typer.Option("--label", help="Only tasks with this label.")]
Owner = Annotated[str | None, typer.Option("--owner", help="Only tasks of this owner.")]
Archived = Annotated[bool, typer.Option("--archived", help="Archived tasks too.")]
Title = Annotated[str, typer.Argument(metavar="TITLE", help="One line that names the task.")]
Values = Annotated[list[str] | None, typer.Argument(metavar="[FIELD=VALUE]...", help="Fields by their wire names.")]
NewValues = Annotated[list[str], typer.Argument(metavar="FIELD=VALUE...", help="Fields by their wire names.")]
Event = Annotated[str, typer.Argument(metavar="EVENT", help="start, block, resume, shelve, complete, cancel, …")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why; reopen and rollback ask for it.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(help="Show and edit tasks.", rich_markup_mode=None)
    group.command("list", epilog="Example: tally task list --status blocked")(show_all)
    group.command(epilog="Example: tally task show TASK-1")(show)
    group.command(epilog='Example: tally task add "Repair the crane" priority=p1 labels=dock,urgent')(add)
    group.command("set", epilog="Example: tally task set TASK-1 priority=p1 owner=mika")(change)
    group.command(epilog="Example: tally task move TASK-1 complete")(move)
    app.add_typer(group, name="task")


def show_all(
    *, status: Status = None, label: Label = None, owner: Owner = None, archived: Archived = False,
    config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """List tasks.

    Those on the live board, by id, as the hub has them.
    """
    from tallystick_cli import hub, render, session
    from tallystick_contract.fields import value

    with session.viewing(config) as engine:
        tasks = hub.documents(engine.ledger, "task")
    wanted = {name: item for name, item in (("status", status), ("owner", owner)) if item is not None}
    chosen = [
        (ident, doc)
        for ident, doc in tasks
        if all(value("task", doc, name) == item for name, item in wanted.items())
        and (label is None or label in value("task", doc, "labels"))
        and (archived or not value("task", doc, "archived"))
    ]
    if as_json:
        render.document({"tasks": [hub.wire("task", ident, doc) for ident, doc in chosen]})
    else:
        columns = ("status", "priority", "owner")
        rows = [(i, *(value("task", doc, name) or "" for name in columns), hub.headline(doc)) for i, doc in chosen]
        render.table(("id", *columns, "task"), rows)


def show(task: TaskId, *, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Show one task.

    All its fields, and the evidence about it.
    """
    from tallystick_cli import account, hub, render, session

    with session.viewing(config) as engine:
        key = hub.find(engine.ledger, task)
        doc = hub.document(engine.ledger, key)
        evidence = hub.documents(engine.ledger, "evidence", about=key.id)
    proofs = [hub.wire("evidence", ident, item) for ident, item in evidence]
    if as_json:
        render.document({"task": hub.wire("task", key.id, doc), "evidence": proofs})
        return
    fields = [f"  {name}: {account.short(item, len(str(item)) + 2)}" for name, item in doc.items()]
    render.lines(key.id, *fields)
    render.lines(*(f"  evidence {it['id']}: {it['status']}  {account.short(it['summary'])}" for it in proofs))


def add(
    title: Title, values: Values = None, *, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Add a task.

    It starts planned, with an id of its own.
    """
    from ulid import ULID

    from tallystick_cli import account, hub, render, session
    from tallystick_contract.adapter import Key
    from tallystick_contract.errors import Invalid

    fields = hub.read_values("task", values or [])
    if "status" in fields:
        raise Invalid("a new task is planned", where="status", todo="move it with tally task move once it is there")
    with session.editing(config, actor, "task add") as editor:
        key = Key("task", f"T-{ULID()}")
        doc = editor.create(key, {"title": title, **fields})
    if as_json:
        render.document({"run": editor.run, "task": hub.wire("task", key.id, doc)})
    else:
        render.lines(f"added {key.id}", account.LATER)


def change(
    task: TaskId, values: NewValues, *, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Change fields of a task.

    A value is JSON where it is some, else a text; lists may be written with commas. Status goes through tally task
    move.
    """
    from tallystick_cli import account, hub, render, session

    fields = hub.read_values("task", values)
    with session.editing(config, actor, "task set") as editor:
        key = hub.find(editor.ledger, task)
        edits = editor.set_fields(key, fields)
    if as_json:
        changes = {edit.field: [edit.before, edit.after] for edit in edits}
        render.document({"run": editor.run, "id": key.id, "changes": changes})
    else:
        lines = [f"{key.id}  {e.field}: {account.short(e.before)} -> {account.short(e.after)}" for e in edits]
        render.lines(*lines, account.LATER if edits else f"{key.id} is so already")


def move(
    task: TaskId, event: Event, *, reason: Reason = None, actor: ActorName = None, config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Move a task through its lifecycle.

    start, block, resume, shelve, complete, cancel, reopen or rollback; a move its state or its gate does not allow is
    refused, and nothing changes.
    """
    from tallystick_cli import account, hub, render, session

    with session.editing(config, actor, "task move") as editor:
        key = hub.find(editor.ledger, task)
        before = hub.wire("task", key.id, editor.doc(key))["status"]
        doc = editor.move(key.id, event, reason)
    after = hub.wire("task", key.id, doc)["status"]
    if as_json:
        render.document({"run": editor.run, "id": key.id, "status": [before, after]})
    else:
        render.lines(f"{key.id}  status: {before} -> {after}", account.LATER)

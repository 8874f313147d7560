"""`event`, `evidence` and `deps`: what is recorded about tasks and between them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallystick_cli.options import ActorName, AsJson, ConfigFile, TaskId

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tallystick_contract.adapter import Key
    from tallystick_sync.edits import Editor
    from tallystick_sync.ledger import Ledger

    type Wanted = Callable[[Ledger, Key, str], tuple[list[str], list[str]]]

Kind = Annotated[str, typer.Option("--kind", help="note, progress, rationale, …; kinds of your own start with x-.")]
Text = Annotated[str, typer.Option("--text", help="What happened.")]
Status = Annotated[str, typer.Option("--status", help="passed, failed, partial or skipped.")]
Method = Annotated[str, typer.Option("--method", help="How it was checked: pytest, a command, inspection, …")]
Summary = Annotated[str, typer.Option("--summary", help="What was checked and what was found.")]
Artifacts = Annotated[list[str] | None, typer.Option("--artifact", help="A path or an address; repeatable.")]
Commit = Annotated[str | None, typer.Option("--commit", help="The commit it was checked on.")]
OneTask = Annotated[str | None, typer.Argument(metavar="[TASK]", help="Only evidence about this task.")]
Other = Annotated[str, typer.Argument(metavar="DEP", help="The task that must be completed first.")]
Write = Annotated[bool, typer.Option("--write", help="Do it; without this it is only tried.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    event = typer.Typer(help="Record what happened.", rich_markup_mode=None)
    event.command("add", epilog='Example: tally event add TASK-1 --kind progress --text "half done"')(add_event)
    evidence = typer.Typer(help="Record and show what was checked.", rich_markup_mode=None)
    evidence.command(
        "add", epilog='Example: tally evidence add TASK-1 --status passed --method pytest --summary "14 passed"'
    )(add_evidence)
    evidence.command("list", epilog="Example: tally evidence list TASK-1")(list_evidence)
    deps = typer.Typer(help="What must come first.", rich_markup_mode=None)
    deps.command("add", epilog="Example: tally deps add TASK-2 TASK-1 --write")(add_dependency)
    deps.command("remove", epilog="Example: tally deps remove TASK-2 TASK-1 --write")(remove_dependency)
    for name, group in (("event", event), ("evidence", evidence), ("deps", deps)):
        app.add_typer(group, name=name)


def add_event(
    task: TaskId, *, kind: Kind, text: Text, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Record something that happened to a task.

    Events are only ever added.
    """
    from tallystick_cli import hub, session

    with session.editing(config, actor, "event add") as editor:
        who = editor.actor.model_dump()
        about = hub.find(editor.ledger, task).id
        doc = {"taskId": about, "kind": kind, "atIso": editor.now, "actor": who, "payload": {"text": text}}
        made = _create(editor, "event", "E", doc)
    _tell(made, as_json=as_json)


def add_evidence(
    task: TaskId, *, status: Status, method: Method, summary: Summary, artifact: Artifacts = None,
    commit: Commit = None, actor: ActorName = None, config: ConfigFile = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Record the result of a check.

    Only passed evidence about this very task opens its gate.
    """
    from tallystick_cli import hub, session

    with session.editing(config, actor, "evidence add") as editor:
        doc = {
            "target": hub.find(editor.ledger, task).id, "status": status, "method": method, "summary": summary,
            "artifacts": artifact or [], "commit": commit, "timestamp": editor.now,
        }  # fmt: skip
        made = _create(editor, "evidence", "V", doc)
    _tell(made, as_json=as_json)


def list_evidence(task: OneTask = None, *, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """List evidence."""
    from tallystick_cli import hub, render, session

    with session.viewing(config) as engine:
        about = hub.find(engine.ledger, task).id if task else None
        found = [hub.wire("evidence", *item) for item in hub.documents(engine.ledger, "evidence", about)]
    if as_json:
        render.document({"evidence": found})
    else:
        columns = ("id", "target", "status", "methodClass", "timestamp", "summary")
        render.table(columns, [[item[name] or "" for name in columns] for item in found])


def add_dependency(
    task: TaskId, dep: Other, *, write: Write = False, actor: ActorName = None, config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Let a task wait for another.

    Refused for an unknown id, for a circle, and for free work that would wait for work behind an operator's gate.
    """
    from tallystick_cli import dependency

    _depend(dependency.added, task, dep, write=write, actor=actor, config=config, as_json=as_json)


def remove_dependency(
    task: TaskId, dep: Other, *, write: Write = False, actor: ActorName = None, config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Let a task wait for another no longer."""
    from tallystick_cli import dependency

    _depend(dependency.removed, task, dep, write=write, actor=actor, config=config, as_json=as_json)


def _depend(
    wanted: "Wanted", task: str, dep: str, *, write: bool, actor: str | None, config: "Path | None", as_json: bool
) -> None:
    from tallystick_cli import account, hub, render, session

    with session.viewing(config) as engine:
        key = hub.find(engine.ledger, task)
        before, after = wanted(engine.ledger, key, dep)
    if write and before != after:
        with session.editing(config, actor, "deps") as editor:
            before, after = wanted(editor.ledger, key, dep)
            editor.set_fields(key, {"dependsOn": after})
    if as_json:
        render.document({"id": key.id, "dependsOn": [before, after], "written": write and before != after})
        return
    last = account.LATER if write else "only tried; --write does it"
    lines = [f"{key.id}  dependsOn: {account.short(before)} -> {account.short(after)}", last]
    render.lines(*(lines if before != after else [f"{key.id} is so already"]))


def _create(editor: "Editor", kind: str, letter: str, doc: dict[str, Any]) -> dict[str, Any]:
    from ulid import ULID

    from tallystick_cli import hub
    from tallystick_contract.adapter import Key

    key = Key(kind, f"{letter}-{ULID()}")
    return {"run": editor.run, kind: hub.wire(kind, key.id, editor.create(key, doc))}


def _tell(made: dict[str, Any], *, as_json: bool) -> None:
    from tallystick_cli import account, render

    if as_json:
        render.document(made)
    else:
        record = made.get("event") or made["evidence"]
        render.lines(f"added {record['id']}", account.LATER)

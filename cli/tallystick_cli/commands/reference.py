"""`adapters`, `map` and `schema`: what this installation can hold, and in which words."""

from typing import Annotated, Any

import typer

from tallystick_cli.options import AsJson

Kind = Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only this record kind, such as task.")]
Version = Annotated[str | None, typer.Argument(metavar="[VERSION]", help="Contract version [default: the newest].")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally adapters --json")(adapters)
    app.command("map", epilog="Example: tally map > map.md")(field_map)
    app.command(epilog="Example: tally schema 1.1 --kind task")(schema)


def adapters(*, as_json: AsJson = False) -> None:
    """List the installed adapters.

    Their names are what a configuration writes as type.
    """
    from tallystick_adapters import registry
    from tallystick_cli import render

    found = [_described(name) for name in registry.names()]
    if as_json:
        render.document({"adapters": found})
    else:
        rows = [(item["type"], item["provider"], item["problem"] or "ready") for item in found]
        render.table(("type", "provided by", "state"), rows)


def field_map(*, as_json: AsJson = False) -> None:
    """Show where each adapter keeps each field.

    Prints Markdown, or JSON: the place of every field of every record kind, and how well it is held.
    """
    from tallystick_cli import mapping, render

    tables = mapping.declared()
    if as_json:
        render.document({"map": tables})
    else:
        render.say(mapping.as_markdown(tables))


def schema(version: Version = None, *, kind: Kind = None, as_json: AsJson = False) -> None:
    """Print the contract's JSON Schemas.

    Without arguments: which versions and record kinds there are.
    """
    from tallystick_cli import render, schemas

    if version is None and kind is None:
        available = schemas.available()
        if as_json:
            render.document({"versions": available})
        else:
            render.table(("version", "kinds"), [(name, ", ".join(kinds)) for name, kinds in available.items()])
    elif kind is None:
        render.document(schemas.of_version(version))
    else:
        render.document(schemas.of_kind(version, kind))


def _described(name: str) -> dict[str, Any]:
    from tallystick_adapters import registry
    from tallystick_contract.errors import Invalid

    try:
        registry.factory(name)
        problem = None
    except Invalid as error:
        problem = str(error)
    return {"type": name, "provider": _provider(name), "problem": problem}


def _provider(name: str) -> str:
    from tallystick_adapters import registry
    from tallystick_contract.errors import Invalid

    try:
        return registry.provider(name)
    except Invalid as error:
        return error.what

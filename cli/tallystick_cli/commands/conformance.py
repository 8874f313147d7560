"""`conformance`: whether an adapter keeps to the contract, told by the kit."""

from pathlib import Path
from typing import Annotated

import typer

from tallystick_cli.exits import Code
from tallystick_cli.options import AsJson

Target = Annotated[str, typer.Argument(metavar="MODULE:NAME", help="An AdapterSuite, or the factory of an adapter.")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting for a factory; repeat for more.")
]
Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report as well.")]
Markdown = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write the card as Markdown, for a README.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command of this group."""
    app.command(epilog="Example: tally conformance test_hello:TestHello --markdown card.md")(conformance)


def conformance(
    target: Target,
    *,
    settings: Settings = None,
    junit: Junit = None,
    markdown: Markdown = None,
    as_json: AsJson = False,
) -> None:
    """Examine an adapter with the conformance kit.

    Runs every check in a pytest of its own and prints the report card. A suite brings fixtures that look behind the
    adapter's back; a bare factory is planted and read through itself, which is weaker. Exit 0: conformant, 5: not.
    """
    from tallystick_cli import kit, render
    from tallystick_contract.errors import Invalid

    given = [setting.partition("=") for setting in settings or ()]
    for key, sign, text in given:
        if not key or not sign:
            raise Invalid(f"--set {key}{sign}{text} is no setting", todo="write KEY=VALUE")
    chosen = {key: text for key, _, text in given}
    card = kit.examine(target, chosen, junit=junit, markdown=markdown, quiet=as_json)
    if as_json:
        render.document(card)
    if not card["conformant"]:
        raise typer.Exit(Code.FINDINGS)

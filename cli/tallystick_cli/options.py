"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="The configuration [default: tallystick.toml here or above]."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 5 when there is anything for a person to look at.")]
ActorName = Annotated[
    str | None,
    typer.Option("--actor", metavar="TYPE:NAME", help="Who does it [default: TALLYSTICK_ACTOR, or operator:USER]."),
]
TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Its id, or a unique beginning or end of it.")]

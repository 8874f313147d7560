"""A project opened for one command: configuration, ledger and spokes, all closed again at its end."""

import getpass
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tallystick_cli.config import Config, build, load
from tallystick_contract.errors import Invalid
from tallystick_contract.models import Actor
from tallystick_sync.edits import Editor
from tallystick_sync.ledger import Ledger
from tallystick_sync.survey import Engine, Member

ACTOR_VARIABLE = "TALLYSTICK_ACTOR"


@contextmanager
def working(file: Path | None, *, spokes: bool = True) -> Iterator[Engine]:
    """Open the project to change something; a ledger that is not there yet is created."""
    config = load(file)
    with ExitStack() as stack:
        members = _members(config, stack) if spokes else []
        yield _engine(config, config.ledger_path, members, stack)


@contextmanager
def viewing(file: Path | None, *, spokes: bool = False) -> Iterator[Engine]:
    """Open the project to look at it; where there is no ledger yet, an empty one that leaves no trace stands in."""
    config = load(file)
    with ExitStack() as stack:
        members = _members(config, stack) if spokes else []
        path = config.ledger_path
        if not path.exists():
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / path.name
        yield _engine(config, path, members, stack)


def _members(config: Config, stack: ExitStack) -> list[Member]:
    members = [Member(name, adapter, writable) for name, adapter, writable in build(config)]
    for member in members:
        stack.callback(member.adapter.close)
    return members


def _engine(config: Config, path: Path, members: list[Member], stack: ExitStack) -> Engine:
    ledger = Ledger.open(path, durable=config.durable)
    stack.callback(ledger.close)
    return Engine(ledger, members, now, config.policy, config.gates_default)


def now() -> str:
    """Return this UTC instant, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def actor(text: str | None) -> Actor:
    """Return who is behind a command: as given, from the environment, or the operator by user name."""
    named = text or os.environ.get(ACTOR_VARIABLE)
    return Actor.named(named) if named else Actor(type="operator", id=_user())


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise Invalid("this user has no name", todo=f"say --actor operator:NAME, or set {ACTOR_VARIABLE}") from error


def names(engine: Engine, chosen: list[str]) -> frozenset[str]:
    """Return the chosen spokes' names. Raises `Invalid` for one that is not configured."""
    known = [member.name for member in engine.members]
    for name in chosen:
        if name not in known:
            raise Invalid(f"there is no spoke {name!r}", todo=f"configured: {', '.join(known)}")
    return frozenset(chosen)


@contextmanager
def editing(file: Path | None, who: str | None, command: str) -> Iterator[Editor]:
    """Open the hub for the edits of one command, all of which are kept or none."""
    with (
        working(file, spokes=False) as engine,
        Editor(engine.ledger, actor(who), command, engine.now(), engine.gate_default) as editor,
    ):
        yield editor

"""The project's configuration, `tallystick.toml`: found, checked against what is allowed, and turned into spokes."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallystick_adapters import registry
from tallystick_cli.settings_rules import Checker
from tallystick_cli.toml_lines import KeyPath, key_lines, line_of
from tallystick_contract.errors import Invalid
from tallystick_sync.policy import Policy

if TYPE_CHECKING:
    from tallystick_contract.adapter import Adapter

FILE_NAME = "tallystick.toml"
LOCAL_TYPES = frozenset({"markdown", "project-json", "sqlite"})
"""Types that are written to unless told otherwise; every other spoke is read-only until `write = true` (L-10)."""


@dataclass(frozen=True, slots=True)
class SpokeConfig:
    """One configured spoke. `settings` are the adapter's own, secrets still as `{env = NAME}`."""

    name: str
    type: str
    settings: Mapping[str, Any]
    write: bool


@dataclass(frozen=True, slots=True)
class Config:
    """A checked configuration. Paths of spokes are relative to `root`, the folder of the file."""

    project: str
    file: Path
    root: Path
    ledger_path: Path
    spokes: tuple[SpokeConfig, ...]
    policy: Policy
    gates_default: tuple[str, ...]
    durable: bool
    lines: Mapping[KeyPath, int]

    def where(self, *path: str) -> str:
        """Return `file:line` of a key, or of the table it would stand in."""
        return f"{self.file}:{line_of(self.lines, path)}"


def find(start: Path) -> Path:
    """Return the configuration file of `start` or of the nearest folder above it. Raises `Invalid`."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    advice = "write one with `tally init`, or name it with --config"
    raise Invalid(f"no {FILE_NAME} here or in a folder above", where=str(start), todo=advice)


def load(file: Path | None = None) -> Config:
    """Read and check a configuration file, or the one `find` finds. Raises `Invalid` with file and line."""
    path = file.absolute() if file else find(Path.cwd())
    text = _read(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(path, text, str(error)) from error
    lines = key_lines(text)
    checker = Checker(str(path), lines)
    checker.table(data, (), required=("project", "spokes"), optional=("policy", "gates", "ledger"))
    root = path.parent
    ledger = checker.table(data.get("ledger", {}), ("ledger",), optional=("path", "durability"))
    durability = checker.one_of(
        ledger.get("durability", "file"), ("file", "power"), ("ledger", "durability"), "a durability"
    )
    config = Config(
        project=checker.project(data["project"]),
        file=path,
        root=root,
        ledger_path=root / checker.text(ledger.get("path", ".tallystick/ledger.db"), ("ledger", "path")),
        spokes=_spokes(checker, data["spokes"]),
        policy=_policy(checker, data.get("policy", {}), frozenset(data["spokes"])),
        gates_default=checker.gates(data.get("gates", {})),
        durable=durability == "power",
        lines=lines,
    )
    _refuse_shared_paths(config)
    return config


def build(config: Config) -> list[tuple[str, "Adapter", bool]]:
    """Return name, adapter and whether it may be written, for each spoke in the file's order.

    Raises `Invalid` with file and line: an unknown type, a setting the adapter refuses, a secret that is not set.
    """
    built: list[tuple[str, Adapter, bool]] = []
    for spoke in config.spokes:
        settings = {key: _resolved(config, spoke.name, key, value) for key, value in spoke.settings.items()}
        try:
            adapter = registry.factory(spoke.type)(spoke.name, settings, str(config.root))
        except Invalid as error:
            raise _placed(config, spoke, error) from error
        built.append((spoke.name, adapter, spoke.write and adapter.capabilities().writable))
    return built


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Invalid(
            f"cannot be read: {error.strerror}", where=str(path), todo="name the file with --config"
        ) from error
    except UnicodeDecodeError as error:
        raise Invalid("is not UTF-8 text", where=str(path), todo="save it as UTF-8") from error


def _syntax_error(path: Path, text: str, message: str) -> Invalid:
    sentence, _, place = message.partition(" (at line ")
    line = place.split(",")[0] if place else str(text.count("\n") + 1)
    return Invalid(f"is not TOML: {sentence}", where=f"{path}:{line}", todo="correct the line")


def _spokes(checker: Checker, data: Any) -> tuple[SpokeConfig, ...]:
    spokes = []
    for name, raw in checker.tables(data, ("spokes",)).items():
        path = ("spokes", name)
        checker.spoke_name(name, path)
        type_name = checker.text(checker.member(raw, "type", path), (*path, "type"))
        checker.known_type(type_name, (*path, "type"))
        settings = {key: value for key, value in raw.items() if key not in {"type", "write"}}
        checker.secrets(settings, path)
        write = checker.flag(raw.get("write", type_name in LOCAL_TYPES), (*path, "write"))
        spokes.append(SpokeConfig(name, type_name, settings, write))
    return tuple(spokes)


def _policy(checker: Checker, data: Any, spokes: frozenset[str]) -> Policy:
    policy = checker.table(data, ("policy",), optional=("preset", "authority", "fields"))
    authority = policy.get("authority")
    preset = checker.preset(policy.get("preset", "team"))
    if preset != "team" and authority is None:
        checker.refuse(f"the preset {preset!r} needs an authority", ("policy", "preset"), "add policy.authority")
    return Policy(
        preset=preset,
        authority=None if authority is None else checker.one_of(authority, spokes, ("policy", "authority"), "a spoke"),
        fields=checker.field_rules(policy.get("fields", {}), spokes, named_authority=authority is not None),
    )


def _refuse_shared_paths(config: Config) -> None:
    """Two spokes on one place would each take the other's writes for a person's edits."""
    taken = {os.path.realpath(config.ledger_path): "the ledger"}
    for spoke in config.spokes:
        path = spoke.settings.get("path")
        if isinstance(path, str):
            real = os.path.realpath(config.root / path)
            if real in taken:
                raise Invalid(
                    f"{spoke.name} and {taken[real]} use the same path {path!r}",
                    where=config.where("spokes", spoke.name, "path"), todo="give each its own",
                )  # fmt: skip
            taken[real] = spoke.name


def _resolved(config: Config, spoke: str, key: str, value: Any) -> Any:
    if not (isinstance(value, dict) and set(value) == {"env"}):
        return value
    variable = value["env"]
    if os.environ.get(variable):
        return os.environ[variable]
    what = f"the environment variable {variable} is not set, or empty"
    raise Invalid(
        what, where=config.where("spokes", spoke, key), todo=f"export {variable}, or change the {key} of {spoke}"
    )


def _placed(config: Config, spoke: SpokeConfig, error: Invalid) -> Invalid:
    """Say where in the file a setting stands that an adapter refused: at the key its message names, if any."""
    named = next((key for key in spoke.settings if key in error.what.replace("'", " ").split()), "type")
    return Invalid(f"{spoke.name}: {error.what}", where=config.where("spokes", spoke.name, named), todo=error.todo)

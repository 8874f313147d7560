"""The contract's committed JSON Schemas, as they were installed."""

import difflib
import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from tallystick_contract.errors import Invalid

_FOLDER = files("tallystick_contract") / "schemas"


def available() -> dict[str, list[str]]:
    """Return the record kinds that have a schema, by contract version, oldest first."""
    if not _FOLDER.is_dir():
        raise Invalid("this installation carries no schemas", where=str(_FOLDER), todo="reinstall tallystick")
    versions = sorted(item.name for item in _FOLDER.iterdir() if item.is_dir() and item.name[0].isdigit())
    return {version: _kinds(version) for version in versions}


def of_version(version: str | None) -> dict[str, Any]:
    """Return all schemas of one version (None: the newest) by record kind. Raises `Invalid`."""
    chosen = _known(version)
    return {kind: _schema(chosen, kind) for kind in _kinds(chosen)}


def of_kind(version: str | None, kind: str) -> dict[str, Any]:
    """Return one schema. Raises `Invalid` naming the versions or kinds there are."""
    chosen = _known(version)
    kinds = _kinds(chosen)
    if kind not in kinds:
        raise Invalid(f"version {chosen} has no record kind {kind!r}", todo=_suggestion(kind, kinds))
    return _schema(chosen, kind)


def _known(version: str | None) -> str:
    versions = list(available())
    if version is None:
        return versions[-1]
    if version not in versions:
        raise Invalid(f"there is no contract version {version!r}", todo=f"known: {', '.join(versions)}")
    return version


def _kinds(version: str) -> list[str]:
    names = (item.name for item in (_FOLDER / version).iterdir())
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def _schema(version: str, kind: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_FOLDER / version / f"{kind}.json").read_text(encoding="utf-8"))
    return schema


def _suggestion(word: str, choices: Iterable[str]) -> str:
    known = list(choices)
    near = difflib.get_close_matches(word, known, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"known: {', '.join(known)}"

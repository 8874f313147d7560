"""Spokes by name: every installed adapter, ours and a stranger's, comes through the same entry-point door."""

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, cast

from tallystick_contract.adapter import Adapter, AdapterFactory
from tallystick_contract.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "tallystick.adapters"
"""The entry-point group. An entry's name is the `type` that a configuration writes."""


def names() -> list[str]:
    """Return the type names of all installed adapters, sorted; nothing of them is imported."""
    return sorted(entry_points(group=GROUP).names)


def provider(type_name: str) -> str:
    """Return the distribution that registers `type_name`, as `name version`. Raises `Invalid`."""
    owner = _entry(type_name).dist
    return f"{owner.name} {owner.version}" if owner else "unknown"


def factory(type_name: str) -> AdapterFactory:
    """Import and return the factory of one adapter.

    Raises `Invalid`: the type is unknown (the known ones are named), claimed twice, or cannot be imported (what to
    install is named).
    """
    entry = _entry(type_name)
    try:
        return cast("AdapterFactory", entry.load())
    except ModuleNotFoundError as error:
        raise _incomplete(entry, error.name or str(error)) from error
    except Exception as error:
        broken = f"the adapter {type_name!r} cannot be imported: {type(error).__name__}: {error}"
        raise Invalid(broken, where=entry.value, todo=f"reinstall or update {_owner(entry)}") from error


def sample(type_name: str, root: str) -> Adapter:
    """Build an adapter only to ask for its capabilities; it is never pulled nor pushed. Raises `Invalid`.

    The settings are the factory's own attribute `example`, where it has one; else a single `path` below `root`.
    """
    build = factory(type_name)
    settings: Mapping[str, Any] = getattr(build, "example", {"path": "example"})
    return build(type_name, settings, root)


def _entry(type_name: str) -> EntryPoint:
    found = {entry.value: entry for entry in entry_points(group=GROUP, name=type_name)}
    if not found:
        known = ", ".join(names()) or "none"
        raise Invalid(f"no adapter of type {type_name!r} is installed", todo=f"installed types: {known}")
    if len(found) > 1:
        owners = " and ".join(sorted(_owner(entry) for entry in found.values()))
        raise Invalid(f"the type {type_name!r} is claimed by {owners}", todo="uninstall all but one of them")
    return next(iter(found.values()))


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module


def _incomplete(entry: EntryPoint, module: str) -> Invalid:
    """Tell apart a dependency that was not asked for and an adapter whose own files are missing."""
    if module.partition(".")[0] == entry.module.partition(".")[0]:
        what = f"the adapter {entry.name!r} is registered, but its module {module} is not there"
        return Invalid(what, where=entry.value, todo=f"reinstall {_owner(entry)}")
    wanted = f"tallystick[{entry.name}]" if _owner(entry) == "tallystick" else f"what {_owner(entry)} asks for"
    return Invalid(f"the adapter {entry.name!r} needs {module}, which is missing", todo=f"install {wanted}")

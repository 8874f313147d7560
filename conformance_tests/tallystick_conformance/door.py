"""The door from outside: what a command line names as `module:Name` becomes a suite that pytest can collect."""

import importlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from tallystick_conformance.bench import Build, Peek, Plant
from tallystick_conformance.suite import AdapterSuite
from tallystick_contract.adapter import Adapter, AdapterFactory, Change, Key
from tallystick_contract.canonical import Doc
from tallystick_contract.fields import FIELDS, value

WEAKER = (
    "plant and peek went through the adapter itself, so what it gets wrong both ways was not seen: "
    "write a suite with fixtures of your own"
)
"""What the card says of a bare adapter factory."""


def suite(target: str, settings: Mapping[str, str]) -> type[AdapterSuite]:
    """Return the suite `module:Name` names, or one around the adapter factory it names.

    Raises `pytest.Collector.CollectError` with a sentence a person can act on.
    """
    module, _, name = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except AttributeError as error:
        raise pytest.Collector.CollectError(f"{module} has no {name!r}") from error
    except Exception as error:
        what = f"{module} cannot be imported: {type(error).__name__}: {error}"
        raise pytest.Collector.CollectError(what) from error
    if isinstance(found, type) and issubclass(found, AdapterSuite):
        return found
    if not callable(found):
        raise pytest.Collector.CollectError(f"{target} is neither an AdapterSuite nor the factory of an adapter")
    return _around(cast("AdapterFactory", found), settings)


def _around(factory: AdapterFactory, settings: Mapping[str, str]) -> type[AdapterSuite]:
    """Return a suite that plants and peeks with second instances of the adapter under test."""
    given: Mapping[str, Any] = {**getattr(factory, "example", {"path": "example"}), **settings}
    _try(factory, given)

    class Bare(AdapterSuite):
        """The suite of an adapter that came without fixtures."""

        weakness = WEAKER

        @pytest.fixture
        def adapter(self, tmp_path: Path) -> Build:
            """Build it with the settings of the command line, in a folder of its own."""
            return lambda: factory("spoke", given, str(tmp_path))

        @pytest.fixture
        def plant(self, adapter: Build) -> Plant:
            """Write with another instance."""
            return lambda key, doc: _write(adapter(), key, doc)

        @pytest.fixture
        def peek(self, adapter: Build) -> Peek:
            """Read with another instance."""
            return lambda: [(seen.key, seen.image) for seen in adapter().pull({}, full=True).observed]

    return Bare


def _try(factory: AdapterFactory, settings: Mapping[str, Any]) -> None:
    """Build an adapter once, so that a factory that cannot is told once and not by every check."""
    try:
        with tempfile.TemporaryDirectory() as root:
            adapter = factory("spoke", settings, root)
            adapter.capabilities()
            adapter.close()
    except Exception as error:
        what = f"no adapter could be built with {dict(settings)}: {type(error).__name__}: {error}"
        raise pytest.Collector.CollectError(what) from error


def _write(adapter: Adapter, key: Key, doc: Doc | None) -> None:
    """Make a record show a document, or take it away, with the adapter's own means."""
    there = {seen.key: seen for seen in adapter.pull({}, full=True).observed}.get(key)
    image = adapter.image(key, doc or {})
    if there is None:
        change = Change("create", key, None, image, image)
    elif doc is None:
        change = Change("delete", key, there.revision, {}, {}, there.native)
    else:
        fields = {name: value(key.kind, image, name) for name in FIELDS[key.kind] if name in {*image, *there.image}}
        change = Change("update", key, there.revision, fields, image, there.native)
    (outcome,) = adapter.push([change])
    adapter.close()
    if outcome.error is not None:
        raise outcome.error

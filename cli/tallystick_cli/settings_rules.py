"""What each key of the configuration may hold; every refusal names file, line and what is allowed."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Never, cast

from tallystick_adapters import registry
from tallystick_cli.toml_lines import KeyPath, line_of
from tallystick_contract.errors import Invalid
from tallystick_contract.fields import TASK, Merge
from tallystick_sync.policy import HUB, PRESETS

GATES = ("noAutoClose", "requiresVerification", "requiresOperatorApproval")
FIELD_RULES = ("ask", "authority", "latest")

_SPOKE_NAME = re.compile(r"[a-z][a-z0-9-]*")
_SECRET_NAME = re.compile(r"(.*[-_])?(token|password|passphrase|secret|api[-_]?key)")
_KINDS = {str: "a text", bool: "true or false", dict: "a table", list: "a list", int: "a whole number"}


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks values of one file; `lines` says where its keys stand."""

    file: str
    lines: Mapping[KeyPath, int]

    def refuse(self, what: str, path: KeyPath, todo: str) -> Never:
        """Raise `Invalid` at the line of a key."""
        raise Invalid(what, where=f"{self.file}:{line_of(self.lines, path)}", todo=todo)

    def table(
        self, data: Any, path: KeyPath, *, required: Iterable[str] = (), optional: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Return a table that has the required keys and none beyond the optional ones."""
        table: dict[str, Any] = self._typed(data, dict, path)
        allowed = (*required, *optional)
        for key in table:
            if key not in allowed:
                self.refuse(f"{_dotted((*path, key))} is not a key here", (*path, key), _suggest(key, allowed))
        for key in required:
            self.member(table, key, path)
        return table

    def tables(self, data: Any, path: KeyPath) -> dict[str, dict[str, Any]]:
        """Return a table that holds at least one table and nothing else."""
        outer = self._typed(data, dict, path)
        if not outer:
            self.refuse("no spoke is configured", path, "add [spokes.NAME] with a type")
        return {name: self._typed(inner, dict, (*path, name)) for name, inner in outer.items()}

    def member(self, table: Mapping[str, Any], key: str, path: KeyPath) -> Any:
        """Return a member that must be there."""
        if key not in table:
            self.refuse(f"{_dotted((*path, key))} is missing", path, f"add it: {_example(path, key)}")
        return table[key]

    def text(self, data: Any, path: KeyPath) -> str:
        """Return a text that is not blank."""
        text = self._typed(data, str, path)
        if not text.strip():
            self.refuse(f"{_dotted(path)} is empty", path, "write a text, or leave the key out")
        return cast("str", text)

    def flag(self, data: Any, path: KeyPath) -> bool:
        """Return true or false."""
        return cast("bool", self._typed(data, bool, path))

    def one_of(self, data: Any, allowed: Iterable[str], path: KeyPath, noun: str) -> str:
        """Return a text that is one of the allowed ones."""
        text = self.text(data, path)
        choices = sorted(allowed)
        if text not in choices:
            self.refuse(f"{_dotted(path)} is {text!r}, which is not {noun}", path, _suggest(text, choices))
        return text

    def project(self, data: Any) -> str:
        """Return the project's id."""
        return self.text(self.table(data, ("project",), required=("id",))["id"], ("project", "id"))

    def preset(self, data: Any) -> str:
        """Return the name of a preset."""
        return self.one_of(data, PRESETS, ("policy", "preset"), "a preset")

    def gates(self, data: Any) -> tuple[str, ...]:
        """Return the gate flags for tasks that carry none."""
        table = self.table(data, ("gates",), optional=("default",))
        path = ("gates", "default")
        flags = self._typed(table.get("default", []), list, path)
        return tuple(self.one_of(flag, GATES, path, "a gate") for flag in flags)

    def spoke_name(self, name: str, path: KeyPath) -> None:
        """Refuse a spoke's name that could not stand in ids, file names and messages."""
        if name == HUB or not _SPOKE_NAME.fullmatch(name):
            self.refuse(f"{name!r} is not a spoke's name", path, "use a-z, 0-9 and -, a letter first, such as board")

    def known_type(self, type_name: str, path: KeyPath) -> None:
        """Refuse a type that no installed adapter registers."""
        self.one_of(type_name, registry.names(), path, "the type of an installed adapter")

    def field_rules(self, data: Any, spokes: Iterable[str], *, named_authority: bool) -> dict[str, str]:
        """Return field names with their rules: ask, authority, latest or prefer:SPOKE."""
        table: dict[str, str] = self._typed(data, dict, ("policy", "fields"))
        names = [name for name, item in TASK.items() if item.merge is not Merge.DERIVED]
        rules = (*FIELD_RULES, *(f"prefer:{spoke}" for spoke in spokes))
        for name, rule in table.items():
            path = ("policy", "fields", name)
            self.one_of(name, names, path, "a field of a task")
            self.one_of(rule, rules, path, "a rule")
            if rule == "authority" and not named_authority:
                self.refuse(f"{_dotted(path)} asks for an authority and none is named", path, "add policy.authority")
        return table

    def secrets(self, settings: Mapping[str, Any], path: KeyPath) -> None:
        """Refuse a secret that stands in the file, without repeating it, and a reference that is not well formed."""
        for key, value in settings.items():
            if isinstance(value, dict) and "env" in value:
                table = self.table(value, (*path, key), required=("env",))
                self.text(table["env"], (*path, key, "env"))
            elif _SECRET_NAME.fullmatch(key):
                self.refuse(
                    f"{_dotted((*path, key))} is a secret and must not stand in this file", (*path, key),
                    f'name the environment variable that holds it: {key} = {{ env = "NAME" }}',
                )  # fmt: skip

    def _typed(self, data: Any, kind: type, path: KeyPath) -> Any:
        if not isinstance(data, kind):
            found = _KINDS.get(type(data), "something else")
            self.refuse(f"{_dotted(path)} must be {_KINDS[kind]}, and is {found}", path, "correct the line")
        return data


def _dotted(path: KeyPath) -> str:
    return ".".join(path)


def _suggest(word: str, allowed: Iterable[str]) -> str:
    choices = list(allowed)
    near = difflib.get_close_matches(word, choices, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}allowed: {', '.join(choices)}"


def _example(path: KeyPath, key: str) -> str:
    return f"[{key}]" if not path else f'{key} = "…" in [{_dotted(path)}]'

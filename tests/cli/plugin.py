"""A stranger's adapter package, written to a folder and found there as an installed one would be."""

from pathlib import Path

import pytest

ADAPTER = """
from tallystick_contract.adapter import Finding, Health, Key, Observed, Pull, Quarantined
from tallystick_contract.capabilities import Capabilities, Fidelity, Mapped
from tallystick_contract.errors import Broken, Invalid

FIELDS = {"task": {"title": Mapped(Fidelity.NATIVE, "the | label"), "notes": Mapped(Fidelity.UNSUPPORTED, "")}}


class Hello:
    def __init__(self, name, settings, root):
        unknown = sorted(set(settings) - {"path", "token", "mood"})
        if unknown:
            raise Invalid(f"{unknown[0]} is not a setting", todo="allowed: mood, path, token")
        self.settings = settings

    def capabilities(self):
        return Capabilities(fields=FIELDS, writable=self.settings.get("mood") != "shy")

    def check(self):
        return Health(self.settings.get("mood") != "absent", ["says hello"])

    def pull(self, state, *, full=False):
        if self.settings.get("mood") == "absent":
            raise Broken("nobody is there", where="hello:1", todo="wait")
        if self.settings.get("mood") == "buggy":
            raise ZeroDivisionError("oh")
        if self.settings.get("mood") == "damaged":
            return Pull(total=1, quarantined=[Quarantined("a:3", "bad")])
        if self.settings.get("mood") == "untidy":
            findings = [Finding("D-02", "odd status", "a:1"), Finding("D-02", "odd status", "a:2")]
            bad = Quarantined("a:3", "bad\\x1b[31m")
            return Pull(total=2, findings=findings, quarantined=[bad], counts={"live": 2})
        return Pull(total=1, observed=[Observed(Key("task", "a"), "a", "1", {"title": "Hi"})], counts={"live": 1})

    def close(self):
        pass
"""


def install(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    type_name: str = "hello",
    module: str = "hello_adapter",
    source: str | None = ADAPTER,
) -> None:
    """Put a distribution that registers one adapter on the path; with `source` None, its module is missing."""
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[tallystick.adapters]\n{type_name} = {module}:Hello\n")
    if source is not None:
        folder.joinpath(f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))

"""The hello adapter with one line of it written as strangers write it, and the check that is meant to find it."""

from types import ModuleType
from typing import Final, NamedTuple

from tests.e2e.project import ROOT

SOURCE: Final = ROOT / "examples" / "hello_adapter" / "hello_adapter.py"


class Slip(NamedTuple):
    """One slip: the text it replaces, which stands in the adapter exactly once, and what stands there then."""

    right: str
    wrong: str

    def module(self, name: str) -> ModuleType:
        """Return the adapter's module with the slip in it. Raises `LookupError` if it does not apply any more."""
        text = SOURCE.read_text(encoding="utf-8")
        if text.count(self.right) != 1:
            raise LookupError(f"{name}: {self.right!r} stands {text.count(self.right)} times in {SOURCE.name}")
        module = ModuleType(f"hello_{name}")
        exec(compile(text.replace(self.right, self.wrong), name, "exec"), vars(module))  # noqa: S102 -- our own text
        return module


SLIPS: Final = {
    "SplitsAtEveryLineEnd": Slip('.split("\\n"), 1)', ".splitlines(), 1)"),
    "WritesAscii": Slip('.encode("utf-8", "surrogateescape")', '.encode("ascii", "replace")'),
    "FoldsCase": Slip('key = Key("task", str(members["id"]))', 'key = Key("task", str(members["id"]).lower())'),
    "SortsSets": Slip("sorted(item, key=order.index)", "sorted(item)"),
    "CallsItselfStale": Slip("seen.image == change.image", "not change.image"),
    "ListsOnlyWhatIsNew": Slip("known.get(line.key.id) != line.revision", "line.key.id not in known"),
    "TellsNobodyGone": Slip("in known.keys() - self._known", "in ()"),
    "KeepsDeletedLinesInMind": Slip("if revision is not None}", 'or ""}'),
    "HasOneRevision": Slip("digest(canonical_json(members))", "digest(where)"),
    "ShowsTheRawText": Slip("name: normalise(item) for", "name: item for"),
    "TellsNobodyWhere": Slip('Stale("the line is not what it was", key.id)', 'Stale("")'),
}  # fmt: skip
"""The slips by name."""

"""A mutant: one small fault, put into one file of the product."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]


class Misfit(Exception):
    """The text a mutant replaces is not in its file exactly once: the engine has moved on, the mutant must follow."""


@dataclass(frozen=True)
class Mutant:
    """`story` says what the faulty engine does; `old` stands in `file` exactly once and becomes `new`.

    `first` names the judge who is likely to notice, where that is not the quickest; the others are asked all the same.
    """

    name: str
    file: str
    story: str
    old: str
    new: str
    first: str = ""

    @property
    def package(self) -> Path:
        """Return the folder of the package the file belongs to, seen from the root."""
        return Path(*Path(self.file).parts[:2])

    def applied(self) -> str:
        """Return the text of the faulty file. Raises `Misfit`."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        if (times := text.count(self.old)) != 1:
            raise Misfit(f"{self.name}: its text is {times} times in {self.file}, not once:\n{self.old}")
        return text.replace(self.old, self.new)

"""Examine the example adapter and write its card into the kit's pages: `python -m tests.conformance.render_card`."""

import os
import re
import subprocess
import tempfile

from tests.e2e.project import COMMAND, ROOT

PAGES = (ROOT / "conformance_tests" / "README.md", ROOT / "examples" / "hello_adapter" / "README.md")
EXAMPLE = ROOT / "examples" / "hello_adapter"
BLOCK = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
VERDICT = re.compile(r"^    all levels .*\n    .*conformant: .*$", re.MULTILINE)


def examined() -> str:
    """Return what `tally conformance` prints of the example adapter."""
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLE), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMAND, "conformance", "test_hello:TestHello"]
        return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=True).stdout


def card(said: str) -> list[str]:
    """Return the lines of a printed card that the page shows: the levels, what is held, and the verdict."""
    lines = said.splitlines()
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("level ")) :]
    ends = next(at for at, line in enumerate(table) if line.startswith("all levels"))
    rest = [line for line in table if re.match(r"(task|event|evidence): ", line) or "conformant: " in line]
    return [*table[: ends + 1], *rest]


def main() -> None:
    """Renew both pages."""
    shown = card(examined())
    kit, example = PAGES
    block = "```text\n" + "\n".join(shown) + "\n```"
    kit.write_text(BLOCK.sub(lambda _: block, kit.read_text(encoding="utf-8")), encoding="utf-8")
    total = next(line for line in shown if line.startswith("all levels"))
    verdict = shown[-1].partition("::")[2]
    renewed = f"    {total}\n    test_hello.py::{verdict}"
    text = re.sub(
        r"^    all levels .*\n    .*conformant: .*$", renewed, example.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    example.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

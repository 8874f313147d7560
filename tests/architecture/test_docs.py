"""The pages say what the code says."""

import re

from tallystick_adapters import registry
from tests.architecture import render_docs
from tests.architecture.sources import ROOT


def test_every_adapter_has_a_page_and_every_page_an_adapter() -> None:
    assert sorted(path.stem for path in (ROOT / "docs" / "adapters").glob("*.md")) == registry.names()


def test_the_readme_s_table_is_the_registry() -> None:
    text = render_docs.README.read_text(encoding="utf-8")
    assert render_docs.BEGIN in text
    assert render_docs.readme(text) == text, "run `make docs`"


def test_the_map_is_what_the_adapters_declare() -> None:
    assert render_docs.MAP.read_text(encoding="utf-8") == render_docs.map_page(), "run `make docs`"


def test_every_link_between_pages_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    pages += (ROOT / "conformance_tests").rglob("*.md")
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_decisions_are_numbered_without_a_hole_and_dated() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert re.search(r"^Date: \d{4}-\d{2}-\d{2}$", page.read_text(encoding="utf-8"), re.MULTILINE), page.name

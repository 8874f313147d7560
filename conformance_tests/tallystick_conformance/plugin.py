"""The pytest plugin: keeps the suite whole and writes the report card. It imports nothing until a suite is there."""

import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from tallystick_conformance.card import Card


class Tampered(pytest.Item):
    """What stands in the place of a check that was overridden or removed: it fails and says so."""

    def __init__(self, *, why: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.why = why

    def runtest(self) -> None:
        """Fail, with the reason."""
        pytest.fail(self.why, pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that name the card's files."""
    group = parser.getgroup("conformance", "conformance of adapters (tallystick)")
    group.addoption("--conformance-json", metavar="FILE", help="write the report cards as JSON")
    group.addoption("--conformance-md", metavar="FILE", help="write the report cards as Markdown, for a README")


def pytest_configure(config: pytest.Config) -> None:
    """Watch this run for suites."""
    config.pluginmanager.register(Cards(config), "tallystick-cards")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> Tampered | None:
    """Put a failing item in the place of every part of the suite that is not the kit's own any more."""
    if (kit := _kit(collector)) is None or not isinstance(collector, pytest.Class):
        return None
    why = ""
    if name == "expected_failures":
        why = _misnamed(kit, obj)
    elif name in kit.CHECKS and getattr(collector.obj, name) is not kit.CHECKS[name].function:
        why = f"check {name} was overridden or removed: put it back, or name it in `expected_failures` with the reason"
    elif name == "bench" and _definer(collector.obj, name) is not kit.AdapterSuite:
        why = "the fixture `bench` is the kit's own: write `adapter`, `plant` and `peek`"
    return Tampered.from_parent(collector, name=name, why=why) if why else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark expected failures, strictly, and give every check its level as a property for JUnit."""
    kit = _kit(item.parent)
    if kit is None or (check := kit.CHECKS.get(_check(item.name))) is None:
        return
    item.user_properties.append(("level", check.level))
    if reason := _expected(item):
        item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note in the report what the card wants to know; it travels with the report from other processes too."""
    report = yield
    if (kit := _kit(item.parent)) is None or item.parent is None:
        return report
    from tallystick_conformance.card import fidelities  # noqa: PLC0415 -- only where the kit is used

    if report.failed and (check := kit.CHECKS.get(_check(item.name))):
        report.sections.append(("what this check wants", check.sentence))
    bench = getattr(item, "funcargs", {}).get("bench")
    vars(report)["conformance"] = {
        "subject": item.parent.nodeid,
        "case": item.name,
        "inapplicable": bench.inapplicable if bench else "",
        "expected": _expected(item),
        "weakness": _suite(item).weakness,
        "fidelity": fidelities(bench.capabilities) if bench and report.when == "call" else {},
    }
    return report


class Cards:
    """The report cards of one pytest run, by subject."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cards: dict[str, Card] = {}
        self._errors: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected: then there may be no card at all."""
        if report.failed:
            self._errors.append(str(report.longrepr).strip().splitlines()[-1])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Enter one report on the card of its subject."""
        told = getattr(report, "conformance", None)
        if told is None or (report.when != "call" and report.passed):
            return
        from tallystick_conformance.card import Case  # noqa: PLC0415 -- only where the kit is used

        card = self._card(told["subject"])
        card.fidelity, card.note = card.fidelity or told["fidelity"], told["weakness"]
        check = _check(told["case"])
        level = card.lines[check].level if check in card.lines else "suite"
        card.enter(level, check, Case(told["case"], *_result(report, told)))

    def _card(self, subject: str) -> "Card":
        from tallystick_conformance.card import Card, Line  # noqa: PLC0415 -- only where the kit is used
        from tallystick_conformance.suite import CHECKS  # noqa: PLC0415 -- the same

        if subject not in self._cards:
            lines = {name: Line(check.level, name, check.sentence) for name, check in CHECKS.items()}
            self._cards[subject] = Card(subject, lines)
        return self._cards[subject]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print every card, and write the files that were asked for."""
        cards = list(self._cards.values())
        if cards or self._errors:
            self._write(cards)
        for card in cards:
            from tallystick_conformance.render import as_text  # noqa: PLC0415 -- only where the kit is used

            terminalreporter.write_sep("=", f"conformance of {card.subject}")
            for line in as_text(card):
                terminalreporter.write_line(line)

    def _write(self, cards: "list[Card]") -> None:
        if file := self._config.getoption("--conformance-json"):
            document = {"cards": [card.data() for card in cards], "errors": self._errors}
            Path(file).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        if file := self._config.getoption("--conformance-md"):
            from tallystick_conformance.render import as_markdown  # noqa: PLC0415 -- only where the kit is used

            Path(file).write_text("\n".join(as_markdown(card) for card in cards), encoding="utf-8")


def _result(report: pytest.TestReport, told: dict[str, Any]) -> tuple[Any, str]:
    """Return what a report means for its check, and why.

    A skip counts only if the kit skipped, an expected failure only if the author named it.
    """
    from tallystick_conformance.card import Result  # noqa: PLC0415 -- only where the kit is used

    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr)
        return Result.FAILED, (text.strip() or "failed").splitlines()[0].removeprefix("Failed: ")
    if report.passed:
        return Result.PASSED, ""
    if hasattr(report, "wasxfail"):
        if told["expected"]:
            return Result.EXPECTED, told["expected"]
        return Result.MISSING, "marked as an expected failure, but not in `expected_failures`"
    if told["inapplicable"]:
        return Result.SKIPPED, told["inapplicable"]
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return Result.MISSING, f"not skipped by the kit: {reason}"


def _kit(node: object) -> "ModuleType | None":
    """Return the kit's suite module if the node is a class that inherits the suite, else None."""
    kit = sys.modules.get("tallystick_conformance.suite")
    if kit is None or not isinstance(node, pytest.Class) or not issubclass(node.obj, kit.AdapterSuite):
        return None
    return kit


def _check(item: str) -> str:
    return item.partition("[")[0]


def _expected(item: pytest.Item) -> str:
    """Return the reason for which the author expects this check to fail; empty if it is to pass."""
    expected = _suite(item).expected_failures
    return str(expected.get(item.name) or expected.get(_check(item.name)) or "")


def _suite(item: pytest.Item) -> Any:
    return getattr(item.parent, "obj", None)


def _definer(found: type, name: str) -> type:
    return next(base for base in found.__mro__ if name in vars(base))


def _misnamed(kit: "ModuleType", expected: Any) -> str:
    """Return what is wrong with an author's list of expected failures; empty if nothing is."""
    for name, reason in expected.items():
        if _check(name) not in kit.CHECKS:
            return f"expected_failures names {name}, which is no check of this kit"
        if not str(reason).strip():
            return f"expected_failures gives no reason for {name}"
    return ""

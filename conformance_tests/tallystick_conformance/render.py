"""The report card in words: as text for a terminal, as Markdown for a README."""

from collections.abc import Iterator

from tallystick_conformance.card import Card, Line, Result


def as_text(card: Card) -> Iterator[str]:
    """Yield the lines of a card for a terminal: a table of levels, what did not pass and why, the verdict."""
    wide = max(len(level) for level in [*card.levels(), "all levels"])
    yield f"{'level':<{wide}} " + "".join(f"{result:>9}" for result in Result)
    for level, lines in [*card.levels().items(), ("all levels", list(card.lines.values()))]:
        counts = card.counts(lines)
        yield f"{level:<{wide}} " + "".join(f"{counts[result] or '.':>9}" for result in Result)
    for kind, table in card.fidelity.items():
        groups: dict[str, list[str]] = {}
        for name, mapped in table.items():
            groups.setdefault(mapped["fidelity"], []).append(name)
        yield f"{kind}: " + "; ".join(f"{fidelity} {', '.join(names)}" for fidelity, names in groups.items())
    for result in (Result.SKIPPED, Result.EXPECTED, Result.MISSING):
        for reason, lines in _by_reason(card, result).items():
            yield f"{result}: {reason} ({_checks(lines)})"
    for line in card.lines.values():
        if line.result is Result.FAILED:
            yield from _complaint(line)
    yield f"{card.subject}: {card.verdict}"
    if card.note:
        yield card.note


def as_markdown(card: Card) -> str:
    """Return a card as Markdown, for a README."""
    name = card.subject.rpartition("::")[2]
    head = [f"### Conformance of {name}", "", f"**{card.verdict}**", *(["", card.note] if card.note else []), ""]
    head += ["| level | " + " | ".join(Result) + " |", "| --- |" + " ---: |" * len(Result)]
    for level, lines in card.levels().items():
        counts = card.counts(lines)
        head.append(f"| {level} | " + " | ".join(str(counts[result] or "") for result in Result) + " |")
    for kind, table in card.fidelity.items():
        head += ["", f"| {kind} | held | where | note |", "| --- | --- | --- | --- |"]
        head += [
            "| "
            + " | ".join(_cell(part) for part in (name, mapped["fidelity"], mapped["place"], mapped["note"]))
            + " |"
            for name, mapped in table.items()
        ]
    for result in (Result.SKIPPED, Result.EXPECTED, Result.FAILED, Result.MISSING):
        grouped = _by_reason(card, result)
        head += ["", f"{str(result).capitalize()}:", ""] if grouped else []
        head += [f"- {_checks(lines)}: {_cell(reason)}" for reason, lines in grouped.items()]
    return "\n".join(head) + "\n"


def _complaint(line: Line) -> Iterator[str]:
    yield f"FAILED {line.level}: {line.check}"
    yield f"  {line.sentence}"
    for case in line.cases.values():
        if case.result is Result.FAILED:
            yield f"  {case.name}: {case.reason}"


def _by_reason(card: Card, result: Result) -> dict[str, list[Line]]:
    """Return the reasons for one result, with the checks each stands behind."""
    found: dict[str, list[Line]] = {}
    for line in card.lines.values():
        reasons = dict.fromkeys(case.reason for case in line.cases.values() if case.result is result)
        if not line.cases and result is Result.MISSING:
            reasons = {"was not run": None}
        for reason in reasons:
            found.setdefault(reason, []).append(line)
    return found


def _checks(lines: list[Line]) -> str:
    return f"{len(lines)} checks" if len(lines) > 3 else ", ".join(line.check for line in lines)  # noqa: PLR2004 -- a few


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

"""`check` and `doctor`: whether the spokes can be used, and what is in them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from tallystick_cli.exits import Code
from tallystick_cli.options import AsJson, ConfigFile, Strict

if TYPE_CHECKING:
    from tallystick_contract.adapter import Adapter, Finding, Pull


def add_to(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command(epilog="Example: tally check --json")(check)
    app.command(epilog="Example: tally doctor --strict")(doctor)


def check(*, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Check configuration and spokes.

    Tells whether the configuration is valid and every spoke can be used. Nothing is written.
    """
    from tallystick_cli import render
    from tallystick_cli.config import build, load

    loaded = load(config)
    spokes = [_checked(name, adapter, writable=writable) for name, adapter, writable in build(loaded)]
    if as_json:
        render.document({"project": loaded.project, "config": str(loaded.file), "spokes": spokes})
    else:
        render.lines(f"project {loaded.project}, {loaded.file}")
        rows = [(item["name"], _word(item), "; ".join(item["messages"])) for item in spokes]
        render.table(("spoke", "state", "remarks"), rows)
    if not all(item["ready"] for item in spokes):
        raise typer.Exit(Code.PARTIAL)


def doctor(*, config: ConfigFile = None, strict: Strict = False, as_json: AsJson = False) -> None:
    """Examine everything on every spoke.

    Tells what is there and what deserves a look: counts, findings by code, records that cannot be read. Nothing is
    written, and no ledger is needed.
    """
    from tallystick_cli import render
    from tallystick_cli.config import build, load

    spokes = [_examined(name, adapter) for name, adapter, _ in build(load(config))]
    if as_json:
        render.document({"spokes": spokes})
    else:
        for item in spokes:
            _print_examined(item)
    if any(item["error"] for item in spokes):
        raise typer.Exit(Code.PARTIAL)
    if strict and any(item["findings"] or item["quarantined"] for item in spokes):
        raise typer.Exit(Code.FINDINGS)


def _checked(name: str, adapter: "Adapter", *, writable: bool) -> dict[str, Any]:
    health = adapter.check()
    adapter.close()
    return {"name": name, "ready": health.ready, "writable": writable, "messages": list(health.messages)}


def _word(item: dict[str, Any]) -> str:
    if not item["ready"]:
        return "not ready"
    return "ready" if item["writable"] else "ready, read-only"


def _examined(name: str, adapter: "Adapter") -> dict[str, Any]:
    """Pull one spoke in full; one that cannot be read is reported beside the others."""
    from tallystick_contract.adapter import Pull
    from tallystick_contract.errors import Broken, Throttled

    problem = None
    pull = Pull()
    try:
        pull = adapter.pull({}, full=True)
    except (Broken, Throttled) as error:
        problem = {"what": error.what, "where": error.where, "todo": error.todo}
    finally:
        adapter.close()
    return {"name": name, "error": problem, **_report(pull)}


def _report(pull: "Pull") -> dict[str, Any]:
    return {
        "total": pull.total,
        "counts": dict(pull.counts),
        "findings": _by_code(pull.findings),
        "quarantined": [{"native": item.native, "reason": item.reason} for item in pull.quarantined],
    }


def _by_code(findings: Iterable["Finding"]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, str]]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append({"what": finding.what, "where": finding.where})
    return [{"code": code, "items": groups[code]} for code in sorted(groups)]


def _print_examined(item: dict[str, Any]) -> None:
    from tallystick_cli import render

    if item["error"]:
        problem = item["error"]
        render.lines(f"{item['name']}: cannot be read: {problem['what']}")
        render.lines(*render.placed(problem["where"], problem["todo"]))
        return
    noun = "record" if item["total"] == 1 else "records"
    render.lines(f"{item['name']}: {item['total']} {noun}")
    render.lines(*(f"  {count:>6} {name}" for name, count in item["counts"].items()))
    for group in item["findings"]:
        first = group["items"][0]
        place = f" ({first['where']})" if first["where"] else ""
        more = f", and {len(group['items']) - 1} more" if len(group["items"]) > 1 else ""
        render.lines(f"  {group['code']}: {first['what']}{place}{more}")
    for quarantined in item["quarantined"]:
        render.lines(f"  cannot be read: {quarantined['native']}: {quarantined['reason']}")

"""What can go wrong with one write; each of these is a `Trouble` of a site."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tallystick_contract.adapter import Change, Outcome
from tallystick_contract.errors import Broken, Refused, TallystickError, Throttled, Unknown
from tests.proof.sites import Site, Trouble
from tests.sync.faults import Killed, Push


def meddling(act: Callable[[], None]) -> Trouble:
    """Somebody else is quicker."""

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        act()
        return write(changes)

    return push


def no_reply(site: Site, error: BaseException, keep: int | None) -> Trouble:
    """The first `keep` changes go in beside the adapter, which remembers nothing of it, and then the line is dead."""

    def push(_write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        site.adapter().push(changes[:keep])
        raise error

    return push


def unclear(site: Site, *, applied: bool) -> Trouble:
    """The server answers 502 to every change, whether it made it or not."""

    def push(_write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        if applied:
            site.adapter().push(changes)
        return [Outcome(change.key, error=Unknown("502", where=change.key.id)) for change in changes]

    return push


def told_twice(site: Site) -> Trouble:
    """The first reply is lost, the line sends again, and the answer is that of the second time; never for a create."""

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        site.adapter().push([change for change in changes if change.op != "create"])
        return write(changes)

    return push


def refusal(error: TallystickError) -> Trouble:
    """Nothing is taken."""

    def push(_write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        return [Outcome(change.key, error=error) for change in changes]

    return push


def half_taken(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
    """One field of every update stays as it was, without a word about it."""

    def half(change: Change) -> Change:
        lost = set(sorted(change.fields)[:1]) if change.op == "update" else set()
        return replace(change, fields={name: item for name, item in change.fields.items() if name not in lost})

    return write([half(change) for change in changes])


KINDS: Final[Mapping[str, Callable[[Site], Trouble]]] = {
    "dead line": lambda site: no_reply(site, Broken("lost"), None),
    "dead line before": lambda site: no_reply(site, Unknown("lost"), 0),
    "throttled": lambda site: no_reply(site, Throttled("wait"), 1),
    "killed": lambda site: no_reply(site, Killed(), None),
    "killed midway": lambda site: no_reply(site, Killed(), 1),
    "502": lambda site: unclear(site, applied=False),
    "502 after": lambda site: unclear(site, applied=True),
    "told twice": told_twice,
    "refused": lambda _site: refusal(Refused("not now")),
    "half taken": lambda _site: half_taken,
}
"""Troubles by name."""

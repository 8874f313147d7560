"""What happens to a spoke while the engine is at work: other writers, lost replies, refusals, sudden death."""

from collections.abc import Callable, Sequence

from tallystick_contract.adapter import Adapter, Change, Health, Key, Outcome, Pull, SpokeState
from tallystick_contract.canonical import Doc
from tallystick_contract.capabilities import Capabilities
from tests.sync.rig import Place

type Push = Callable[[Sequence[Change]], Sequence[Outcome]]


class Killed(BaseException):
    """The process dies here."""


class Wrapped:
    """An adapter inside another: whatever is not overridden is its own."""

    def __init__(self, inner: Adapter) -> None:
        self._inner = inner

    def capabilities(self) -> Capabilities:
        return self._inner.capabilities()

    def scope(self) -> str:
        return self._inner.scope()

    def check(self) -> Health:
        return self._inner.check()

    def pull(self, state: SpokeState, *, full: bool = False) -> Pull:
        return self._inner.pull(state, full=full)

    def image(self, key: Key, doc: Doc) -> Doc:
        return self._inner.image(key, doc)

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        return self._inner.push(changes)

    def state(self) -> SpokeState:
        return self._inner.state()

    def close(self) -> None:
        self._inner.close()


class Meddled(Wrapped):
    """A spoke whose writes go through `push`; all else is its own."""

    def __init__(self, inner: Adapter, push: Callable[[Push, Sequence[Change]], Sequence[Outcome]]) -> None:
        super().__init__(inner)
        self._push = push

    def push(self, changes: Sequence[Change]) -> Sequence[Outcome]:
        return self._push(self._inner.push, changes)


def before_push(place: Place, act: Callable[[Sequence[Change]], None], *, times: int = 1) -> None:
    """Let something happen between the reading of a spoke and the first `times` writes to it."""
    left = [times]

    def push(write: Push, changes: Sequence[Change]) -> Sequence[Outcome]:
        if left[0]:
            left[0] -= 1
            act(changes)
        return write(changes)

    place.wrap = lambda inner: Meddled(inner, push)


def lose_reply(place: Place, error: BaseException, *, keep: int | None = None) -> None:
    """Apply the next write, or its first `keep` changes, and raise instead of answering.

    The write goes in beside the adapter, which therefore remembers nothing of it.
    """

    def apply(changes: Sequence[Change]) -> None:
        place.adapter().push(changes[:keep])
        raise error

    before_push(place, apply)


def mend(place: Place) -> None:
    """Let the spoke work as it should."""
    place.wrap = lambda inner: inner

"""The ledger: the engine's own database of hub, bases, questions and history."""

from tallystick_sync.ledger.store import Ledger

__all__ = ["Ledger"]

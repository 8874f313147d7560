"""Our own adapters come through the kit's public door, as a stranger's would."""

from collections.abc import Callable

import pytest

from tallystick_conformance import AdapterSuite
from tallystick_conformance.reference import Reference, Store
from tallystick_contract.adapter import Adapter, Key
from tallystick_contract.canonical import Doc


class TestReference(AdapterSuite):
    """The reference adapter, the executable specification of the port."""

    @pytest.fixture
    def store(self) -> Store:
        return Store()

    @pytest.fixture
    def adapter(self, store: Store) -> Callable[[], Adapter]:
        return lambda: Reference(store)

    @pytest.fixture
    def plant(self, store: Store) -> Callable[[Key, Doc | None], None]:
        def put(key: Key, doc: Doc | None) -> None:
            if doc is None:
                del store.records[key]
            else:
                store.records[key] = dict(doc)

        return put

    @pytest.fixture
    def peek(self, store: Store) -> Callable[[], list[tuple[Key, Doc]]]:
        return lambda: list(store.records.items())

"""Real threads that call a server at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tablewright.care.fsck import drift
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tests.web.serving import LiveServer

__all__ = ["drift_of", "together"]

R = TypeVar("R")


def together(calls: Sequence[Callable[[], R]]) -> list[R]:
    """Call all of these at the same moment, each in a thread; results in the order given."""
    barrier = threading.Barrier(len(calls))

    def started(call: Callable[[], R]) -> R:
        barrier.wait(30)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(started, calls))


def drift_of(server: LiveServer) -> list[str]:
    """What is derived and wrong in a server's store, of all its systems."""
    store = server.services.store
    assert isinstance(store, AsyncEmbeddedStore)
    tables = [table for system in server.systems.values() for table in system.tables]
    return drift(EmbeddedStore(store.database), tables)

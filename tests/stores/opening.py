"""Opening every kind of store under test; also for tests of what runs on stores.

Endpoints are shared by many tests, so each store gets a table prefix of its own there, and what it
made is deleted when it is closed.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from tablewright.engine.database import Database
from tablewright.stores.alternator.emulated_transactions import (
    AsyncEmulatedTransactions,
    EmulatedTransactions,
)
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tablewright.stores.store import Store
from tablewright.stores.urls import open_async_store, open_store

KINDS = ("embedded", "emulated", "wire", "dynamodb-local")

# A fixture's value by its name: how stores find the servers that they need.
Ask = Callable[[str], object]
Clock = Callable[[], float]


@contextmanager
def opened(kind: str, ask: Ask, clock: Clock = time.time) -> Iterator[Store]:
    """A store of this kind with no tables."""
    if kind in ("embedded", "emulated"):
        with Database.open(clock=clock) as database:
            store: Store = EmbeddedStore(database, clock=clock)
            with EmulatedTransactions(store) if kind == "emulated" else store as used:
                yield used
            assert database.check() == []
        return
    with open_store(endpoint_url(kind, ask), clock=clock) as store:
        try:
            yield store
        finally:
            for name in store.call("ListTables", {})["TableNames"]:
                store.call("DeleteTable", {"TableName": name})


@asynccontextmanager
async def opened_async(kind: str, ask: Ask, clock: Clock = time.time) -> AsyncIterator[AsyncStore]:
    """A store of this kind, for the running loop, with no tables."""
    if kind in ("embedded", "emulated"):
        with Database.open(clock=clock) as database:
            store: AsyncStore = AsyncEmbeddedStore(database, clock=clock)
            async with AsyncEmulatedTransactions(store) if kind == "emulated" else store as used:
                yield used
            assert database.check() == []
        return
    async with await open_async_store(endpoint_url(kind, ask), clock=clock) as store:
        try:
            yield store
        finally:
            for name in (await store.call("ListTables", {}))["TableNames"]:
                await store.call("DeleteTable", {"TableName": name})


def endpoint_url(kind: str, ask: Ask) -> str:
    """The store URL of a server, with a prefix that nobody else uses."""
    url = ask("wire_server").url if kind == "wire" else ask("dynamodb_local")  # type: ignore[attr-defined]
    return f"dynamodb+{url}?prefix=t{uuid.uuid4().hex[:12]}."

"""The async store: `store.Store` with ``await``.

Backends implement ``call``. A cancelled call may or may not have been applied, as with a broken
connection.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tablewright.plan.operation import Context, Op
from tablewright.stores.runner import drive_async
from tablewright.stores.store import PagedOp, new_context
from tablewright.stores.table_setup import DesignLike, TableLike, ensure_steps
from tablewright.stores.tracing import CallTrace, Send, Trace, watched

if TYPE_CHECKING:
    from tablewright.plan.changes.write_transaction import Unit

__all__ = ["AsyncStore"]

T = TypeVar("T")


class AsyncStore(ABC):
    """Runs operations on an event loop."""

    def __init__(
        self,
        context: Context | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.context = context or new_context()
        self.sleep = sleep
        self.watcher: Callable[[CallTrace], object] | None = (
            None  # Called for each request that operations send.
        )

    @property
    def _sender(self) -> Send:
        return self.send if self.watcher is None else watched(self.send, self.watcher)

    @abstractmethod
    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one DynamoDB operation; raises ServiceError or StoreUnavailable.

        The request is not modified, and the caller owns the reply.
        """

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """As `call`, for requests that operations built."""
        return await self.call(operation, request)

    @abstractmethod
    async def close(self) -> None:
        """Close connections and files. The store cannot be used again."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def run(self, op: Op[T]) -> T:
        """Run an operation, and return its result."""
        return await drive_async(op.steps(self.context), self._sender, self.sleep)

    async def iterate(self, query: PagedOp[T]) -> AsyncIterator[T]:
        """Iterate over all rows of a query; pages are read when they are needed."""
        while True:
            page = await drive_async(query.steps(self.context), self._sender, self.sleep)
            for item in page.items:
                yield item
            if page.last_key is None:
                return
            query = query.after(page.last_key)

    async def trace(self, op: Op[T]) -> Trace[T]:
        """Run an operation; returns its result with its calls and their consumed capacity."""
        calls: list[CallTrace] = []
        call = watched(self._sender, calls.append)
        value = await drive_async(op.steps(self.context), call, self.sleep)
        return Trace(value, tuple(calls))

    @asynccontextmanager
    async def unit(self) -> AsyncIterator[Unit]:
        """Collect writes, and run them as one transaction when the block ends without an error."""
        from tablewright.plan.changes.write_transaction import Unit

        unit = Unit()
        yield unit
        unit.result = await self.run(unit)

    async def ensure_tables(self, tables: Iterable[TableLike] | DesignLike) -> list[str]:
        """Create the missing tables of a design; returns the names of the created ones.

        Raises DesignError if a table exists with other keys or indexes.
        """
        return await drive_async(ensure_steps(tables), self.call, self.sleep)

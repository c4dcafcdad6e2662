"""Stores on the engine in this process. A sync and an async store can share one database.

On an event loop, reads run directly, because they take microseconds. Writes and table changes go
through `LoopWriter`, so that concurrent requests share a commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import orjson

from tablewright.engine.commits import Job, LoopWriter
from tablewright.engine.database import Database
from tablewright.engine.health import Health
from tablewright.engine.operations import find_operation
from tablewright.errors import StoreUnavailable
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.store import Store, new_context

__all__ = ["AsyncEmbeddedStore", "EmbeddedStore"]

# Requests of operations, whose keys and items are already validated.
_MADE_BY_PLANS: Final = frozenset(
    ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "Query")
)


class EmbeddedStore(Store):
    """A store on an engine in this process, for threads."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
        closes_database: bool = False,
    ) -> None:
        super().__init__(new_context(clock, may_repeat=False))
        self.database = database
        self._closes_database = closes_database

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.database.call(operation, request)

    def close(self) -> None:
        if self._closes_database:
            self.database.close()


class AsyncEmbeddedStore(AsyncStore):
    """A store on an engine in this process, for one event loop.

    A write that is cancelled while it waits for its commit is still applied.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
        closes_database: bool = False,
    ) -> None:
        super().__init__(new_context(clock, may_repeat=False))
        self.database = database
        self._closes_database = closes_database
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: LoopWriter | None = None
        self._writes = 0  # Submitted writes without a result.
        self._all_answered: asyncio.Future[None] | None = None

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return await self._run(operation, request, is_shaped=False)

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        # ExclusiveStartKey comes from callers, so it is validated.
        is_shaped = operation in _MADE_BY_PLANS and "ExclusiveStartKey" not in request
        return await self._run(operation, request, is_shaped=is_shaped)

    async def _run(
        self, operation: str, request: dict[str, Any], *, is_shaped: bool
    ) -> dict[str, Any]:
        if self.database.needs_call:
            return self.database.call(operation, request)
        operation_spec = find_operation(operation)
        command = operation_spec.prepare(request, self.database.wording, is_shaped=is_shaped)
        if operation_spec.mode == "read":
            reply: dict[str, Any] = self.database.run_read(command, orjson.loads)
            return reply
        loop = asyncio.get_running_loop()
        writer = self._writer if loop is self._loop else None
        if writer is None:
            writer = self._start(loop)
        answer: asyncio.Future[dict[str, Any]] = loop.create_future()

        def done(result: Any, error: Exception | None) -> None:
            self._count_answer()
            if answer.done():  # The caller was cancelled.
                return
            if error is None:
                answer.set_result(result)
            else:
                answer.set_exception(error)

        writer.submit(
            Job(command, orjson.loads, changes_tables=operation_spec.mode == "table", done=done)
        )
        self._writes += 1
        return await answer

    async def health(self) -> Health:
        """Whether the database can be written; see `Database.health`."""
        return await asyncio.to_thread(self.database.health)

    def _start(self, loop: asyncio.AbstractEventLoop) -> LoopWriter:
        if self._is_closed:
            raise StoreUnavailable("the store is closed")
        if self._writer is not None:
            if self._loop is not None and not self._loop.is_closed():
                raise StoreUnavailable("the store belongs to another event loop")
            self._writer.close()  # The loop has ended; its writes are on disk.
            self._writes = 0
        self._loop = loop
        self._writer = LoopWriter(self.database.writer, loop)
        return self._writer

    def _count_answer(self) -> None:
        self._writes -= 1
        if self._all_answered is not None and not self._writes and not self._all_answered.done():
            self._all_answered.set_result(None)

    async def close(self) -> None:
        """Wait until every write is on disk, also those whose callers were cancelled."""
        self._is_closed = True
        loop = asyncio.get_running_loop()
        if self._writer is not None and self._loop is loop:
            while self._writes:
                if self._all_answered is None or self._all_answered.done():
                    self._all_answered = loop.create_future()
                await asyncio.shield(self._all_answered)
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._loop = None
        if self._closes_database:
            self.database.close()

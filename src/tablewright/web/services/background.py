"""Background work: it ends with the server, and its failures are logged."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

__all__ = ["Background"]

log = structlog.get_logger("tablewright.background")


class Background:
    """The tasks of one server."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, object], name: str) -> None:
        """Start work in the background."""
        task = asyncio.get_running_loop().create_task(_guarded(work, name), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step never gets to its work.
        task.add_done_callback(lambda _: work.close())

    async def settle(self) -> None:
        """Wait until everything that was begun has ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Cancel what goes on, and wait until it has ended."""
        for task in self._tasks:
            task.cancel()
        await self.settle()


async def _guarded(work: Coroutine[Any, Any, object], name: str) -> None:
    try:
        await work
    except Exception:
        log.exception("work in the background failed", work=name)

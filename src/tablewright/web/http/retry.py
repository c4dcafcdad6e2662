"""Writes that lose a race are re-read, re-checked and tried again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from tablewright.errors import Conflict, ServiceError, StoreUnavailable
from tablewright.plan.changes.write_transaction import AlreadyDone
from tablewright.web.http.problems import Problem

__all__ = ["ATTEMPTS_MAX", "persistent", "retried"]

log = structlog.get_logger("tablewright.retry")

T = TypeVar("T")
ATTEMPTS_MAX = 20
_PAUSE_SECONDS_MAX = 0.05
_WAIT_SECONDS_MAX = 30.0


async def retried(
    attempt: Callable[[], Awaitable[T]],
    *,
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> T:
    """The result of an attempt, repeated after a Conflict; 409 after `ATTEMPTS_MAX`.

    An attempt reads, checks and writes, so each decision is based on the current rows.
    """
    for number in range(ATTEMPTS_MAX):
        try:
            return await attempt()
        except AlreadyDone:
            raise
        except Conflict:
            await pause(random.random() * min(_PAUSE_SECONDS_MAX, 0.002 * 2**number))
    raise Problem(409)


async def persistent(
    attempt: Callable[[], Awaitable[T]],
    *,
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> T:
    """The result of an attempt, repeated until the store accepts it.

    For background work, which no client repeats. It ends with the server.
    """
    seconds = 0.1
    while True:
        try:
            return await retried(attempt, pause=pause)
        except (ServiceError, StoreUnavailable, Problem) as error:
            if isinstance(error, Problem) and error.status != 409:
                raise
            log.warning("the store refused work in the background", error=str(error))
        await pause(random.uniform(seconds / 2, seconds))
        seconds = min(_WAIT_SECONDS_MAX, seconds * 2)

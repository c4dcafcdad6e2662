"""Writes that lose a race are re-read, re-checked and tried again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tablewright.errors import Conflict
from tablewright.plan.unit import AlreadyDone
from tablewright.web.problems import Problem

__all__ = ["ATTEMPTS_MAX", "retried"]

T = TypeVar("T")
ATTEMPTS_MAX = 20
_PAUSE_SECONDS_MAX = 0.05


async def retried(
    attempt: Callable[[], Awaitable[T]],
    *,
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> T:
    """What an attempt returns; it is made anew while it ends in a Conflict, then 409.

    An attempt reads, checks and writes: so whatever it decides, it decides on what is there.
    """
    for number in range(ATTEMPTS_MAX):
        try:
            return await attempt()
        except AlreadyDone:
            raise
        except Conflict:
            await pause(random.random() * min(_PAUSE_SECONDS_MAX, 0.002 * 2**number))
    raise Problem(409)

"""Limits of so many in a time, counted in the table: exact, however many ask at the same moment.

A window is fixed: it begins with the first that is counted and lasts its time. A system's row has
the fields ``count`` and ``window_start`` (milliseconds); the rest is the system's. Counting is one
conditional update; a window that is over is replaced on the condition that it is still the one
that was read. Nothing is ever looked at first and counted later: whatever was sent at the same
moment would pass between the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Ref
from tablewright.errors import Conflict, ItemNotFound, ServiceError, StoreUnavailable
from tablewright.plan.changes.patches import patch
from tablewright.plan.changes.writes import create, put
from tablewright.plan.operation import Op
from tablewright.stores.async_store import AsyncStore
from tablewright.web.http.problems import Problem
from tablewright.web.services.clock import Clock

__all__ = ["Rate", "Window", "too_often"]

R = TypeVar("R", bound=BaseModel)
ATTEMPTS_MAX: Final = 100


class Rate(NamedTuple):
    """How many, in how long."""

    count_max: int
    seconds: int


class Window(Generic[R]):
    """The counter of one client for one kind of thing."""

    def __init__(
        self,
        store: AsyncStore,
        clock: Clock,
        rate: Rate,
        *,
        place: Ref[R],
        find: Callable[[], Op[R | None]],
        make_row: Callable[[int, int, int], R],
    ) -> None:
        """``make_row(count, window_start, ends_at)`` makes the first row of a window, at its place.

        The start is in milliseconds; the end, in seconds, is when the row may expire.
        """
        self._store = store
        self._clock = clock
        self._rate = rate
        self._place = place
        self._find = find
        self._make_row = make_row

    async def count(self) -> int:
        """Count one more, also beyond the limit, but then raise 429; returns how many it is."""
        row: Any = await self._counted()
        if row.count > self._rate.count_max:
            self._refuse(row.window_start)
        number: int = row.count
        return number

    async def count_if_possible(self) -> None:
        """Count one more or raise 429; if the store fails, let it pass."""
        try:
            await self.count()
        except (ServiceError, StoreUnavailable):
            return

    async def take(self) -> int:
        """Count one more if there is room, or raise 429 and count nothing.

        Counting and looking whether there is room are one write, so of however many at the same
        moment no more get through than the limit lets. Returns what `give_back` needs.
        """
        row: Any = await self._counted(is_bounded=True)
        start: int = row.window_start
        return start

    async def give_back(self, window_start: int) -> None:
        """Count one fewer in the window in which it was taken; nothing if that is over.

        If the store fails, it stays counted: the limit is then a little narrower, never wider.
        """
        less: Any = patch(self._place).add(_count, -1)
        try:
            await self._store.run(less.when(_counts_since(window_start)))
        except (Conflict, ItemNotFound, ServiceError, StoreUnavailable):
            return

    async def _counted(self, *, is_bounded: bool = False) -> R:
        for _ in range(ATTEMPTS_MAX):
            now = int(self._clock.seconds() * 1000)
            ended = now - self._rate.seconds * 1000
            more: Any = patch(self._place).add(_count, 1).when(_began_after(ended))
            if is_bounded:
                more = more.when(_has_room(self._rate.count_max))
            try:
                # Nearly always a window has begun: then one write is all.
                counted: R = await self._store.run(more)
            except (Conflict, ItemNotFound):
                pass
            else:
                return counted
            row: Any = await self._store.run(self._find())
            if is_bounded and row is not None and self._is_full(row):
                self._refuse(row.window_start)
            first = self._make_row(1, now, math.ceil(now / 1000) + self._rate.seconds)
            try:
                if row is None:
                    return await self._store.run(create(first))
                if row.window_start <= ended or row.count == 0:
                    return await self._store.run(put(first, when=_is_still(row)))
            except (Conflict, ItemNotFound):
                pass  # Another request began a window.
        raise Problem(409)

    def _is_full(self, row: Any) -> bool:
        return self._left(row.window_start) > 0 and row.count >= self._rate.count_max

    def _left(self, window_start: int) -> float:
        """Seconds to the end of a window."""
        return window_start / 1000 + self._rate.seconds - self._clock.seconds()

    def _refuse(self, window_start: int) -> NoReturn:
        raise too_often(self._left(window_start))


def too_often(seconds: float) -> Problem:
    """The 429 of a limit whose window ends in so many seconds."""
    wait = max(1, math.ceil(seconds))
    return Problem(
        429,
        detail=f"Rate limit exceeded. Try again in {wait} s.",
        headers={"Retry-After": str(wait)},
    )


def _count(row: Any) -> Any:
    return row.count


def _has_room(count_max: int) -> Callable[[Any], bool]:
    # What is all given back is no window: the next begins one.
    return lambda row: (row.count > 0) & (row.count < count_max)


def _began_after(ended: int) -> Callable[[Any], bool]:
    return lambda row: row.window_start > ended


def _counts_since(window_start: int) -> Callable[[Any], bool]:
    return lambda row: (row.window_start == window_start) & (row.count > 0)


def _is_still(read: Any) -> Callable[[Any], bool]:
    return lambda row: (row.window_start == read.window_start) & (row.count == read.count)

"""Time travel: the tables of a design as they were at a moment, for pages to read.

The past is copied into a database in memory and asked like any other, so every page that reads can
show it, indexes included. The last two moments are kept, and no past with more items than can be
copied in a moment is shown.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from tablewright.errors import LimitExceeded
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tablewright.studio.history.moments import AsOf, clock_text, moment_of, moment_text
from tablewright.studio.history.retention import NOT_EMBEDDED, database_of
from tablewright.web.http.problems import Problem

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright.stores.async_store import AsyncStore
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["ITEMS_MAX", "TimeTravel", "require_now"]

ITEMS_MAX: Final = 200_000
MOMENTS_KEPT: Final = 2
_Stop = tuple[str, float, float]  # A design, the moment, and since when history is kept.


class TimeTravel:
    """The past of a store's tables."""

    def __init__(self, store: AsyncStore, items_max: int = ITEMS_MAX) -> None:
        self._database = database_of(store)
        self._items_max = items_max
        self._stores: dict[_Stop, AsyncEmbeddedStore] = {}
        self._turn = asyncio.Lock()

    def clock(self, design: LoadedDesign) -> AsOf:
        """What can be seen of a design's past."""
        if self._database is None:
            return AsOf(reason=NOT_EMBEDDED)
        names = {table.name for table in self._database.tables}
        missing = [table.name for table in design.tables if table.name not in names]
        if missing:
            return AsOf(reason=f"The store has no table {missing[0]}.")
        since, unkept = self._since(self._database, design)
        if unkept:
            tables = ", ".join(unkept)
            return AsOf(reason=f"No history is recorded for {tables}.", can_keep=True)
        field = moment_text(self._database.now())[:19]
        return AsOf(since=clock_text(since, with_day=True), field=field)

    def _since(self, database: Database, design: LoadedDesign) -> tuple[float, list[str]]:
        """From when on the past of all tables is known, and those of which it is not."""
        since_by_table = {
            table.name: database.restorable_since(table.name) for table in design.tables
        }
        known = [since for since in since_by_table.values() if since is not None]
        unkept = [name for name, since in since_by_table.items() if since is None]
        return max(known, default=0.0), unkept

    async def travel(self, design: LoadedDesign, store: LoggedStore, text: str) -> None:
        """Let a page ask the tables as they were; without a text, as they are.

        Raises AddressInvalid, and Problem for a moment that cannot be seen.
        """
        clock = store.as_of = self.clock(design)
        if not text:
            return
        moment = moment_of(text)
        if self._database is None or clock.reason:
            raise Problem(400, detail=f"Time travel is not available here. {clock.reason}")
        since, _ = self._since(self._database, design)
        if not since <= moment <= self._database.now():
            raise Problem(
                400, detail=f"The past is known from {clock.since} UTC until now, but not then."
            )
        store.store = await self._opened(design, moment, since)
        store.as_of = AsOf(
            moment=moment_text(moment),
            text=clock_text(moment, with_day=True),
            field=moment_text(moment)[:19],
            since=clock.since,
        )

    async def _opened(self, design: LoadedDesign, moment: float, since: float) -> AsyncStore:
        assert self._database is not None
        stop = (design.name, moment, since)
        async with self._turn:
            if stop in self._stores:
                self._stores[stop] = self._stores.pop(stop)  # The last used is the last to go.
                return self._stores[stop]
            names = [table.name for table in design.tables]
            try:
                past = await asyncio.to_thread(self._database.as_of, names, moment, self._items_max)
            except LimitExceeded as error:
                message = f"{error.message}: too much to copy for time travel."
                raise Problem(400, detail=message) from None
            while len(self._stores) >= MOMENTS_KEPT:
                # Not closed here: a page may still be reading it. Its memory goes with the last.
                del self._stores[next(iter(self._stores))]
            self._stores[stop] = AsyncEmbeddedStore(past)
            return self._stores[stop]


def require_now(as_of: str) -> None:
    """Raise Problem where a page that writes is asked for in the past."""
    if as_of:
        raise Problem(400, detail="The past is read-only. Go back to now first.")

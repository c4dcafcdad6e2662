"""The stream page: the latest changes of a design's tables, and new ones as they arrive.

The streams themselves are what is read, page by page and, for a live tail, a little later again:
there is no queue, so a slow reader loses nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from tablewright.studio.history.change_view import OPERATIONS, ChangeFilter, Group, groups_of
from tablewright.studio.history.moments import AsOf
from tablewright.studio.history.retention import (
    NOT_EMBEDDED,
    TableRetention,
    database_of,
    retention_of,
)
from tablewright.studio.items.item_links import AddressInvalid

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright.engine.streams.stream_records import Recorded
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.studio.shell.request_log import LoggedStore

__all__ = ["StreamBatch", "StreamQuery", "StreamView", "sought_of", "stream_view", "tail"]

CHANGES_SHOWN: Final = 100
RECORDS_READ: Final = 2_000  # At most, to find those that a sieve takes.
BATCH: Final = 200  # More than a transaction can have.
POLL_SECONDS: Final = 0.25
HEARTBEAT_SECONDS: Final = 15.0
_ALL: Final = 1 << 62  # A sequence number behind all others.


@dataclass(frozen=True)
class StreamQuery:
    """The query of the page's address."""

    sieve: ChangeFilter = field(default_factory=ChangeFilter)
    first: int | None = None  # The sequence number to begin at,
    before: int | None = None  # or the one to end before; neither is the last changes.
    is_plain: bool = False  # As DynamoDB Streams shows them: without transactions.

    @property
    def known(self) -> dict[str, str]:
        """The same for links, but for the place."""
        fields = {
            "entity": self.sieve.entity,
            "op": self.sieve.operation,
            "prefix": self.sieve.prefix,
            "table": self.sieve.table,
            "plain": "yes" if self.is_plain else "",
        }
        return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class StreamView:
    """The page."""

    tables: tuple[TableRetention, ...]
    reason: str  # Why there is no stream to read; empty if there can be one.
    entities: tuple[str, ...]
    operations: tuple[str, ...]
    sieve: ChangeFilter
    is_plain: bool
    known: dict[str, str]
    groups: tuple[Group, ...]
    last: str  # The sequence number of the newest change that was looked at.
    older: str  # Before which the page before this one ends; empty if this is the first.
    is_tail: bool  # Whether what comes next follows what is shown.
    is_replay: bool  # Whether it begins at a change that was asked for.
    read: int  # How many changes were looked at.
    is_cut: bool  # Whether that was as many as may be, and fewer than wanted were found.
    as_of: AsOf


def sought_of(design: LoadedDesign, query: Mapping[str, str]) -> StreamQuery:
    """What an address asks for; raises AddressInvalid, and LookupError for names there are not."""
    sieve = ChangeFilter(
        query.get("entity", ""),
        query.get("op", ""),
        query.get("prefix", "").strip(),
        query.get("table", ""),
    )
    if sieve.entity and sieve.entity not in (*design.entities, "unknown"):
        raise LookupError(f"This design has no entity {sieve.entity}.")
    if sieve.table and design.table(sieve.table) is None:
        raise LookupError(f"This design has no table {sieve.table}.")
    if sieve.operation and sieve.operation not in OPERATIONS.values():
        raise AddressInvalid(f"a change is one of {', '.join(OPERATIONS.values())}")
    return StreamQuery(
        sieve, _place(query, "from"), _place(query, "before"), query.get("plain", "") == "yes"
    )


def _place(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) < _ALL):
        raise AddressInvalid(f"{name} is a sequence number; this is none")
    return int(text)


async def stream_view(
    design: LoadedDesign, store: LoggedStore, sought: StreamQuery, limit: int = CHANGES_SHOWN
) -> StreamView:
    """The page."""
    database = database_of(store.store)
    if database is None:
        return _unread(design, store, sought)
    names = [table.name for table in design.tables]
    entries, is_end = _read(database, design, names, sought, limit)
    groups = groups_of(design, entries, sought.sieve, is_plain=sought.is_plain)
    last = max((entry.sequence for entry in entries), default=(sought.first or 1) - 1)
    is_replay = sought.first is not None
    return replace(
        _unread(design, store, sought),
        tables=retention_of(database, names),
        reason="",
        groups=tuple(groups),
        last=str(last),
        older=str(min(entry.sequence for entry in entries)) if entries and not is_end else "",
        is_tail=sought.before is None,
        is_replay=is_replay,
        read=len(entries),
        is_cut=len(entries) >= RECORDS_READ and sum(len(g.changes) for g in groups) < limit,
    )


def _unread(design: LoadedDesign, store: LoggedStore, sought: StreamQuery) -> StreamView:
    """The page where nothing can be read."""
    return StreamView(
        tables=(),
        reason=NOT_EMBEDDED,
        entities=tuple(design.entities),
        operations=tuple(OPERATIONS.values()),
        sieve=sought.sieve,
        is_plain=sought.is_plain,
        known=sought.known,
        groups=(),
        last="0",
        older="",
        is_tail=False,
        is_replay=False,
        read=0,
        is_cut=False,
        as_of=store.as_of,
    )


def _read(
    database: Database, design: LoadedDesign, names: list[str], sought: StreamQuery, limit: int
) -> tuple[list[Recorded], bool]:
    """Records to show, newest first, and whether there is none before them."""
    # Where all are wanted, those that are shown and the rest of a transaction are enough.
    most = limit + BATCH if sought.sieve.is_open else RECORDS_READ
    if sought.first is not None:
        entries = database.recorded_after(names, sought.first - 1, most)
        page = _enough(design, entries, sought.sieve, limit)
        first = min((entry.sequence for entry in page), default=sought.first)
        return page[::-1], not database.recorded_before(names, first, 1)
    before = _ALL if sought.before is None else sought.before
    entries = database.recorded_before(names, before, most + 1)
    page = _enough(design, entries[:most], sought.sieve, limit)
    return page, len(page) == len(entries)


def _enough(
    design: LoadedDesign, entries: list[Recorded], sieve: ChangeFilter, limit: int
) -> list[Recorded]:
    """Records up to as many as are shown, and then to the end of their transaction."""
    count = 0
    for place, entry in enumerate(entries):
        is_new = (
            place == 0
            or not entry.transaction
            or entry.transaction != entries[place - 1].transaction
        )
        if count >= limit and is_new:
            return entries[:place]
        count += sieve.takes(design, entry)
    return entries


# Live.


@dataclass(frozen=True)
class StreamBatch:
    """What has come: the newest sequence number, and what of it is wanted."""

    sequence: int
    groups: tuple[Group, ...]


async def tail(
    database: Database,
    design: LoadedDesign,
    sought: StreamQuery,
    after: int,
    is_ending: Callable[[], bool],
    poll_seconds: float = POLL_SECONDS,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> AsyncIterator[StreamBatch | None]:
    """Changes behind a sequence number as they come, newest first; None says: still here."""
    names = [table.name for table in design.tables]
    spoken = time.monotonic()
    while not is_ending():
        entries = _whole(database.recorded_after(names, after, BATCH))
        if entries:
            after = entries[-1].sequence
            groups = groups_of(design, entries[::-1], sought.sieve, is_plain=sought.is_plain)
            if groups:
                spoken = time.monotonic()
                yield StreamBatch(after, tuple(groups))
            continue
        if time.monotonic() - spoken >= heartbeat_seconds:
            spoken = time.monotonic()
            yield None
        await asyncio.sleep(poll_seconds)


def _whole(entries: list[Recorded]) -> list[Recorded]:
    """A batch without the transaction that its end cuts through."""
    if len(entries) < BATCH or not entries[-1].transaction:
        return entries
    return [entry for entry in entries if entry.transaction != entries[-1].transaction]

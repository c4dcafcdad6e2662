"""What a table keeps of its changes: a stream of them, and the history behind time travel.

Both are the table's own settings. The studio turns them on when asked to, and by itself only in a
store that it made to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import ResourceNotFound
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore

if TYPE_CHECKING:
    from tablewright.engine.database import Database
    from tablewright.stores.async_store import AsyncStore

__all__ = [
    "NOT_EMBEDDED",
    "TableRetention",
    "database_of",
    "keep_changes",
    "keep_history",
    "keep_stream",
    "retention_of",
]

NOT_EMBEDDED: Final = (
    "Only available on the embedded store. On DynamoDB, streams have a separate endpoint, which "
    "the studio does not use, and past states require restoring a table."
)
_VIEW: Final = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


@dataclass(frozen=True)
class TableRetention:
    """What is kept of one table."""

    table: str
    is_there: bool
    view_type: str  # What its stream records; empty where there is none.


def database_of(store: AsyncStore) -> Database | None:
    """The database behind a store, where it is in this process."""
    return store.database if isinstance(store, AsyncEmbeddedStore) else None


def retention_of(database: Database, names: Iterable[str]) -> tuple[TableRetention, ...]:
    """What is kept of each of these tables."""
    tables = {table.name: table for table in database.tables}
    retentions = []
    for name in names:
        table = tables.get(name)
        stream = table.stream if table is not None else None
        retentions.append(
            TableRetention(name, table is not None, stream[1] if stream is not None else "")
        )
    return tuple(retentions)


async def keep_stream(store: AsyncStore, name: str) -> None:
    """Turn a table's stream on, with the items before and after; raises ResourceNotFound."""
    document = (await store.call("DescribeTable", {"TableName": name}))["Table"]
    if not (document.get("StreamSpecification") or {}).get("StreamEnabled"):
        await store.call("UpdateTable", {"TableName": name, "StreamSpecification": _VIEW})


async def keep_history(store: AsyncStore, name: str) -> None:
    """Turn a table's point-in-time recovery on; raises ResourceNotFound."""
    table: dict[str, Any] = {"TableName": name}
    description = await store.call("DescribeContinuousBackups", table)
    recovery = description["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    if recovery["PointInTimeRecoveryStatus"] != "ENABLED":
        specification = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        await store.call("UpdateContinuousBackups", table | specification)


async def keep_changes(store: AsyncStore, names: Iterable[str]) -> None:
    """Turn both on for tables that are there, before they are filled with data to look at."""
    for name in names:
        try:
            await keep_stream(store, name)
            await keep_history(store, name)
        except ResourceNotFound:
            continue

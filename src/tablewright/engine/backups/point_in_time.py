"""Point-in-time recovery: the restorable period, past items and versions, descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import orjson

from tablewright.engine.command_context import Tx
from tablewright.engine.tables.catalog import ItemKey, Table
from tablewright.engine.tables.table_schema import TableSchema
from tablewright.errors import InvalidRestoreTime, PointInTimeRecoveryUnavailable
from tablewright.values.attributes import Item

__all__ = [
    "DAYS_MAX",
    "LATEST_SECONDS",
    "ItemRow",
    "Version",
    "copied_schema",
    "describe_recovery",
    "earliest",
    "items_as_of",
    "require_moment",
    "rows_as_of",
    "trim_history",
    "versions",
]

DAYS_MAX: Final = 35
_SECONDS_MAX: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
DAY_SECONDS: Final = 24 * 3600
# Differs: AWS restores a table up to five minutes ago; here up to now.
LATEST_SECONDS: Final = 0
_LEFT_OUT: Final = ("PointInTimeRecovery", "StreamLabel", "StreamNumber", "StreamSpecification")

ItemRow = tuple[bytes, bytes, int, bytes]


def earliest(table: Table, now: float) -> float:
    """The earliest time to which a table can be restored."""
    days = table.schema.recovery_days or DAYS_MAX
    since: float = table.schema.options["PointInTimeRecovery"]["Since"]
    return max(since, now - days * DAY_SECONDS)


def require_moment(table: Table, at: float, now: float) -> float:
    """Return the time; raises PointInTimeRecoveryUnavailable or InvalidRestoreTime."""
    if not table.keeps_history:
        raise PointInTimeRecoveryUnavailable(
            f"Point in time recovery is not enabled for table '{table.name}'"
        )
    first, last = earliest(table, now), now - LATEST_SECONDS
    if not first <= at <= last:
        raise InvalidRestoreTime(
            f"RestoreDateTime '{_format_time(at)}' must be within EarliestRestorableDateTime "
            f"'{_format_time(first)}' and LatestRestorableDateTime '{_format_time(last)}'"
        )
    return at


def _format_time(seconds: float) -> str:
    bounded = min(max(seconds, 0), _SECONDS_MAX)
    return datetime.fromtimestamp(bounded, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rows_as_of(tx: Tx, table: Table, at: float) -> Iterator[ItemRow]:
    """The rows (hash, range, size, body) of a table at a time in the past, unordered."""
    before: dict[tuple[bytes, bytes], tuple[int | None, bytes | None]] = {}
    for hash_, range_, size, body in tx.session.history_after(table.number, at):
        before.setdefault((hash_, range_), (size, body))
    for row in tx.session.all_items(table.number):
        if row[:2] not in before:
            yield row
    for (hash_, range_), (size, body) in before.items():
        if size is not None and body is not None:
            yield hash_, range_, size, body


def items_as_of(tx: Tx, table: Table, at: float) -> list[Item]:
    """The items of a table at a time in the past, unordered."""
    return [orjson.loads(body) for _, _, _, body in rows_as_of(tx, table, at)]


class Version(NamedTuple):
    """An item as it was from a time on."""

    since: float | None  # None if it is older than the history.
    item: Item | None  # None if the item did not exist.


def versions(tx: Tx, table: Table, key: ItemKey, limit: int) -> list[Version]:
    """The versions of an item, the current one first."""
    row = tx.row(table, key)
    item: Item | None = None if row is None else orjson.loads(row.body)
    past = []
    for at, body in tx.session.history_of(table.number, *key, limit):
        past.append(Version(at, item))
        item = None if body is None else orjson.loads(body)
    is_complete = len(past) < limit
    return [*past, Version(None, item)] if is_complete else past


# Copies of past tables.


def copied_schema(schema: TableSchema) -> TableSchema:
    """The schema of a copy, without time to live, streams and recovery."""
    options = {n: v for n, v in schema.options.items() if n not in _LEFT_OUT}
    return schema.with_(ttl_attribute=None, options=options)


def trim_history(tx: Tx) -> int:
    """Delete history older than each table's restorable period."""
    now = tx.now()
    for table in tx.catalog.tables():
        if table.keeps_history:
            tx.session.erase_history(table.number, earliest(table, now))
    return 0


def describe_recovery(table: Table, now: float) -> dict[str, Any]:
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if table.keeps_history:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": table.schema.recovery_days,
            "EarliestRestorableDateTime": round(earliest(table, now), 3),
            "LatestRestorableDateTime": round(now - LATEST_SECONDS, 3),
        }
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }

"""Point-in-time recovery: for how long a table can be restored as it was, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import orjson

from tablewright.engine.tables.catalog import ItemKey, Table
from tablewright.engine.tables.table_schema import TableSchema
from tablewright.engine.transaction import Tx
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
# Differs: AWS restores a table until five minutes ago; here it is until now.
LATEST_SECONDS: Final = 0
_LEFT_OUT: Final = ("PointInTimeRecovery", "StreamLabel", "StreamNumber", "StreamSpecification")

ItemRow = tuple[bytes, bytes, int, bytes]


def earliest(table: Table, now: float) -> float:
    """The first time that a table with recovery can be restored to."""
    days = table.schema.recovery_days or DAYS_MAX
    since: float = table.schema.options["PointInTimeRecovery"]["Since"]
    return max(since, now - days * DAY_SECONDS)


def require_moment(table: Table, at: float, now: float) -> float:
    """The time, if the table can be restored as it was then; raises what says that it cannot."""
    if not table.keeps_history:
        raise PointInTimeRecoveryUnavailable(
            f"Point in time recovery is not enabled for table '{table.name}'"
        )
    first, last = earliest(table, now), now - LATEST_SECONDS
    if not first <= at <= last:
        raise InvalidRestoreTime(
            f"RestoreDateTime '{_shown(at)}' must be within EarliestRestorableDateTime "
            f"'{_shown(first)}' and LatestRestorableDateTime '{_shown(last)}'"
        )
    return at


def _shown(seconds: float) -> str:
    told = min(max(seconds, 0), _SECONDS_MAX)
    return datetime.fromtimestamp(told, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rows_as_of(tx: Tx, table: Table, at: float) -> Iterator[ItemRow]:
    """The rows (hash, range, size, body) that a table had at a time, in no order."""
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
    """The items that a table had at a time, in no order."""
    return [orjson.loads(body) for _, _, _, body in rows_as_of(tx, table, at)]


class Version(NamedTuple):
    """What an item was from a time on."""

    since: float | None  # None where it is older than what is kept.
    item: Item | None  # None where there was no item.


def versions(tx: Tx, table: Table, key: ItemKey, limit: int) -> list[Version]:
    """What is known of an item's past: what it is now first, then what it was before."""
    row = tx.row(table, key)
    item: Item | None = None if row is None else orjson.loads(row.body)
    found = []
    for at, body in tx.session.history_of(table.number, *key, limit):
        found.append(Version(at, item))
        item = None if body is None else orjson.loads(body)
    is_whole = len(found) < limit
    return [*found, Version(None, item)] if is_whole else found


# The past as a database of its own.


def copied_schema(schema: TableSchema) -> TableSchema:
    """The schema of a copy: what would change its items, or write down their changes, is off."""
    kept = {n: v for n, v in schema.options.items() if n not in _LEFT_OUT}
    return schema.with_(ttl_attribute=None, options=kept)


def trim_history(tx: Tx) -> int:
    """Forget what no table can be restored to any more."""
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

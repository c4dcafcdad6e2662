"""Point-in-time recovery: for how long a table can be restored as it was, and how that is told."""

from __future__ import annotations

from typing import Any, Final

import orjson

from tablewright.engine.catalog import Table
from tablewright.engine.transaction import Tx
from tablewright.errors import InvalidRestoreTime, PointInTimeRecoveryUnavailable
from tablewright.values.attributes import Item

__all__ = [
    "DAYS_MAX",
    "LATEST_SECONDS",
    "describe_recovery",
    "earliest",
    "items_as_of",
    "require_moment",
    "trim_history",
]

DAYS_MAX: Final = 35
DAY_SECONDS: Final = 24 * 3600
# Differs: AWS restores a table until five minutes ago; here it is until now.
LATEST_SECONDS: Final = 0


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
    if not earliest(table, now) <= at <= now - LATEST_SECONDS:
        raise InvalidRestoreTime(
            "The specified restore time is not between the earliest and the latest restorable time"
        )
    return at


def items_as_of(tx: Tx, table: Table, at: float) -> list[Item]:
    """The items that a table had at a time, in no order."""
    before: dict[tuple[bytes, bytes], bytes | None] = {}
    for hash_, range_, body in tx.session.history_after(table.number, at):
        before.setdefault((hash_, range_), body)
    found = [
        orjson.loads(body)
        for hash_, range_, _, body in tx.session.all_items(table.number)
        if (hash_, range_) not in before
    ]
    return found + [orjson.loads(body) for body in before.values() if body is not None]


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

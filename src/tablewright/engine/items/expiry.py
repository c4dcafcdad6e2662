"""Time to live: deletes expired items.

Expired items stay visible until they are swept, as on AWS; the time comes from the database's
clock. Times more than five years in the past are ignored, as on AWS.
"""

from __future__ import annotations

from collections.abc import Callable

from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_writes import Change, write
from tablewright.limits import EXPIRY_AGE_SECONDS_MAX

SWEEP_BATCH_ITEMS = 256


def sweep(table_name: str) -> Callable[[Tx], int]:
    """A command that deletes one batch of a table's expired items and returns their number."""

    def command(tx: Tx) -> int:
        table = tx.catalog.find(table_name)
        if table is None or table.ttl_attribute is None:
            return 0
        now = int(tx.now())
        expired = tx.session.expired(
            table.number, now - EXPIRY_AGE_SECONDS_MAX, now, SWEEP_BATCH_ITEMS
        )
        for _, hash_, range_ in expired:
            key = (hash_, range_)
            change = Change(table, key, tx.row(table, key))
            change.by_service = True
            write(tx, change)
        return len(expired)

    return command

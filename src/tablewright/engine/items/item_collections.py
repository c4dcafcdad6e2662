"""Item collections: the items of one partition of a table that has local indexes."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_writes import Change

_GIGABYTE = 2**30


def collection_metrics(tx: Tx, change: Change) -> dict[str, Any]:
    """The ItemCollectionMetrics field of a reply; empty for tables without local indexes."""
    described = describe_collection(tx, change)
    return {} if described is None else {"ItemCollectionMetrics": described}


def describe_collection(tx: Tx, change: Change) -> dict[str, Any] | None:
    """The collection of a change and an estimate of its size, in gigabytes from and to."""
    table = change.table
    item = change.new or change.old
    if item is None or not any(not index.is_global for index in table.indexes):
        return None
    gigabytes = tx.session.collection_bytes(table.number, change.key[0]) // _GIGABYTE
    name = table.partition.name
    return {
        "ItemCollectionKey": {name: item[name]},
        "SizeEstimateRangeGB": [float(gigabytes), float(gigabytes + 1)],
    }

"""Partitions, found one after another: a page costs the same in a table of any size.

A Scan of a single item finds a partition; the next starts behind the last sort key that this
partition could have. A few items of each are read, and of large ones some more only counted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index, KeyAttribute
    from tablewright.studio.shell.request_log import LoggedStore
    from tablewright.values.attributes import Item, Value

__all__ = ["ITEMS_COUNTED", "PartitionSample", "behind", "partitions_from", "sample_partition"]

ITEMS_READ: Final = 20  # Of each partition,
ITEMS_COUNTED: Final = 480  # and so many more are counted.
_UNIT_BYTES: Final = 8192  # Of an eventually consistent read.
_LAST: Final[dict[str, Value]] = {
    "S": {"S": "\U0010ffff" * 256},  # 1,024 bytes, the longest sort key.
    "N": {"N": "9.9999999999999999999999999999999999999E+125"},
    "B": {"B": "/" * 1364 + "/w=="},
}


@dataclass(frozen=True)
class PartitionSample:
    """A partition, as far as it was looked at."""

    partition: Item
    items: tuple[Item, ...]
    count: int
    size: int  # Bytes; where items were only counted, by the units that took.
    is_whole: bool
    behind: Item  # Where a Scan goes on behind it.


def behind(table: Table, index: Index, item: Item) -> Item:
    """Where a Scan goes on behind the partition of an item."""
    key = {part.name: item[part.name] for part in (*index.attributes, *table.primary.attributes)}
    last: tuple[KeyAttribute, ...] = index.sort or (
        () if index.is_table else table.primary.attributes
    )
    # In an index without a sort key, items lie by their table key.
    return key | {part.name: _LAST[part.type] for part in last}


async def partitions_from(
    store: LoggedStore, table: Table, index: Index, start: Item | None
) -> AsyncIterator[Item]:
    """One item of each partition, from a place on."""
    while True:
        request: dict[str, Any] = {"TableName": table.name, "Limit": 1}
        if not index.is_table:
            request["IndexName"] = index.name
        if start is not None:
            request["ExclusiveStartKey"] = start
        items = (await store.call("Scan", request))["Items"]
        if not items:
            return
        yield items[0]
        start = behind(table, index, items[0])


async def sample_partition(
    store: LoggedStore, table: Table, index: Index, item: Item
) -> PartitionSample:
    """The partition of an item: its first items, and how many there are up to a bound."""
    partition = {part.name: item[part.name] for part in index.partition}
    request = _query(table, index, partition) | {"Limit": ITEMS_READ}
    reply = await store.call("Query", request)
    items = tuple(reply["Items"])
    count, size, last = len(items), sum(map(item_size, items)), reply.get("LastEvaluatedKey")
    if last is not None:
        rest = {"Select": "COUNT", "Limit": ITEMS_COUNTED, "ExclusiveStartKey": last}
        reply = await store.call("Query", request | rest)
        count += reply["Count"]
        size += int(store.requests[-1].units * _UNIT_BYTES)
        last = reply.get("LastEvaluatedKey")
    is_whole = last is None
    return PartitionSample(partition, items, count, size, is_whole, behind(table, index, item))


def _query(table: Table, index: Index, partition: Item) -> dict[str, Any]:
    request: dict[str, Any] = {
        "TableName": table.name,
        "KeyConditionExpression": " AND ".join(f"#k{n} = :k{n}" for n in range(len(partition))),
        "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(partition)},
        "ExpressionAttributeValues": {f":k{n}": v for n, v in enumerate(partition.values())},
    }
    return request if index.is_table else request | {"IndexName": index.name}

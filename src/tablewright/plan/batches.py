"""Batches: many rows in few requests; unprocessed rows are retried and never dropped.

DynamoDB may process a part of a batch and return the rest. The rest is sent again with exponential
back-off and full jitter. After too many tries without progress, StoreUnavailable says how many rows
are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import PlanError, StoreUnavailable
from tablewright.limits import BATCH_GET_KEYS_MAX, BATCH_WRITE_REQUESTS_MAX
from tablewright.plan.operation import Call, Context, Pause, Steps
from tablewright.values.attributes import Item

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["Identity", "back_off", "batch_get", "batch_write", "identity", "key_in"]

TRIES_MAX: Final = 12  # Consecutive tries without progress.
_FIRST_SECONDS: Final = 0.05
_SECONDS_MAX: Final = 5.0

Identity = tuple[str, ...]


def identity(table_name: str, key: Item) -> Identity:
    """The identity of a row: its table and key values."""
    parts = [table_name]
    for value in key.values():
        parts += value.values()
    return tuple(parts)


def back_off(context: Context, tries: int) -> Pause:
    """A random pause; the upper bound doubles with each try."""
    bound = min(_FIRST_SECONDS * 2.0 ** min(tries, 16), _SECONDS_MAX)
    return Pause(bound * context.random())


def key_in(table: Table, item: Item) -> Item:
    """The table key of an item."""
    return {part.name: item[part.name] for part in table.primary.attributes}


def batch_get(
    keys: Mapping[Table, Iterable[Item]], context: Context, *, consistent: bool = True
) -> Steps[dict[Identity, Item]]:
    """The existing items with these keys."""
    distinct = {
        identity(table.name, key): (table.name, key) for table, some in keys.items() for key in some
    }
    waiting = list(distinct.values())
    tables = {table.name: table for table in keys}
    items_by_row: dict[Identity, Item] = {}
    tries = 0
    while waiting:
        batch, waiting = waiting[:BATCH_GET_KEYS_MAX], waiting[BATCH_GET_KEYS_MAX:]
        request: dict[str, Any] = {}
        for name, key in batch:
            of_table = request.setdefault(name, {"Keys": [], "ConsistentRead": consistent})
            of_table["Keys"].append(key)
        reply = yield Call("BatchGetItem", {"RequestItems": request})
        for name, items in reply.get("Responses", {}).items():
            for item in items:
                items_by_row[identity(name, key_in(tables[name], item))] = item
        left = [
            (name, key)
            for name, part in (reply.get("UnprocessedKeys") or {}).items()
            for key in part["Keys"]
        ]
        waiting = left + waiting
        if left:
            tries = tries + 1 if len(left) == len(batch) else 1
            yield _patience(context, tries, f"{len(waiting)} rows were not read")
    return items_by_row


def batch_write(
    puts: Mapping[Table, Iterable[Item]], deletes: Mapping[Table, Iterable[Item]], context: Context
) -> Steps[int]:
    """Put these items and delete the rows with these keys; returns the number of rows.

    The last of several puts of a row wins. Raises PlanError for a put and a delete of one row.
    """
    waiting = _requests(puts, deletes)
    total, tries = len(waiting), 0
    while waiting:
        batch, waiting = waiting[:BATCH_WRITE_REQUESTS_MAX], waiting[BATCH_WRITE_REQUESTS_MAX:]
        request: dict[str, list[Any]] = {}
        for name, part in batch:
            request.setdefault(name, []).append(part)
        reply = yield Call("BatchWriteItem", {"RequestItems": request})
        left = [
            (name, part)
            for name, parts in (reply.get("UnprocessedItems") or {}).items()
            for part in parts
        ]
        waiting = left + waiting
        if left:
            tries = tries + 1 if len(left) == len(batch) else 1
            yield _patience(context, tries, f"{len(waiting)} of {total} rows were not written")
    return total


def _requests(
    puts: Mapping[Table, Iterable[Item]], deletes: Mapping[Table, Iterable[Item]]
) -> list[tuple[str, dict[str, Any]]]:
    """One request for each row: DynamoDB rejects a batch with duplicate rows."""
    requests: dict[Identity, tuple[str, dict[str, Any]]] = {}
    for table, items in puts.items():
        for item in items:
            row = identity(table.name, key_in(table, item))
            requests[row] = (table.name, {"PutRequest": {"Item": item}})
    for table, keys in deletes.items():
        for key in keys:
            row = identity(table.name, key)
            if "PutRequest" in requests.get(row, ("", {}))[1]:
                raise PlanError(f"the batch puts and deletes the same row {row}")
            requests[row] = (table.name, {"DeleteRequest": {"Key": key}})
    return list(requests.values())


def _patience(context: Context, tries: int, what: str) -> Pause:
    if tries >= TRIES_MAX:
        raise StoreUnavailable(f"{what}: the store returned them unprocessed {tries} times")
    return back_off(context, tries)

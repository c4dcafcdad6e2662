"""Batches: many rows in few requests, and nothing that was left unprocessed is ever dropped.

DynamoDB may do a part of a batch and hand the rest back. The rest is sent again after a pause
that doubles, with full jitter; when patience ends, StoreUnavailable says how much is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import StoreUnavailable
from tablewright.limits import BATCH_GET_KEYS_MAX, BATCH_WRITE_REQUESTS_MAX
from tablewright.plan.operation import Call, Context, Pause, Steps
from tablewright.values.attributes import Item

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["Identity", "back_off", "batch_get", "batch_write", "identity", "key_in"]

TRIES_MAX: Final = 12  # In a row without any progress.
_FIRST_SECONDS: Final = 0.05
_SECONDS_MAX: Final = 5.0

Identity = tuple[str, ...]


def identity(table_name: str, key: Item) -> Identity:
    """What tells a row from all others: its table and the values of its key."""
    parts = [table_name]
    for value in key.values():
        parts += value.values()
    return tuple(parts)


def back_off(context: Context, tries: int) -> Pause:
    """A pause of any length up to a bound that doubles with each try."""
    bound = min(_FIRST_SECONDS * 2.0 ** min(tries, 16), _SECONDS_MAX)
    return Pause(bound * context.random())


def key_in(table: Table, item: Item) -> Item:
    """The table key that an item has."""
    return {part.name: item[part.name] for part in table.primary.attributes}


def batch_get(
    keys: Mapping[Table, Iterable[Item]], context: Context, *, consistent: bool = True
) -> Steps[dict[Identity, Item]]:
    """The items with these keys; those that do not exist are left out."""
    distinct = {
        identity(table.name, key): (table.name, key) for table, some in keys.items() for key in some
    }
    waiting = list(distinct.values())
    tables = {table.name: table for table in keys}
    found: dict[Identity, Item] = {}
    tries = 0
    while waiting:
        asked, waiting = waiting[:BATCH_GET_KEYS_MAX], waiting[BATCH_GET_KEYS_MAX:]
        request: dict[str, Any] = {}
        for name, key in asked:
            of_table = request.setdefault(name, {"Keys": [], "ConsistentRead": consistent})
            of_table["Keys"].append(key)
        reply = yield Call("BatchGetItem", {"RequestItems": request})
        for name, items in reply.get("Responses", {}).items():
            for item in items:
                found[identity(name, key_in(tables[name], item))] = item
        left = [
            (name, key)
            for name, part in (reply.get("UnprocessedKeys") or {}).items()
            for key in part["Keys"]
        ]
        waiting = left + waiting
        if left:
            tries = tries + 1 if len(left) == len(asked) else 1
            yield _patience(context, tries, f"{len(waiting)} rows were not read")
    return found


def batch_write(
    puts: Mapping[Table, Iterable[Item]], deletes: Mapping[Table, Iterable[Item]], context: Context
) -> Steps[int]:
    """Put these items and delete the rows with these keys; returns how many rows that were.

    Of several puts of one row the last counts; raises ValueError for a put and a delete of one.
    """
    waiting = _requests(puts, deletes)
    total, tries = len(waiting), 0
    while waiting:
        asked, waiting = waiting[:BATCH_WRITE_REQUESTS_MAX], waiting[BATCH_WRITE_REQUESTS_MAX:]
        request: dict[str, list[Any]] = {}
        for name, part in asked:
            request.setdefault(name, []).append(part)
        reply = yield Call("BatchWriteItem", {"RequestItems": request})
        left = [
            (name, part)
            for name, parts in (reply.get("UnprocessedItems") or {}).items()
            for part in parts
        ]
        waiting = left + waiting
        if left:
            tries = tries + 1 if len(left) == len(asked) else 1
            yield _patience(context, tries, f"{len(waiting)} of {total} rows were not written")
    return total


def _requests(
    puts: Mapping[Table, Iterable[Item]], deletes: Mapping[Table, Iterable[Item]]
) -> list[tuple[str, dict[str, Any]]]:
    """One request for each row: DynamoDB refuses a batch that names a row twice."""
    made: dict[Identity, tuple[str, dict[str, Any]]] = {}
    for table, items in puts.items():
        for item in items:
            row = identity(table.name, key_in(table, item))
            made[row] = (table.name, {"PutRequest": {"Item": item}})
    for table, keys in deletes.items():
        for key in keys:
            row = identity(table.name, key)
            if "PutRequest" in made.get(row, ("", {}))[1]:
                raise ValueError(f"one batch puts and deletes the row {row}")
            made[row] = (table.name, {"DeleteRequest": {"Key": key}})
    return list(made.values())


def _patience(context: Context, tries: int, told: str) -> Pause:
    if tries >= TRIES_MAX:
        raise StoreUnavailable(f"{told}: the store left them unprocessed {tries} times")
    return back_off(context, tries)

"""Index entries and expiry rows: what they should be, and making them so.

An index row holds only keys and points to its item, so a write that leaves an item's index keys
alone touches no index row at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import orjson

from tablewright.engine.sqlite.rows import IndexRow, Session
from tablewright.engine.tables.catalog import TABLE_ROWS, Counts, Index, ItemKey, Table
from tablewright.values.attributes import Item

EXPIRY_MAX = 2**62  # SQLite's integers have 64 bits; no real time is beyond this.


class Move(NamedTuple):
    """What a write does to one index: the entry before and after, None where there is none."""

    of: Index
    before: tuple[bytes, bytes] | None
    after: tuple[bytes, bytes] | None


def moves(table: Table, old: Item | None, new: Item | None) -> list[Move]:
    """For each index that holds the old or the new item, the entries before and after."""
    found = []
    for index in table.indexes:
        before = None if old is None else index.entry(old)
        after = None if new is None else index.entry(new)
        if before is not None or after is not None:
            found.append(Move(index, before, after))
    return found


def write_moves(session: Session, table: Table, key: ItemKey, moved: list[Move]) -> None:
    """Bring the index rows of one item to their new state."""
    for index, before, after in moved:
        if before == after:
            continue
        if before is not None:
            session.delete_entry(table.number, index.number, IndexRow(*before, *key))
        if after is not None:
            session.put_entry(table.number, index.number, IndexRow(*after, *key))


def expiry_of(table: Table, item: Item | None) -> int | None:
    """When an item expires, in whole seconds, or None if it does not."""
    if table.ttl_attribute is None or item is None:
        return None
    value = item.get(table.ttl_attribute)
    if value is None or "N" not in value:
        return None
    seconds = int(Decimal(value["N"]))
    return seconds if 0 <= seconds <= EXPIRY_MAX else None


def write_expiry(
    session: Session, table: Table, key: ItemKey, old: Item | None, new: Item | None
) -> None:
    """Bring the expiry row of one item to its new state."""
    before, after = expiry_of(table, old), expiry_of(table, new)
    if before == after:
        return
    if before is not None:
        session.delete_expiry(table.number, before, *key)
    if after is not None:
        session.put_expiry(table.number, after, *key)


def stored_items(session: Session, table: Table) -> Iterator[tuple[ItemKey, int, Item]]:
    """Every item of a table with its key and size."""
    for hash_, range_, size, body in session.all_items(table.number):
        yield (hash_, range_), size, orjson.loads(body)


def backfill(session: Session, table: Table, index: Index) -> tuple[int, int]:
    """Fill a new index; returns its number of entries and their size."""
    items = size = 0
    for key, item_size, item in stored_items(session, table):
        # DynamoDB: an item whose index key has a wrong type or size is left out, silently.
        entry = index.entry(item)
        if entry is not None:
            session.put_entry(table.number, index.number, IndexRow(*entry, *key))
            items += 1
            size += index.projected_size(item, item_size)
    return items, size


def fill_expiry(session: Session, table: Table) -> None:
    """Write the expiry rows of a table that has just been given a TTL attribute."""
    for key, _, item in stored_items(session, table):
        expires = expiry_of(table, item)
        if expires is not None:
            session.put_expiry(table.number, expires, *key)


def count_rows(session: Session, table: Table) -> Counts:
    """Count a table and its indexes by reading everything."""
    counts = Counts()
    for _, size, item in stored_items(session, table):
        counts.add(TABLE_ROWS, 1, size)
        for index in table.indexes:
            if index.entry(item) is not None:
                counts.add(index.number, 1, index.projected_size(item, size))
    return counts

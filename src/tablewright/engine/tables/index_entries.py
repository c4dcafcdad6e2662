"""Index entries and expiry rows: computes and writes them.

An index row has only keys and points to its item, so a write that does not change an item's index
keys touches no index row.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import orjson

from tablewright.engine.sqlite.rows import IndexRow, Session
from tablewright.engine.tables.catalog import TABLE_ROWS, Counts, Index, ItemKey, Table
from tablewright.values.attributes import Item

EXPIRY_MAX = 2**62  # SQLite's integers have 64 bits; no real time exceeds this.


class Move(NamedTuple):
    """The entry of an item in one index before and after a write; None if there is none."""

    of: Index
    before: tuple[bytes, bytes] | None
    after: tuple[bytes, bytes] | None


def moves(table: Table, old: Item | None, new: Item | None) -> list[Move]:
    """The moves of all indexes that contain the old or the new item."""
    entry_moves = []
    for index in table.indexes:
        before = None if old is None else index.entry(old)
        after = None if new is None else index.entry(new)
        if before is not None or after is not None:
            entry_moves.append(Move(index, before, after))
    return entry_moves


def write_moves(session: Session, table: Table, key: ItemKey, moved: list[Move]) -> None:
    """Update the index rows of one item."""
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
    """Update the expiry row of one item."""
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
        # DynamoDB: an item whose index key has the wrong type or size is skipped silently.
        entry = index.entry(item)
        if entry is not None:
            session.put_entry(table.number, index.number, IndexRow(*entry, *key))
            items += 1
            size += index.projected_size(item, item_size)
    return items, size


def fill_expiry(session: Session, table: Table) -> None:
    """Write the expiry rows of a table whose TTL attribute has just been set."""
    for key, _, item in stored_items(session, table):
        expires = expiry_of(table, item)
        if expires is not None:
            session.put_expiry(table.number, expires, *key)


def count_rows(session: Session, table: Table) -> Counts:
    """Count the rows and bytes of a table and its indexes by reading all items."""
    counts = Counts()
    for _, size, item in stored_items(session, table):
        counts.add(TABLE_ROWS, 1, size)
        for index in table.indexes:
            if index.entry(item) is not None:
                counts.add(index.number, 1, index.projected_size(item, size))
    return counts

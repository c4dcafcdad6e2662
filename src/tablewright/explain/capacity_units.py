"""Capacity units by AWS's arithmetic, of rows whose sizes are told or assumed.

A read takes one unit per 4 KB, half of that when eventually consistent; a query adds the bytes of
its page up first. A write takes one unit per KB of the larger of the row before and after; each
index whose entry changes takes as much again, twice when the entry moves. A transaction doubles
the table's units, not those of its indexes. Nothing here knows the engine, which counts what it
really reads and writes; tests/plan/test_costs.py compares the two.

Units are kept by place: ``{"fus-main": 2.0, "fus-main/byTag": 1.0}``, as a trace has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.limits import PAGE_BYTES_MAX, READ_UNIT_BYTES, WRITE_UNIT_BYTES
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.table_definition import Index
    from tablewright.values.attributes import Item

__all__ = [
    "MANY_ASSUMED",
    "PARTITION_READ_UNITS_MAX",
    "PARTITION_WRITE_UNITS_MAX",
    "ROWS_ASSUMED",
    "SIZE_ASSUMED",
    "TRANSACTION_FACTOR",
    "Pages",
    "Rows",
    "Units",
    "added",
    "entry_item",
    "pages_of",
    "place_name",
    "read_units",
    "row_size",
    "scaled",
    "total",
    "write_units",
]

# Developer Guide, "Burst and adaptive capacity": what one partition takes in a second.
PARTITION_READ_UNITS_MAX: Final = 3_000
PARTITION_WRITE_UNITS_MAX: Final = 1_000

TRANSACTION_FACTOR: Final = 2

# Where a design gives no hint. Whoever uses one of them says so.
SIZE_ASSUMED: Final = 400  # Bytes of an item.
ROWS_ASSUMED: Final = 50  # Rows that answer a query.
MANY_ASSUMED: Final = 10  # Values of a parameter that takes many.

Units = dict[str, float]


def write_units(size: int) -> int:
    """The units of writing a row of this many bytes; one at least."""
    return max(1, -(-size // WRITE_UNIT_BYTES))


def read_units(size: int, *, consistent: bool) -> float:
    """The units of reading this many bytes; those of the smallest row at least."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and the bytes of all of them together."""

    count: int
    size: int


@dataclass(frozen=True, slots=True)
class Pages:
    """An answer in pages: what the first takes, and what all of them take."""

    first: Rows
    first_units: float
    count: int
    all_units: float


def pages_of(rows: Rows, *, consistent: bool, limit: int | None = None) -> Pages:
    """How a query reads rows of about equal size: up to 1 MB, or ``limit`` rows, at once.

    DynamoDB: a page that ends with the last row is full all the same, and an empty one follows.
    """
    if not rows.count:
        least = read_units(0, consistent=consistent)
        return Pages(rows, least, 1, least)
    # A page ends with the row that reaches 1 MB, which is still part of it.
    room = -(-PAGE_BYTES_MAX * rows.count // max(1, rows.size))
    room = room if limit is None else min(room, limit)
    full, rest = divmod(rows.count, room)

    def units(count: int) -> float:
        return read_units(count * rows.size // rows.count, consistent=consistent)

    first = min(room, rows.count)
    return Pages(
        Rows(first, first * rows.size // rows.count),
        units(first),
        full + 1,
        full * units(room) + units(rest),
    )


# Sizes.


def row_size(entity: Entity[Any]) -> int:
    """The bytes of an item of this entity, as the design says; else as is assumed."""
    return SIZE_ASSUMED if entity.size_bytes is None else entity.size_bytes


def entry_item(index: Index, table_key: Iterable[str], item: Item) -> Item | None:
    """What an index that does not hold everything holds of an item; None if it does."""
    if index.is_table or index.projection == "ALL":
        return None
    names = {part.name for part in index.attributes} | set(table_key)
    if isinstance(index.projection, tuple):
        names |= set(index.projection)
    return {name: value for name, value in item.items() if name in names}


def entry_size(entity: Entity[Any], index: Index, item: Item) -> int:
    """The bytes of an item's entry in an index, or of the item itself in the table."""
    held = entry_item(index, [part.name for part in entity.table.primary.attributes], item)
    return row_size(entity) if held is None else min(row_size(entity), item_size(held))


# Units by place.


def place_name(table: str, index: str = "") -> str:
    """A table, or an index of it, as units name it."""
    return f"{table}/{index}" if index else table


def added(*parts: Mapping[str, float]) -> Units:
    """The units of several things together."""
    found: Units = {}
    for part in parts:
        for place, units in part.items():
            found[place] = found.get(place, 0.0) + units
    return found


def scaled(units: Mapping[str, float], times: float) -> Units:
    """The units of the same thing done so many times."""
    return {place: times * one for place, one in units.items()}


def total(units: Mapping[str, float]) -> float:
    """All units together."""
    return float(sum(units.values()))

"""Capacity units by AWS's rules, for rows with declared or assumed sizes.

A read costs one unit per 4 KB, or half if it is eventually consistent; a query sums the bytes of
its page first. A write costs one unit per KB of the larger of the old and the new row; each changed
index entry costs the same again, and twice if it moves. A transaction doubles the table's units,
but not those of its indexes. The engine counts actual units independently; tests/explain compares
the two.

Units are kept by place, as in a trace: ``{"fus-main": 2.0, "fus-main/byTag": 1.0}``.
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

# Developer Guide, "Burst and adaptive capacity": the limits of a partition per second.
PARTITION_READ_UNITS_MAX: Final = 3_000
PARTITION_WRITE_UNITS_MAX: Final = 1_000

TRANSACTION_FACTOR: Final = 2

# Assumed where a design has no hint; each use is reported.
SIZE_ASSUMED: Final = 400  # Bytes in an item.
ROWS_ASSUMED: Final = 50  # Rows of a query.
MANY_ASSUMED: Final = 10  # Values of a parameter that takes many.

Units = dict[str, float]


def write_units(size: int) -> int:
    """The units to write a row of this many bytes; at least one."""
    return max(1, -(-size // WRITE_UNIT_BYTES))


def read_units(size: int, *, consistent: bool) -> float:
    """The units to read this many bytes; at least those of the smallest row."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


@dataclass(frozen=True, slots=True)
class Rows:
    """A number of rows, and their total bytes."""

    count: int
    size: int


@dataclass(frozen=True, slots=True)
class Pages:
    """A result in pages: the units of the first page and of all pages."""

    first: Rows
    first_units: float
    count: int
    all_units: float


def pages_of(rows: Rows, *, consistent: bool, limit: int | None = None) -> Pages:
    """The pages of a query over rows of equal size: up to 1 MB, or ``limit`` rows, each.

    DynamoDB: if a full page ends with the last row, an empty page follows.
    """
    if not rows.count:
        least = read_units(0, consistent=consistent)
        return Pages(rows, least, 1, least)
    # The row that reaches 1 MB is the last row of the page.
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
    """The bytes of an item: the design's size_bytes, or the assumed size."""
    return SIZE_ASSUMED if entity.size_bytes is None else entity.size_bytes


def entry_item(index: Index, table_key: Iterable[str], item: Item) -> Item | None:
    """The attributes that an index projects; None for all."""
    if index.is_table or index.projection == "ALL":
        return None
    names = {part.name for part in index.attributes} | set(table_key)
    if isinstance(index.projection, tuple):
        names |= set(index.projection)
    return {name: value for name, value in item.items() if name in names}


def entry_size(entity: Entity[Any], index: Index, item: Item) -> int:
    """The bytes of an item's entry in an index, or of the item in the table."""
    held = entry_item(index, [part.name for part in entity.table.primary.attributes], item)
    return row_size(entity) if held is None else min(row_size(entity), item_size(held))


# Units by place.


def place_name(table: str, index: str = "") -> str:
    """The name of a table or an index in units."""
    return f"{table}/{index}" if index else table


def added(*parts: Mapping[str, float]) -> Units:
    """The sum of several units."""
    sums: Units = {}
    for part in parts:
        for place, units in part.items():
            sums[place] = sums.get(place, 0.0) + units
    return sums


def scaled(units: Mapping[str, float], times: float) -> Units:
    """The units multiplied."""
    return {place: times * each for place, each in units.items()}


def total(units: Mapping[str, float]) -> float:
    """The total."""
    return float(sum(units.values()))

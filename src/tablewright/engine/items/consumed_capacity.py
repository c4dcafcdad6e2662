"""Consumed capacity: the units of a request by AWS's rules, and their description in replies.

A write costs one unit per KB of the larger of the item before and after; each index whose entry
changes costs the same for its projected size, and twice (a delete and a put) if the entry moves.
A read costs one unit per 4 KB, half of that when eventually consistent. Transactions cost double.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tablewright.engine.items.item_writes import Change, entry_sizes
from tablewright.engine.tables.catalog import Index
from tablewright.limits import READ_UNIT_BYTES, WRITE_UNIT_BYTES


def write_units(size: int) -> int:
    """The units of writing an item of this many bytes; at least one."""
    return max(1, -(-size // WRITE_UNIT_BYTES))


def read_units(size: int, *, consistent: bool) -> float:
    """The units of reading this many bytes; at least those of the smallest item."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


class Consumption:
    """The units that a request consumed of one table and its indexes."""

    __slots__ = ("global_indexes", "local_indexes", "table_name", "table_units")

    def __init__(self, table_name: str, table_units: float = 0.0) -> None:
        self.table_name = table_name
        self.table_units = table_units
        self.local_indexes: dict[str, float] = {}
        self.global_indexes: dict[str, float] = {}

    def add_index(self, index: Index, units: float) -> None:
        units_by_name = self.global_indexes if index.is_global else self.local_indexes
        units_by_name[index.name] = units_by_name.get(index.name, 0.0) + units

    def add_write(self, change: Change, factor: int = 1) -> None:
        """Add a change; `factor` is 2 in a transaction.

        DynamoDB: a transaction doubles the table's units, not those of its indexes.
        """
        self.table_units += factor * write_units(max(change.old_size, change.new_size))
        if not change.is_write:
            return
        for move in change.moves:
            index, before, after = move
            before_size, after_size = entry_sizes(change, move)
            if before is None or after is None:
                self.add_index(index, write_units(max(before_size, after_size)))
            elif before != after:
                self.add_index(index, write_units(before_size) + write_units(after_size))
            elif index.project(change.old or {}) != index.project(change.new or {}):
                self.add_index(index, write_units(max(before_size, after_size)))

    def describe(self, level: str, kind: str | None = None) -> dict[str, Any]:
        """The description in replies. `kind` is "Read" or "Write" if the reply separates them."""
        total = self.table_units
        total += sum(self.local_indexes.values(), 0.0) + sum(self.global_indexes.values(), 0.0)
        described: dict[str, Any] = {"TableName": self.table_name, **_units(total, kind)}
        if level == "INDEXES":
            described["Table"] = _units(self.table_units, kind)
            for name, units_by_index in (
                ("LocalSecondaryIndexes", self.local_indexes),
                ("GlobalSecondaryIndexes", self.global_indexes),
            ):
                if units_by_index:
                    described[name] = {
                        index: _units(units, kind) for index, units in units_by_index.items()
                    }
        return described


def _units(units: float, kind: str | None) -> dict[str, float]:
    described = {"CapacityUnits": float(units)}
    if kind is not None:
        described[f"{kind}CapacityUnits"] = float(units)
    return described


def writes_by_table(
    changes: Iterable[Change], level: str, kind: str | None = None, factor: int = 1
) -> list[dict[str, Any]]:
    """The consumption of several changes, one entry per table in the order of first use."""
    tables: dict[str, Consumption] = {}
    for change in changes:
        name = change.table.name
        tables.setdefault(name, Consumption(name)).add_write(change, factor)
    return [consumption.describe(level, kind) for consumption in tables.values()]


def write_consumption(change: Change, level: str | None) -> dict[str, Any]:
    """The ConsumedCapacity field of a reply for one change; empty if not requested."""
    if level not in ("TOTAL", "INDEXES"):
        return {}
    return {"ConsumedCapacity": writes_by_table((change,), level)[0]}

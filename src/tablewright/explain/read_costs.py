"""The cost of reads: rows, bytes, pages and units, from the design's hints.

The entities' `per_partition` is the number of rows in a partition, `size_bytes` the size of a row.
Missing hints are assumed and reported. Nothing is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.design.patterns.pattern_model import Range
from tablewright.errors import SampleUnavailable
from tablewright.explain.capacity_units import (
    ROWS_ASSUMED,
    SIZE_ASSUMED,
    Rows,
    Units,
    entry_size,
    pages_of,
    place_name,
    read_units,
    row_size,
    scaled,
)
from tablewright.explain.samples import sample_instance
from tablewright.limits import BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX
from tablewright.plan.batches import identity
from tablewright.plan.reads import BatchGet, Count, FanOut, Get, Query

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.plan.bound_pattern import BoundPattern
    from tablewright.values.attributes import Item

__all__ = ["READERS", "ReadOp", "Reading", "reading"]

ReadOp = Get[Any] | BatchGet[Any] | Query[Any] | Count[Any] | FanOut[Any]
READERS: Final = (Get, BatchGet, Query, Count, FanOut)


@dataclass(frozen=True, slots=True)
class Reading:
    """The cost of one call."""

    operation: str
    request: dict[str, Any]  # The first request.
    requests: int  # Requests in a call.
    table: str
    index: str  # Empty for the table itself.
    is_consistent: bool
    rows: int  # Rows that a call reads.
    size: int  # Bytes of these rows.
    pages: int  # The calls that it takes to read everything.
    units: Units  # Units of a call.
    units_of_all: Units  # Units to read all rows.
    partition_units: float  # Units of a call in the busiest partition.
    returns: str
    assumptions: tuple[str, ...]


def reading(op: ReadOp, many: int | None = None) -> Reading:
    """The cost of a call of this operation.

    ``many`` overrides the number of values of a parameter that takes many. Raises PlanError if
    there are no values.
    """
    if isinstance(op, BatchGet):
        return _batch(op, many)
    if isinstance(op, FanOut):
        return _fan_out(op, many)
    if isinstance(op, Get):
        return _item_reading(op)
    return _page_reading(op)


class _Notes(list[str]):
    """The distinct assumptions."""

    def note(self, text: str) -> None:
        if text not in self:
            self.append(text)


# Rows of a bound pattern.


def _size(entity: Entity[Any], bound_pattern: BoundPattern, notes: _Notes) -> int:
    if entity.size_bytes is None:
        notes.note(f"{entity.name}: {SIZE_ASSUMED} bytes per item, because it has no size_bytes")
    index = bound_pattern.table.index(bound_pattern.index_name or "")
    if index.is_table or index.projection == "ALL":
        return row_size(entity)
    try:
        item: Item = entity.item(sample_instance(entity))
    except SampleUnavailable:
        return row_size(entity)
    return entry_size(entity, index, item)


def _count(entity: Entity[Any], bound_pattern: BoundPattern, notes: _Notes) -> int:
    """The number of rows of an entity in the result."""
    arguments = bound_pattern.arguments
    ranged = [name for name, value in arguments.items() if isinstance(value, Range)]
    bound = {name for name in arguments if name not in ranged}
    own = entity.faces[""]
    if own.fields <= bound:
        return 1
    face = entity.faces[bound_pattern.index_name or ""]
    shared = {field for part in own.partition for field in part.template.fields}
    there = {field for part in face.partition for field in part.template.fields}
    if shared != there:
        index = bound_pattern.index_name
        notes.note(f"{entity.name}: {ROWS_ASSUMED} items in a partition of {index}")
        return ROWS_ASSUMED
    hint = entity.per_partition
    if hint is None:
        notes.note(f"{entity.name}: {ROWS_ASSUMED} items, because it has no per_partition")
        return ROWS_ASSUMED
    narrowed = ranged or sorted(bound - there)
    if narrowed and hint > ROWS_ASSUMED:
        share = f"are in the range of {ranged[0]}" if ranged else f"have the given {narrowed[0]}"
        notes.note(f"{entity.name}: {ROWS_ASSUMED} of {hint:,} items {share}")
        return ROWS_ASSUMED
    return hint


def _answer(bound_pattern: BoundPattern, notes: _Notes) -> Rows:
    """All rows of the result."""
    counted = [
        (_count(e, bound_pattern, notes), _size(e, bound_pattern, notes))
        for e in bound_pattern.entities
    ]
    return Rows(sum(count for count, _ in counted), sum(count * size for count, size in counted))


def _place(bound_pattern: BoundPattern) -> str:
    return place_name(bound_pattern.table.name, bound_pattern.index_name or "")


def _names(bound_pattern: BoundPattern) -> str:
    return " and ".join(entity.name for entity in bound_pattern.entities)


# Kinds of operations.


def _item_reading(op: Get[Any]) -> Reading:
    bound_pattern, request, notes = op.bound_pattern, op.request, _Notes()
    is_consistent = request.get("ConsistentRead", False)
    size = max(_size(entity, bound_pattern, notes) for entity in bound_pattern.entities)
    units = {_place(bound_pattern): read_units(size, consistent=is_consistent)}
    return Reading(
        operation="GetItem" if bound_pattern.index_name is None else "Query",
        request=request,
        requests=1,
        table=bound_pattern.table.name,
        index=bound_pattern.index_name or "",
        is_consistent=is_consistent,
        rows=1,
        size=size,
        pages=1,
        units=units,
        units_of_all=units,
        partition_units=sum(units.values()),
        returns=f"one {_names(bound_pattern)}, or nothing",
        assumptions=tuple(notes),
    )


def _batch(op: BatchGet[Any], many: int | None) -> Reading:
    request, notes = op.request, _Notes()
    first = op.bound_patterns[0]
    # Duplicate keys are read once.
    rows = {
        identity(bound_pattern.table.name, bound_pattern.key) for bound_pattern in op.bound_patterns
    }
    count = len(rows) if many is None else many
    is_consistent = request["RequestItems"][first.table.name].get("ConsistentRead", False)
    size = max(_size(entity, first, notes) for entity in first.entities)
    row_units = read_units(size, consistent=is_consistent)
    units = {_place(first): count * row_units}
    is_one_partition = len(op.bound_patterns) > 1 and _share_partition(op.bound_patterns)
    return Reading(
        operation="BatchGetItem",
        request=request,
        requests=max(-(-count // BATCH_GET_KEYS_MAX), -(-count * size // BATCH_GET_BYTES_MAX), 1),
        table=first.table.name,
        index="",
        is_consistent=is_consistent,
        rows=count,
        size=count * size,
        pages=1,
        units=units,
        units_of_all=units,
        partition_units=count * row_units if is_one_partition else row_units,
        returns=f"the existing rows of {count:,} {_names(first)}",
        assumptions=tuple(notes),
    )


def _share_partition(bound_patterns: Sequence[BoundPattern]) -> bool:
    name = bound_patterns[0].table.pk.name
    return all(
        bound_pattern.key[name] == bound_patterns[0].key[name] for bound_pattern in bound_patterns
    )


def _page_reading(op: Query[Any] | Count[Any]) -> Reading:
    bound_pattern, request, notes = op.bound_pattern, op.request, _Notes()
    is_consistent = request.get("ConsistentRead", False)
    answer = _answer(bound_pattern, notes)
    pages = pages_of(answer, consistent=is_consistent, limit=request.get("Limit"))
    is_count = isinstance(op, Count)
    call = pages.all_units if is_count else pages.first_units
    rows = answer if is_count else pages.first
    direction = ", last sort key first" if request.get("ScanIndexForward") is False else ""
    return Reading(
        operation="Query",
        request=request,
        requests=pages.count if is_count else 1,
        table=bound_pattern.table.name,
        index=bound_pattern.index_name or "",
        is_consistent=is_consistent,
        rows=rows.count,
        size=rows.size,
        pages=1 if is_count else pages.count,
        units={_place(bound_pattern): call},
        units_of_all={_place(bound_pattern): pages.all_units},
        partition_units=call,
        returns=f"the number of {_names(bound_pattern)}"
        if is_count
        else f"{_names(bound_pattern)}{direction}",
        assumptions=tuple(notes),
    )


def _fan_out(op: FanOut[Any], many: int | None) -> Reading:
    request, notes = op.request, _Notes()
    bound_pattern = op.queries[0].bound_pattern
    count = len(op.queries) if many is None else many
    is_consistent, limit = request.get("ConsistentRead", False), request.get("Limit")
    rows = _answer(bound_pattern, notes)
    pages = pages_of(rows, consistent=is_consistent, limit=limit)
    # With a limit, only the first page of each query is read.
    each = rows if limit is None else pages.first
    query_units = {_place(bound_pattern): pages.all_units if limit is None else pages.first_units}
    return Reading(
        operation="Query",
        request=request,
        requests=count * (pages.count if limit is None else 1),
        table=bound_pattern.table.name,
        index=bound_pattern.index_name or "",
        is_consistent=is_consistent,
        rows=count * each.count,
        size=count * each.size,
        pages=1,
        units=scaled(query_units, count),
        units_of_all=scaled(query_units, count),
        partition_units=sum(query_units.values()),
        returns=f"{_names(bound_pattern)} of each of {count:,} queries",
        assumptions=tuple(notes),
    )

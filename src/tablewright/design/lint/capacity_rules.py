"""What will be throttled: TW401, TW402.

One partition serves 3,000 read units and 1,000 write units a second, and holds 10 GB before it is
divided ("Best practices for designing and using partition keys effectively").
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, Final

from tablewright.design.entity import Entity, Face
from tablewright.design.findings import Finding
from tablewright.design.lint.cardinality import FEW, is_unbounded_number, partition_values
from tablewright.design.lint.name_hints import is_opaque_name
from tablewright.design.lint.subject import Subject
from tablewright.design.pattern_model import PatternModel
from tablewright.design.rule_catalog import finding
from tablewright.design.table import Table
from tablewright.design.table_definition import Index
from tablewright.limits import PAGE_BYTES_MAX, READ_UNIT_BYTES

__all__ = ["CHECKS"]

_GB: Final = 1024**3
PARTITION_BYTES_MAX: Final = 10 * _GB
PARTITION_READ_UNITS_MAX: Final = 3_000
# Half of what a partition holds is where other tools begin to warn as well.
_BYTES_NEAR: Final = PARTITION_BYTES_MAX // 2
_SECONDS_PER_DAY: Final = 24 * 3600
# Where a design gives no hint of its own.
_ITEM_BYTES: Final = 400
_PAGE_ITEMS: Final = 50


# Few partitions.


def few_partitions(subject: Subject) -> Iterator[Finding]:
    """All rows of an entity lie in a few partitions of the table or an index."""
    for entity, face in subject.faces:
        count = partition_values(entity, face)
        if count is None:
            if _is_a_small_number(entity, face):
                told = f"are partitioned by {_number(face)} alone, a number without known bounds"
                yield _few(entity, face, told)
        elif count < FEW and not _is_one_row(face):
            told = "one partition" if count == 1 else f"{count} partitions"
            yield _few(entity, face, f"lie in {told}")


def _few(entity: Entity[Any], face: Face, told: str) -> Finding:
    written = " and ".join(f"{part.attribute.name} = {part.text}" for part in face.partition)
    total = _values_of_index(entity.table, face.index)
    where = ""
    if total is not None:
        where = f" ({face.index} has {total} partition value{'s' * (total > 1)} in all)"
    return finding(
        "TW401",
        entity.name,
        f"its rows in {face.index} {told}: {written}{where}.",
        entity.place,
    )


def _is_a_small_number(entity: Entity[Any], face: Face) -> bool:
    """Whether a number partitions an index alone: a rating, a level, a year, unless it is an id."""
    return (
        not face.index.is_table
        and is_unbounded_number(entity, face)
        and not is_opaque_name(_number(face))
    )


def _number(face: Face) -> str:
    return face.partition[0].template.fields[0]


def _is_one_row(face: Face) -> bool:
    """Whether nothing varies in the table's key: a row of settings cannot be spread."""
    return face.index.is_table and not face.fields


def _values_of_index(table: Table, index: Index) -> int | None:
    """How many partitions an index can have in all; None if one of its entities has no bound."""
    constants: set[tuple[str, ...]] = set()
    total = 0
    for entity in table.entities:
        face = entity.faces.get(index.name)
        if face is None:
            continue
        count = partition_values(entity, face)
        texts = tuple(part.template.text for part in face.partition)
        if count is None:
            return None
        # Entities that share a partition's template share its values.
        total += 0 if texts in constants else count
        constants.add(texts)
    return total


# Hot partitions.


def oversized_partitions(subject: Subject) -> Iterator[Finding]:
    """By the hints, the rows that share a partition come near what one holds."""
    for entity in subject.entities:
        if entity.per_partition is None or entity.size_bytes is None:
            continue
        held = entity.per_partition * entity.size_bytes
        if held >= _BYTES_NEAR:
            yield finding(
                "TW402",
                entity.name,
                f"{entity.per_partition:,} items of {entity.size_bytes:,} bytes in a partition "
                f"are {held / _GB:.1f} GB; one holds 10 GB.",
                entity.place,
            )


def hot_partitions(subject: Subject) -> Iterator[Finding]:
    """By the hints, a pattern reads a few partitions faster than they can be read."""
    for pattern in subject.patterns:
        calls = pattern.declared.calls_per_day
        count = _asked_partitions(pattern)
        if calls is None or count is None:
            continue
        units = calls * _read_units(pattern) / _SECONDS_PER_DAY / count
        if units > PARTITION_READ_UNITS_MAX:
            told = "one partition" if count == 1 else f"{count} partitions"
            yield finding(
                "TW402",
                pattern.name,
                f"{calls:,} calls a day on {told} of {pattern.index} are {units:,.0f} read units "
                f"a second on each, evenly spread; one serves {PARTITION_READ_UNITS_MAX:,}.",
                pattern.declared.place,
                fix="Divide the partition, or keep the answer in a cache.",
            )


def _asked_partitions(pattern: PatternModel) -> int | None:
    counts = [
        partition_values(entity, face)
        for entity in pattern.entities
        if (face := entity.faces.get(pattern.index.name)) is not None
    ]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def _read_units(pattern: PatternModel) -> float:
    """What one call reads: one item, or a page of them."""
    items = 1 if pattern.kind in ("get", "batch_get") else _PAGE_ITEMS
    size = max(entity.size_bytes or _ITEM_BYTES for entity in pattern.entities)
    units = ceil(min(items * size, PAGE_BYTES_MAX) / READ_UNIT_BYTES)
    return units if pattern.is_consistent else units / 2


CHECKS: Final = (few_partitions, oversized_partitions, hot_partitions)

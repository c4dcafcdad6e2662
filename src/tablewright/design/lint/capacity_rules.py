"""Capacity rules: TW401, TW402.

One partition serves 3,000 read units and 1,000 write units per second, and holds 10 GB before it is
split ("Best practices for designing and using partition keys effectively").
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
from tablewright.design.patterns.pattern_model import PatternModel
from tablewright.design.rule_catalog import finding
from tablewright.design.table import Table
from tablewright.design.table_definition import Index
from tablewright.limits import PAGE_BYTES_MAX, READ_UNIT_BYTES

__all__ = ["CHECKS"]

_GB: Final = 1024**3
PARTITION_BYTES_MAX: Final = 10 * _GB
PARTITION_READ_UNITS_MAX: Final = 3_000
# Warn at half the limit, as other tools do.
_BYTES_NEAR: Final = PARTITION_BYTES_MAX // 2
_SECONDS_PER_DAY: Final = 24 * 3600
# Assumed where a design has no hint.
_ITEM_BYTES: Final = 400
_PAGE_ITEMS: Final = 50


# Few partitions.


def few_partitions(subject: Subject) -> Iterator[Finding]:
    """All rows of an entity are in a few partitions of the table or an index."""
    for entity, face in subject.faces:
        count = partition_values(entity, face)
        if count is None:
            if _is_a_small_number(entity, face):
                partitions = f"have only {_number(face)} as partition key, a number without bounds"
                yield _few(entity, face, partitions)
        elif count < FEW and not _is_one_row(face):
            partitions = "one partition" if count == 1 else f"{count} partitions"
            yield _few(entity, face, f"are in {partitions}")


def _few(entity: Entity[Any], face: Face, distribution: str) -> Finding:
    written = " and ".join(f"{part.attribute.name} = {part.text}" for part in face.partition)
    total = _values_of_index(entity.table, face.index)
    where = ""
    if total is not None:
        where = f" ({face.index} has {total} partition value{'s' * (total > 1)} in all)"
    return finding(
        "TW401",
        entity.name,
        f"its rows in {face.index} {distribution}: {written}{where}.",
        entity.place,
    )


def _is_a_small_number(entity: Entity[Any], face: Face) -> bool:
    """Whether the partition key is only a number that is not an id: a rating, a level, a year."""
    return (
        not face.index.is_table
        and is_unbounded_number(entity, face)
        and not is_opaque_name(_number(face))
    )


def _number(face: Face) -> str:
    return face.partition[0].template.fields[0]


def _is_one_row(face: Face) -> bool:
    """Whether the table's key is constant: a single settings row cannot be spread."""
    return face.index.is_table and not face.fields


def _values_of_index(table: Table, index: Index) -> int | None:
    """How many partitions an index can have; None if an entity in it has no bound."""
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
        # Entities with the same partition template share its values.
        total += 0 if texts in constants else count
        constants.add(texts)
    return total


# Hot partitions.


def oversized_partitions(subject: Subject) -> Iterator[Finding]:
    """According to the hints, a partition comes near 10 GB."""
    for entity in subject.entities:
        if entity.per_partition is None or entity.size_bytes is None:
            continue
        held = entity.per_partition * entity.size_bytes
        if held >= _BYTES_NEAR:
            yield finding(
                "TW402",
                entity.name,
                f"{entity.per_partition:,} items of {entity.size_bytes:,} bytes in one partition "
                f"are {held / _GB:.1f} GB; the limit is 10 GB.",
                entity.place,
            )


def hot_partitions(subject: Subject) -> Iterator[Finding]:
    """According to the hints, a pattern reads a few partitions too often."""
    for pattern in subject.patterns:
        calls = pattern.declared.calls_per_day
        count = _partitions_read(pattern)
        if calls is None or count is None:
            continue
        units = calls * _read_units(pattern) / _SECONDS_PER_DAY / count
        if units > PARTITION_READ_UNITS_MAX:
            partitions = "one partition" if count == 1 else f"{count} partitions"
            yield finding(
                "TW402",
                pattern.name,
                f"{calls:,} calls per day on {partitions} of {pattern.index} are {units:,.0f} "
                "read units "
                f"per second on each, if evenly spread; the limit is {PARTITION_READ_UNITS_MAX:,}.",
                pattern.declared.place,
                fix="Split the partition, or cache the result.",
            )


def _partitions_read(pattern: PatternModel) -> int | None:
    counts = [
        partition_values(entity, face)
        for entity in pattern.entities
        if (face := entity.faces.get(pattern.index.name)) is not None
    ]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def _read_units(pattern: PatternModel) -> float:
    """The read units of one call: one item, or a page."""
    items = 1 if pattern.kind in ("get", "batch_get") else _PAGE_ITEMS
    size = max(entity.size_bytes or _ITEM_BYTES for entity in pattern.entities)
    units = ceil(min(items * size, PAGE_BYTES_MAX) / READ_UNIT_BYTES)
    return units if pattern.is_consistent else units / 2


CHECKS: Final = (few_partitions, oversized_partitions, hot_partitions)

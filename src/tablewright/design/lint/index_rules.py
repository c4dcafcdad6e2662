"""Index rules: TW302 to TW305, TW307."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

from tablewright.design.entity import Entity
from tablewright.design.findings import Finding
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding
from tablewright.design.table import Table
from tablewright.design.table_definition import Index
from tablewright.limits import (
    GLOBAL_KEY_ATTRIBUTES_MAX,
    TABLE_NAME_CHARS_MAX,
    TABLE_NAME_CHARS_MIN,
)

__all__ = ["CHECKS"]

_IS_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


def unused_indexes(subject: Subject) -> Iterator[Finding]:
    """No pattern reads an index."""
    if not subject.has_patterns:
        return
    for table in subject.tables:
        used = {p.index.name for p in subject.patterns if p.table is table}
        # A pattern that names an index counts as its reader, even if the index does not serve it.
        used |= {declared.index for declared in subject.declared if declared.index}
        for index in table.indexes.values():
            if index.name not in used:
                yield finding("TW302", index.name, "no access pattern reads it.", table.place)


def equal_indexes(subject: Subject) -> Iterator[Finding]:
    """Two indexes, or an index and the table, have the same key attributes."""
    for table in subject.tables:
        for first, second in combinations(table.all_indexes, 2):
            if (first.partition, first.sort) == (second.partition, second.sort):
                keys = ", ".join(part.name for part in first.attributes)
                yield finding(
                    "TW303", second.name, f"it has the same keys as {first}: {keys}.", table.place
                )


def consistent_index_reads(subject: Subject) -> Iterator[Finding]:
    """A pattern reads a global index consistently."""
    for pattern in subject.patterns:
        index = pattern.index
        if pattern.declared.is_consistent and not (index.is_table or index.is_local):
            yield finding(
                "TW304",
                pattern.name,
                f"it reads {index} consistently, but {index} is a global index.",
                pattern.declared.place,
            )


def lacking_projections(subject: Subject) -> Iterator[Finding]:
    """An index does not project attributes that the model requires."""
    reported: set[tuple[str, str]] = set()
    for pattern in subject.patterns:
        if pattern.kind == "count" or pattern.index.projection == "ALL":
            continue
        for entity in pattern.entities:
            about = (entity.name, pattern.index.name)
            missing = _missing(entity, pattern.index)
            if missing and about not in reported:
                reported.add(about)
                yield finding(
                    "TW305",
                    entity.name,
                    f"{pattern.name} reads it through {pattern.index}, "
                    f"which does not project {', '.join(missing)}.",
                    entity.place,
                )


def _missing(entity: Entity[Any], index: Index) -> list[str]:
    """The required attributes that the index does not project."""
    table = entity.table
    projected = {part.name for part in (*index.attributes, *table.primary.attributes)}
    if isinstance(index.projection, tuple):
        projected |= set(index.projection)
    if entity.envelope is not None and entity.envelope.attribute in projected:
        projected |= {a.name for a in entity.attributes.values() if a.in_envelope}
    fields = entity.model.model_fields
    needed = [a.name for a in entity.attributes.values() if fields[a.field].is_required()]
    if table.type_attribute is not None and entity.type_name is not None:
        needed.append(table.type_attribute)
    if table.ttl is not None and entity.expires:
        needed.append(table.ttl)
    return [name for name in dict.fromkeys(needed) if name not in projected]


def impossible_tables(subject: Subject) -> Iterator[Finding]:
    """CreateTable rejects the table."""
    for table in subject.tables:
        for cause in _refusals(table):
            yield finding("TW307", table.name, cause, table.place)


def _refusals(table: Table) -> Iterator[str]:
    for name in (table.name, *table.indexes):
        if not (_IS_NAME(name) and TABLE_NAME_CHARS_MIN <= len(name) <= TABLE_NAME_CHARS_MAX):
            yield f"{name!r} is not a valid name: use 3 to 255 letters, digits, '_', '.' or '-'."
    for index in table.indexes.values():
        if index.is_local and index.partition != table.primary.partition:
            wanted = ", ".join(part.name for part in table.primary.partition)
            yield f"the partition key of the local index {index} must be {wanted}."
        if index.is_local and not index.sort:
            yield f"the local index {index} has no sort key."
        most = 1 if index.is_local else GLOBAL_KEY_ATTRIBUTES_MAX
        for role, attributes in (("partition", index.partition), ("sort", index.sort)):
            if len(attributes) > most:
                yield f"the {role} key of {index} has {len(attributes)} attributes; limit: {most}."
    if max(len(table.primary.partition), len(table.primary.sort)) > 1:
        yield "a key of the table has several attributes; only global indexes can have that."
    types: dict[str, str] = {}
    for index in table.all_indexes:
        for part in index.attributes:
            if types.setdefault(part.name, part.type) != part.type:
                yield f"{part.name} is {types[part.name]} in one key and {part.type} in {index}."


CHECKS: Final = (
    unused_indexes,
    equal_indexes,
    consistent_index_reads,
    lacking_projections,
    impossible_tables,
)

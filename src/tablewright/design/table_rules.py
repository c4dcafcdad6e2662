"""Rules about tables and the attributes of their items, which DynamoDB itself would enforce.

A table that CreateTable rejects, an item that PutItem rejects, and an index key that means two
things. Rules about keys that can collide are in `proofs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tablewright.design.entity import Entity
from tablewright.design.fields import value_types
from tablewright.design.findings import Finding
from tablewright.design.rule_catalog import finding
from tablewright.keys.template import Field
from tablewright.keys.times import Day, Instant
from tablewright.limits import (
    GLOBAL_INDEXES_MAX,
    GLOBAL_KEY_ATTRIBUTES_MAX,
    LOCAL_INDEXES_MAX,
    PROJECTED_ATTRIBUTES_MAX,
    PROJECTED_ATTRIBUTES_PER_INDEX_MAX,
    TABLE_NAME_CHARS_MAX,
    TABLE_NAME_CHARS_MIN,
)

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["table_findings"]

_IS_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+").fullmatch
# The DynamoDB type in which values of a Python type are stored; times are stored as text.
_STORED_AS: Final = {int: "N", bytes: "B", bool: "BOOL"}


def table_findings(table: Table) -> Iterator[Finding]:
    """The errors of a table, its entities and its derived items."""
    for cause in _refusals(table):
        yield finding("TW307", table.name, cause, table.place)
    for cause in _excesses(table):
        yield finding("TW505", table.name, cause, table.place)
    for entity in table.entities:
        yield from _time_only_key(entity)
        yield from _disagreeing_keys(entity)
        yield from _unfit_index_attributes(entity)
    yield from _rows_written_apart(table)


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


def _excesses(table: Table) -> Iterator[str]:
    indexes = list(table.indexes.values())
    local = sum(index.is_local for index in indexes)
    if len(indexes) - local > GLOBAL_INDEXES_MAX:
        yield f"it has {len(indexes) - local} global indexes; the limit is {GLOBAL_INDEXES_MAX}."
    if local > LOCAL_INDEXES_MAX:
        yield f"it has {local} local indexes; the limit is {LOCAL_INDEXES_MAX}."
    total = 0
    for index in indexes:
        count = len(index.projection) if isinstance(index.projection, tuple) else 0
        total += count
        if count > PROJECTED_ATTRIBUTES_PER_INDEX_MAX:
            most = PROJECTED_ATTRIBUTES_PER_INDEX_MAX
            yield f"{index} projects {count} named attributes; the limit is {most}."
    if total > PROJECTED_ATTRIBUTES_MAX:
        most = PROJECTED_ATTRIBUTES_MAX
        yield f"its indexes project {total} named attributes together; the limit is {most}."


def _time_only_key(entity: Entity[Any]) -> Iterator[Finding]:
    """Only a time varies in an item's key."""
    parts = entity.faces[""].parts
    fields = [piece for p in parts for piece in p.template.parts if isinstance(piece, Field)]
    is_numbered = any(part.attribute.type != "S" for part in parts)
    if not fields or is_numbered or not all(isinstance(f.codec, Day | Instant) for f in fields):
        return
    written = " / ".join(part.text for part in parts)
    sample = {field.name: field.codec.sample for field in fields}
    key = " / ".join(part.template.render(sample) for part in parts)
    names = ", ".join(dict.fromkeys(field.name for field in fields))
    kind = "day" if all(isinstance(field.codec, Day) for field in fields) else "time"
    yield finding(
        "TW105",
        entity.name,
        f"only the {kind} varies in its key {written}: {names}.",
        entity.place,
        example=f"two of {fields[0].codec.encode(fields[0].codec.sample)} both have {key!r}: "
        "the second overwrites the first",
    )


def _disagreeing_keys(entity: Entity[Any]) -> Iterator[Finding]:
    """One attribute is part of two keys, with two templates."""
    texts: dict[str, tuple[str, str]] = {}
    for face in entity.faces.values():
        for part in face.parts:
            name = part.attribute.name
            first = texts.setdefault(name, (part.template.text, str(face.index)))
            if first[0] != part.template.text:
                yield finding(
                    "TW308",
                    entity.name,
                    f"{name} is {first[0]!r} in {first[1]} and {part.template.text!r} in "
                    f"{face.index}, but an item has one {name}.",
                    entity.place,
                )


def _unfit_index_attributes(entity: Entity[Any]) -> Iterator[Finding]:
    """An attribute has the name of an index key, but another type."""
    templates = {part.attribute.name for face in entity.faces.values() for part in face.parts}
    for index in entity.table.indexes.values():
        for key in index.attributes:
            for attribute in entity.attributes.values():
                if attribute.name != key.name or key.name in templates or attribute.in_envelope:
                    continue
                types = {_STORED_AS.get(t, "S") for t in value_types(attribute.annotation)}
                if types and key.type not in types:
                    yield finding(
                        "TW309",
                        entity.name,
                        f"{key.name} is {' or '.join(sorted(types))}, but {index} has a key "
                        f"{key.name} of type {key.type}.",
                        entity.place,
                    )


def _rows_written_apart(table: Table) -> Iterator[Finding]:
    """Derived rows are written in separate calls."""
    for derivation in table.derivations:
        if not derivation.is_atomic:
            rows = ", ".join(target.name for target in derivation.targets)
            source = derivation.source.name
            yield finding(
                "TW506",
                derivation.name,
                f"{rows} rows are not written in the transaction of {source}.",
                derivation.place,
                example=f"{source} is written, the process dies, and its {rows} rows are never "
                "written; or BatchWriteItem returns some rows as UnprocessedItems, and the caller "
                "ignores them",
            )

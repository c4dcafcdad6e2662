"""Portability rules: TW701 to TW705."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewright.design.entity import Entity
from tablewright.design.findings import Finding
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding

__all__ = ["CHECKS", "misspelt_expiry"]

# docs/alternator/compatibility.md of ScyllaDB: names become directory names.
ALTERNATOR_TABLE_NAME_CHARS_MAX: Final = 192
ALTERNATOR_INDEX_NAMES_CHARS_MAX: Final = 221  # Table name and index name together.


def transactions(subject: Subject) -> Iterator[Finding]:
    """Writes that need a transaction."""
    for table in subject.tables:
        sources = [
            entity.name
            for entity in table.entities
            if entity.derivations or entity.histories or entity.counts
        ]
        if sources:
            yield finding(
                "TW701",
                table.name,
                f"writes of {', '.join(sources)} need transactions.",
                table.place,
            )


def long_names(subject: Subject) -> Iterator[Finding]:
    """Names that are too long for Alternator."""
    for table in subject.tables:
        length = len(table.name)
        if length > ALTERNATOR_TABLE_NAME_CHARS_MAX:
            cause = f"the table name has {length} characters."
            yield finding("TW702", table.name, cause, table.place)
        for name in table.indexes:
            if length + len(name) > ALTERNATOR_INDEX_NAMES_CHARS_MAX:
                cause = f"the table and index names have {length + len(name)} characters together."
                yield finding("TW702", name, cause, table.place)


def joined_index_keys(subject: Subject) -> Iterator[Finding]:
    """Index keys with several attributes, which Alternator does not have."""
    for table in subject.tables:
        for index in table.indexes.values():
            if len(index.partition) > 1 or len(index.sort) > 1:
                names = ", ".join(part.name for part in index.attributes)
                yield finding(
                    "TW703", index.name, f"its key has several attributes: {names}.", table.place
                )


def expiry_in_another_case(subject: Subject) -> Iterator[Finding]:
    """An attribute differs from the table's TTL attribute only in case."""
    for entity in subject.entities:
        name = misspelt_expiry(entity)
        if name is not None:
            yield finding(
                "TW704",
                entity.name,
                f"it has the attribute {name}, but the TTL attribute of {entity.table.name} is "
                f"{entity.table.ttl}.",
                entity.place,
                example=f"an item with {name} = 1700000000 never expires",
            )


def misspelt_expiry(entity: Entity[Any]) -> str | None:
    """The attribute that differs from the table's TTL attribute only in case."""
    ttl = entity.table.ttl
    if ttl is None or entity.expires:
        return None
    names = [attribute.name for attribute in entity.attributes.values()]
    return next((name for name in names if name.lower() == ttl.lower()), None)


def ignored_projections(subject: Subject) -> Iterator[Finding]:
    """Indexes with a projection, which Alternator ignores."""
    for table in subject.tables:
        for index in table.indexes.values():
            if index.projection != "ALL":
                projected = (
                    index.projection if isinstance(index.projection, str) else "some attributes"
                )
                yield finding("TW705", index.name, f"it projects only {projected}.", table.place)


CHECKS: Final = (
    transactions,
    long_names,
    joined_index_keys,
    expiry_in_another_case,
    ignored_projections,
)

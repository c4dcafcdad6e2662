"""What works in one place and not in another: TW701 to TW705."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewright.design.entity import Entity
from tablewright.design.findings import Finding
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding

__all__ = ["CHECKS", "misspelt_expiry"]

# docs/alternator/compatibility.md of ScyllaDB: names become those of directories.
ALTERNATOR_TABLE_NAME_CHARS_MAX: Final = 192
ALTERNATOR_INDEX_NAMES_CHARS_MAX: Final = 221  # The table's name and the index's together.


def transactions(subject: Subject) -> Iterator[Finding]:
    """Writes of several items at once."""
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
                f"writes of {', '.join(sources)} are transactions.",
                table.place,
            )


def long_names(subject: Subject) -> Iterator[Finding]:
    """Names that Alternator refuses."""
    for table in subject.tables:
        length = len(table.name)
        if length > ALTERNATOR_TABLE_NAME_CHARS_MAX:
            cause = f"its name has {length} characters."
            yield finding("TW702", table.name, cause, table.place)
        for name in table.indexes:
            if length + len(name) > ALTERNATOR_INDEX_NAMES_CHARS_MAX:
                cause = f"the names of table and index have {length + len(name)} characters."
                yield finding("TW702", name, cause, table.place)


def joined_index_keys(subject: Subject) -> Iterator[Finding]:
    """Index keys of several attributes."""
    for table in subject.tables:
        for index in table.indexes.values():
            if len(index.partition) > 1 or len(index.sort) > 1:
                names = ", ".join(part.name for part in index.attributes)
                yield finding("TW703", index.name, f"its key is {names}.", table.place)


def expiry_in_another_case(subject: Subject) -> Iterator[Finding]:
    """An attribute is spelt almost as the table's expiry attribute."""
    for entity in subject.entities:
        name = misspelt_expiry(entity)
        if name is not None:
            yield finding(
                "TW704",
                entity.name,
                f"its attribute is {name}, but {entity.table.name} expires by {entity.table.ttl}.",
                entity.place,
                example=f"an item with {name} = 1700000000 stays for ever",
            )


def misspelt_expiry(entity: Entity[Any]) -> str | None:
    """The attribute that differs from the table's expiry attribute in case only."""
    ttl = entity.table.ttl
    if ttl is None or entity.expires:
        return None
    names = [attribute.name for attribute in entity.attributes.values()]
    return next((name for name in names if name.lower() == ttl.lower()), None)


def ignored_projections(subject: Subject) -> Iterator[Finding]:
    """Indexes that project less than everything."""
    for table in subject.tables:
        for index in table.indexes.values():
            if index.projection != "ALL":
                told = index.projection if isinstance(index.projection, str) else "some attributes"
                yield finding("TW705", index.name, f"it projects {told} only.", table.place)


CHECKS: Final = (
    transactions,
    long_names,
    joined_index_keys,
    expiry_in_another_case,
    ignored_projections,
)

"""What DynamoDB will refuse or never do, once there is enough data: TW503 to TW508."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewright.design.entity import Entity, KeyPart
from tablewright.design.findings import Finding
from tablewright.design.lint.name_hints import is_expiry_name
from tablewright.design.lint.portability_rules import misspelt_expiry
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding
from tablewright.design.table import Table
from tablewright.keys.languages import Choice, Piece
from tablewright.limits import (
    GLOBAL_INDEXES_MAX,
    KB,
    LOCAL_INDEXES_MAX,
    PARTITION_KEY_BYTES_MAX,
    PROJECTED_ATTRIBUTES_MAX,
    PROJECTED_ATTRIBUTES_PER_INDEX_MAX,
    SORT_KEY_BYTES_MAX,
)

__all__ = ["CHECKS"]

_ITEM_BYTES_LARGE: Final = 300 * KB  # Three quarters of what an item may have.


def long_keys(subject: Subject) -> Iterator[Finding]:
    """By the lengths that are declared, a key can exceed its limit."""
    for entity, face in subject.faces:
        for parts, limit in (
            (face.partition, PARTITION_KEY_BYTES_MAX),
            (face.sort, SORT_KEY_BYTES_MAX),
        ):
            for part in parts:
                size = _bytes_possible(part)
                if size > limit:
                    yield finding(
                        "TW503",
                        entity.name,
                        f"{part.attribute.name} = {part.text} may have {size:,} bytes, "
                        f"and at most {limit:,} are allowed.",
                        entity.place,
                    )


def _bytes_possible(part: KeyPart) -> int:
    """The bytes of the longest key, as far as lengths are declared.

    Text without a declared length counts as short: every id would be reported otherwise.
    """
    if part.attribute.type != "S":
        return 0
    return sum(_piece_bytes(piece) for piece in part.template.pieces)


def _piece_bytes(piece: Piece | Choice) -> int:
    if isinstance(piece, Choice):
        return max(len(text.encode()) for text in piece.texts)
    most = piece.at_least if piece.at_most is None else piece.at_most
    return most * piece.chars.bytes_max


def large_items(subject: Subject) -> Iterator[Finding]:
    """By its hint, an item comes near the limit."""
    for entity in subject.entities:
        size = entity.size_bytes
        if size is not None and size > _ITEM_BYTES_LARGE:
            yield finding(
                "TW504",
                entity.name,
                f"its items have {size / KB:,.0f} KB, and at most 400 KB are allowed.",
                entity.place,
            )


def too_many_indexes(subject: Subject) -> Iterator[Finding]:
    """A table has more indexes, or projects more attributes, than DynamoDB takes."""
    for table in subject.tables:
        for cause in _excesses(table):
            yield finding("TW505", table.name, cause, table.place)


def _excesses(table: Table) -> Iterator[str]:
    indexes = list(table.indexes.values())
    local = sum(index.is_local for index in indexes)
    if len(indexes) - local > GLOBAL_INDEXES_MAX:
        yield f"it has {len(indexes) - local} global indexes; {GLOBAL_INDEXES_MAX} are allowed."
    if local > LOCAL_INDEXES_MAX:
        yield f"it has {local} local indexes; {LOCAL_INDEXES_MAX} are allowed."
    total = 0
    for index in indexes:
        count = len(index.projection) if isinstance(index.projection, tuple) else 0
        total += count
        if count > PROJECTED_ATTRIBUTES_PER_INDEX_MAX:
            most = PROJECTED_ATTRIBUTES_PER_INDEX_MAX
            yield f"{index} projects {count} named attributes; {most} are allowed."
    if total > PROJECTED_ATTRIBUTES_MAX:
        most = PROJECTED_ATTRIBUTES_MAX
        yield f"its indexes project {total} named attributes together; {most} are allowed."


def rows_written_apart(subject: Subject) -> Iterator[Finding]:
    """Derived rows are written in calls of their own."""
    for derivation in subject.derivations:
        if not derivation.is_atomic:
            rows = ", ".join(target.name for target in derivation.targets)
            source = derivation.source.name
            yield finding(
                "TW506",
                derivation.name,
                f"{rows} rows are not written in the transaction of {source}.",
                derivation.place,
                example=f"{source} is written, the process dies, its {rows} rows never come; "
                "or BatchWriteItem returns some as UnprocessedItems, and nobody looks",
            )


def missing_expiry(subject: Subject) -> Iterator[Finding]:
    """An entity says when its items end, and DynamoDB is not told."""
    for entity in subject.entities:
        fields = [field for field in entity.attributes if is_expiry_name(field)]
        table = entity.table
        if not fields or misspelt_expiry(entity) is not None or _is_told(entity):
            continue
        without = (
            f"{table.name} has no TTL attribute"
            if table.ttl is None
            else f"its items do not have {table.ttl}, the TTL attribute of {table.name}"
        )
        yield finding(
            "TW507",
            entity.name,
            f"{', '.join(fields)} says that its items end, but {without}.",
            entity.place,
        )


def _is_told(entity: Entity[Any]) -> bool:
    return entity.table.ttl is not None and entity.expires


def staged_writes(subject: Subject) -> Iterator[Finding]:
    """Derived rows have no bound, so they are written in stages."""
    for derivation in subject.derivations:
        if derivation.is_staged and derivation.is_atomic:
            yield finding(
                "TW508",
                derivation.name,
                f"{derivation.source.name} may make any number of its rows, "
                "so they are written in stages.",
                derivation.place,
            )


CHECKS: Final = (
    long_keys,
    large_items,
    too_many_indexes,
    rows_written_apart,
    missing_expiry,
    staged_writes,
)

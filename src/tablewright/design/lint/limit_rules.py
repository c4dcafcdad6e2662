"""Limit rules: TW503, TW504, TW507 and TW508."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewright.design.entity import Entity, KeyPart
from tablewright.design.findings import Finding
from tablewright.design.lint.name_hints import is_expiry_name
from tablewright.design.lint.portability_rules import misspelt_expiry
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding
from tablewright.keys.languages import Choice, Piece
from tablewright.limits import (
    KB,
    PARTITION_KEY_BYTES_MAX,
    SORT_KEY_BYTES_MAX,
)

__all__ = ["CHECKS"]

_ITEM_BYTES_LARGE: Final = 300 * KB  # Warn at three quarters of the limit.


def long_keys(subject: Subject) -> Iterator[Finding]:
    """According to the declared lengths, a key can exceed its limit."""
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
                        f"{part.attribute.name} = {part.text} can be {size:,} bytes long, "
                        f"but the limit is {limit:,}.",
                        entity.place,
                    )


def _bytes_possible(part: KeyPart) -> int:
    """The bytes of the longest key, according to the declared lengths.

    Text without a declared length counts as short; otherwise every id would be reported.
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
    """According to its hint, an item comes near the limit."""
    for entity in subject.entities:
        size = entity.size_bytes
        if size is not None and size > _ITEM_BYTES_LARGE:
            yield finding(
                "TW504",
                entity.name,
                f"its items are {size / KB:,.0f} KB; the limit is 400 KB.",
                entity.place,
            )


def missing_expiry(subject: Subject) -> Iterator[Finding]:
    """An entity has an expiry time, but no TTL attribute is set from it."""
    for entity in subject.entities:
        fields = [field for field in entity.attributes if is_expiry_name(field)]
        table = entity.table
        if not fields or misspelt_expiry(entity) is not None or _has_ttl(entity):
            continue
        without = (
            f"{table.name} has no TTL attribute"
            if table.ttl is None
            else f"its items do not have {table.ttl}, the TTL attribute of {table.name}"
        )
        yield finding(
            "TW507",
            entity.name,
            f"{', '.join(fields)} looks like an expiry time, but {without}.",
            entity.place,
        )


def _has_ttl(entity: Entity[Any]) -> bool:
    return entity.table.ttl is not None and entity.expires


def staged_writes(subject: Subject) -> Iterator[Finding]:
    """Derived rows have no bound, so writes are staged."""
    for derivation in subject.derivations:
        if derivation.is_staged and derivation.is_atomic:
            yield finding(
                "TW508",
                derivation.name,
                f"{derivation.source.name} can have any number of its rows, "
                "so its writes are staged.",
                derivation.place,
            )


CHECKS: Final = (
    long_keys,
    large_items,
    missing_expiry,
    staged_writes,
)

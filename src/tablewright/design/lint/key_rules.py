"""Key rules: TW104, TW105, TW108, TW111."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, Final

from tablewright.design.entity import Entity, Face, KeyPart
from tablewright.design.findings import Finding
from tablewright.design.lint.name_hints import is_opaque_name
from tablewright.design.lint.subject import Subject
from tablewright.design.patterns.pattern_model import PatternModel
from tablewright.design.rule_catalog import finding
from tablewright.errors import KeyValueInvalid
from tablewright.keys.choices import OneOf
from tablewright.keys.codec import Codec
from tablewright.keys.languages import Choice, chars_of
from tablewright.keys.template import Field

__all__ = ["CHECKS"]

# Spellings that normalisers map to the same text.
_SPELLINGS: Final = ("ab-c", "abc", "ABC", "a b c")


def lossy_keys(subject: Subject) -> Iterator[Finding]:
    """A normalised value is part of the table's key."""
    # A guard is meant to match every spelling.
    guards = subject.guards
    for entity in subject.entities:
        if entity in guards:
            continue
        placed = [(part, field) for part in entity.faces[""].parts for field in _fields(part)]
        exact = {field.name for _, field in placed if not field.codec.is_lossy}
        for part, field in placed:
            if field.codec.is_lossy and field.name not in exact:
                yield finding(
                    "TW104",
                    entity.name,
                    f"{part.text} normalises {field.name}, so different values get the same key.",
                    entity.place,
                    example=_spelt_alike(field),
                )


def _fields(part: KeyPart) -> list[Field]:
    if part.attribute.type != "S":
        return []
    return [piece for piece in part.template.parts if isinstance(piece, Field)]


def _spelt_alike(field: Field) -> str:
    for first, second in combinations(_SPELLINGS, 2):
        try:
            text = field.codec.encode(first)
            if text == field.codec.encode(second):
                return (
                    f"{field.name} = {first!r} and {field.name} = {second!r} both have the "
                    f"key {text!r}"
                )
        except KeyValueInvalid:
            continue
    return ""


def static_case(subject: Subject) -> Iterator[Finding]:
    """Fixed key parts do not follow the table's static_case."""
    for entity in subject.entities:
        wanted = entity.table.static_case
        if wanted is None:
            continue
        texts = [
            piece
            for face in entity.faces.values()
            for part in face.parts
            for piece in part.template.parts
            if isinstance(piece, str)
        ]
        wrong = list(dict.fromkeys(t for t in texts if t != getattr(t, wanted)()))
        if wrong:
            yield finding(
                "TW108",
                entity.name,
                f"fixed key parts in {entity.table.name} are in {wanted} case, "
                f"but not {', '.join(map(repr, wrong))}.",
                entity.place,
                example=f"{wrong[0]!r} would be {getattr(wrong[0], wanted)()!r}",
            )


# Order.


def unkept_order(subject: Subject) -> Iterator[Finding]:
    """A pattern returns rows in an order that is not the order of the values."""
    reported: set[tuple[str, str, str]] = set()
    for pattern in subject.patterns:
        if pattern.kind not in ("query", "fan_out") or len(pattern.entities) != 1:
            continue
        entity = pattern.entities[0]
        place = _ordering_field(pattern, entity)
        if place is None:
            continue
        part, field = place
        codec = part.template.codec(field)
        # The order of ids does not matter, and unchecked text has its own rule.
        is_of_interest = codec.is_checked and not is_opaque_name(field)
        if part.template.is_order_kept(field) or not is_of_interest:
            continue
        about = (entity.name, pattern.index.name, field)
        example = _out_of_order(part, field, codec)
        if example and about not in reported:
            reported.add(about)
            yield finding(
                "TW111",
                entity.name,
                f"{pattern.name} returns rows in the order of {part.text}, which does not sort "
                f"by {field}.",
                entity.place,
                example=example,
            )


def _ordering_field(pattern: PatternModel, entity: Entity[Any]) -> tuple[KeyPart, str] | None:
    """The sort key and the first of its fields that a query does not bind."""
    face: Face | None = entity.faces.get(pattern.index.name)
    rest = face.sort[len(pattern.leading) :] if face is not None else ()
    if not rest or rest[0].attribute.type != "S" or pattern.sort.kind in ("equals", "range"):
        return None
    bound = pattern.sort.bound if pattern.sort.kind != "none" else ()
    free = [field for field in rest[0].template.fields if field not in bound]
    return (rest[0], free[0]) if free else None


def _out_of_order(part: KeyPart, field: str, codec: Codec) -> str:
    """An example of two values whose keys sort in the opposite order."""
    parts = part.template.parts
    at = next(i for i, p in enumerate(parts) if isinstance(p, Field) and p.name == field)
    closing = parts[at + 1] if at + 1 < len(parts) else ""
    if codec.is_ordered and isinstance(closing, str) and isinstance(codec.sample, str):
        chars = chars_of(codec.pieces)
        low = " " if " " in chars else chars.lowest
        short, long = codec.sample, f"{codec.sample}{low}d"
        return f"{long + closing!r} sorts before {short + closing!r}, but {short!r} before {long!r}"
    if isinstance(codec, OneOf):
        texts = [
            text for piece in codec.pieces if isinstance(piece, Choice) for text in piece.texts
        ]
        for first, second in pairwise(sorted(texts)):
            if _is_above(codec.decode(first), codec.decode(second)):
                return f"{first!r} sorts before {second!r}"
    return ""  # Numbers without a width have their own rule.


def _is_above(first: Any, second: Any) -> bool:
    """Whether a choice sorts after another; different types are not compared."""
    first, second = getattr(first, "value", first), getattr(second, "value", second)
    return type(first) is type(second) and bool(first > second)


CHECKS: Final = (lossy_keys, static_case, unkept_order)

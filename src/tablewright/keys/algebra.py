"""What can be proved about keys: whether two kinds of rows can share one, and what a query returns.

A face is where the rows of one kind lie in a table or index: the languages of its key attributes.
Proofs are by languages, attribute by attribute, so they are safe, not complete: a proof that two
faces never meet holds; an example that they do may be one that the applications never make, such
as a February 30, or a partition and a sort key whose common field has two different values.

Knows templates, no entities: who owns a face is the caller's business.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.keys.languages import ANY, Choice, Piece, meet
from tablewright.keys.template import Template

__all__ = [
    "Area",
    "Face",
    "Kind",
    "QueryFace",
    "Slot",
    "collision",
    "examples",
    "question",
    "reach",
]

Kind = Literal["equals", "prefix", "typed range", "all"]


@dataclass(frozen=True)
class Slot:
    """One key attribute: its template, and its type if that is not text."""

    template: Template
    type: Literal["S", "N", "B"] = "S"


@dataclass(frozen=True)
class Face:
    """Where the rows of one kind lie; tuples, because an index key may have several attributes."""

    partition: tuple[Slot, ...]
    sort: tuple[Slot, ...] = ()


@dataclass(frozen=True)
class Area:
    """The values of one key attribute that are asked for."""

    pieces: tuple[Piece | Choice, ...]
    type: Literal["S", "N", "B"] = "S"


@dataclass(frozen=True)
class QueryFace:
    """What a query asks for: an area per key attribute, of any values of its bound fields."""

    partition: tuple[Area, ...]
    sort: tuple[Area, ...] = ()


def question(face: Face, bound: Collection[str], kind: Kind) -> QueryFace:
    """Return what a query over this face asks for when these fields are bound.

    ``equals`` binds the whole sort key, ``prefix`` is begins_with, ``typed range`` lies between
    the typed bounds, and ``all`` has no condition on the sort key. The partition key is always
    bound. Of several sort attributes those before the first unbound one are bound by equality.
    """
    areas = []
    is_over = kind == "all"
    for place, slot in enumerate(face.sort):
        free = not set(slot.template.fields) <= set(bound)
        is_last = free or place == len(face.sort) - 1
        areas.append(_area(slot, bound, "all" if is_over else kind if is_last else "equals"))
        is_over = is_over or is_last
    return QueryFace(tuple(_area(slot, bound, "equals") for slot in face.partition), tuple(areas))


def _area(slot: Slot, bound: Collection[str], kind: Kind) -> Area:
    template = slot.template
    own = [name for name in template.fields if name in bound]
    if kind == "prefix":
        return Area(template.prefix_pieces(own), slot.type)
    if kind == "typed range":
        return Area(template.range_pieces(own), slot.type)
    return Area(template.pieces if kind == "equals" else (ANY,), slot.type)


def collision(one: Face, other: Face) -> tuple[str, ...] | None:
    """Return a key that rows of both can have, a text per attribute; None if there is none."""
    return _common(_areas(one), _areas(other))


def reach(query: QueryFace, face: Face) -> tuple[str, ...] | None:
    """Return the key of a row of this face that the query returns; None if it returns none."""
    return _common((*query.partition, *query.sort), _areas(face))


def examples(template: Template) -> dict[str, Any]:
    """Return a value for each field of a template, to show what its keys look like."""
    return {name: template.codec(name).sample for name in template.fields}


def _areas(face: Face) -> tuple[Area, ...]:
    return tuple(Area(slot.template.pieces, slot.type) for slot in (*face.partition, *face.sort))


def _common(ones: Sequence[Area], others: Sequence[Area]) -> tuple[str, ...] | None:
    """An example for each pair of areas; None if the keys differ in form or a pair never meets."""
    if len(ones) != len(others):
        return None
    found = []
    for one, other in zip(ones, others, strict=True):
        example = _example(one, other)
        if example is None:
            return None
        found.append(example)
    return tuple(found)


def _example(one: Area, other: Area) -> str | None:
    if one.type != other.type:
        return None
    # Any two numbers, or bytes, may be equal: their templates are plain fields.
    return meet(one.pieces, other.pieces) if one.type == "S" else "1"

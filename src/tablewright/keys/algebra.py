"""Proofs about keys: whether two entities can share a key, and which rows a query returns.

A face is the keys of one entity in a table or index: the languages of its key attributes.
Proofs compare languages, attribute by attribute. They are sound, but not complete: if no common key
is found, there is none; but an example may be one that applications never create, such as February
30, or a partition and a sort key with different values of the same field.

Knows templates, but not entities.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

from tablewright.keys.charsets import TOP
from tablewright.keys.languages import ANY, Choice, Piece, head_of, meet
from tablewright.keys.template import Template

__all__ = [
    "Area",
    "Face",
    "Kind",
    "Neighbours",
    "QueryFace",
    "Slot",
    "collision",
    "examples",
    "query_face",
    "reach",
]

T = TypeVar("T")
Kind = Literal["equals", "prefix", "typed range", "all"]


@dataclass(frozen=True)
class Slot:
    """One key attribute: its template, and its type if that is not text."""

    template: Template
    type: Literal["S", "N", "B"] = "S"


@dataclass(frozen=True)
class Face:
    """The keys of one entity; tuples, because an index key may have several attributes."""

    partition: tuple[Slot, ...]
    sort: tuple[Slot, ...] = ()

    @cached_property
    def areas(self) -> tuple[Area, ...]:
        """The values of each key attribute."""
        slots = (*self.partition, *self.sort)
        return tuple(Area(slot.template.pieces, slot.type) for slot in slots)


@dataclass(frozen=True)
class Area:
    """The values of one key attribute that a query matches."""

    pieces: tuple[Piece | Choice, ...]
    type: Literal["S", "N", "B"] = "S"

    @cached_property
    def head(self) -> str:
        """What all its texts begin with."""
        return head_of(self.pieces) if self.type == "S" else ""


@dataclass(frozen=True)
class QueryFace:
    """What a query matches: an area for each key attribute, for any values of bound fields."""

    partition: tuple[Area, ...]
    sort: tuple[Area, ...] = ()

    @property
    def areas(self) -> tuple[Area, ...]:
        return self.partition + self.sort


def query_face(face: Face, bound: Collection[str], kind: Kind) -> QueryFace:
    """What a query over this face matches when these fields are bound.

    ``equals`` binds the whole sort key, ``prefix`` is begins_with, ``typed range`` lies between
    the typed bounds, and ``all`` has no condition on the sort key. The partition key is always
    bound. Of several sort attributes, those before the first unbound one are compared with =.
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


class Neighbours(Generic[T]):
    """Finds the faces that may share a key with a query or a face, without comparing all pairs."""

    def __init__(self, faces: Iterable[tuple[Face, T]]) -> None:
        self._faces = [(face.areas, owner) for face, owner in faces]
        self._by_head: list[tuple[list[str], list[int]]] = []
        for place in range(max((len(areas) for areas, _ in self._faces), default=0)):
            order = sorted(
                range(len(self._faces)), key=lambda number: self._faces[number][0][place].head
            )
            heads = [self._faces[number][0][place].head for number in order]
            self._by_head.append((heads, order))

    def near(self, areas: Sequence[Area]) -> list[T]:
        """The owners of all faces with which these areas may have a key in common."""
        nearest: list[int] = list(range(len(self._faces)))
        for area, (heads, order) in zip(areas, self._by_head, strict=False):
            first = bisect_left(heads, area.head)
            last = bisect_left(heads, area.head + TOP)
            shorter = {area.head[:length] for length in range(len(area.head))}
            numbers = order[first:last]
            for head in shorter:
                numbers += order[bisect_left(heads, head) : bisect_right(heads, head)]
            if len(numbers) < len(nearest):
                nearest = numbers
        return [self._faces[number][1] for number in sorted(nearest)]


def _may_begin_alike(first: str, second: str) -> bool:
    return first.startswith(second) or second.startswith(first)


def collision(first: Face, second: Face) -> tuple[str, ...] | None:
    """A key that rows of both can have, one text for each attribute; None if there is none."""
    return _common(first.areas, second.areas)


def reach(query: QueryFace, face: Face) -> tuple[str, ...] | None:
    """The key of a row of this face that the query returns; None if there is none."""
    return _common(query.areas, face.areas)


def examples(template: Template) -> dict[str, Any]:
    """An example value for each field of a template."""
    return {name: template.codec(name).sample for name in template.fields}


def _common(ones: Sequence[Area], others: Sequence[Area]) -> tuple[str, ...] | None:
    """An example for each pair of areas; None if a pair has no common value."""
    if len(ones) != len(others):
        return None
    examples = []
    for first, second in zip(ones, others, strict=True):
        example = _example(first, second)
        if example is None:
            return None
        examples.append(example)
    return tuple(examples)


def _example(first: Area, second: Area) -> str | None:
    if first.type != second.type or not _may_begin_alike(first.head, second.head):
        return None
    # Any two numbers, or bytes, may be equal: their templates are plain fields.
    return meet(first.pieces, second.pieces) if first.type == "S" else "1"

"""The load that each call of a design puts on which partitions, from its explanations.

A partition key is known by its *shape*: the place it is in, and its template without the names of
its fields. ``USER#{athleteId}`` and ``USER#{coachId}`` are one shape: the same key, two words for
who it is. Nothing here knows how often anything is called; `whatif` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

from tablewright.explain.capacity_units import (
    PARTITION_READ_UNITS_MAX,
    Units,
    added,
    place_name,
    read_units,
    row_size,
    total,
)
from tablewright.explain.explanation import HotPartition

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, KeyPart
    from tablewright.design.patterns.pattern_model import PatternModel
    from tablewright.explain.explanation import Explanation
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign

__all__ = ["Growth", "Line", "Load", "Shape", "Touch", "load_of"]

_FIELD: Final = re.compile(r"\{[^{}]*\}")
_READ_BYTES: Final = {True: 4096, False: 8192}  # Of one unit, by consistency.
_DAYS_IN_USE: Final = 30


@dataclass(frozen=True)
class Shape:
    """The partitions of one kind of key."""

    name: str  # "RollModel USER#{}"
    place: str  # A table, or "table/index".
    text: str  # As the design writes it first: "USER#{athleteId}".
    values_max: int | None  # How many keys the types allow; None: no bound.
    is_collection: bool  # Whether the table has a local index, which bounds its collections.


@dataclass(frozen=True)
class Touch:
    """What one call takes of the partitions of one shape."""

    shape: str
    read: float
    read_most: float  # In one partition.
    write: float
    write_most: float


@dataclass(frozen=True)
class Growth:
    """Items that one call adds to the partitions of one shape, of one entity."""

    shape: str
    entity: str
    items: int
    size: int  # The bytes of all of them.


@dataclass(frozen=True)
class Line:
    """A pattern or a write: what one call takes."""

    name: str
    is_write: bool
    operation: str
    chip: EntityBadge | None
    requests: int
    reads: Units  # By place.
    writes: Units
    touches: tuple[Touch, ...]
    growth: tuple[Growth, ...]
    declared: int | None  # Calls a day, where the design says so.
    reads_of: tuple[str, ...] = ()  # Entities of a query that reads a collection,
    read_shape: str = ""  # and where,
    read_bytes: int = 0  # and how much that is by the design's hints.

    @property
    def read_units(self) -> float:
        return total(self.reads)

    @property
    def write_units(self) -> float:
        return total(self.writes)


@dataclass(frozen=True)
class Load:
    """A design as far as capacity goes."""

    lines: tuple[Line, ...]
    shapes: tuple[Shape, ...]
    left_out: tuple[str, ...]  # What could not be explained on an example.


def load_of(design: LoadedDesign, rows: int = 0) -> Load:
    """Every pattern and write of a design; a query reads so many rows at once, or all of 1 MB."""
    shapes = _Shapes()
    lines, left_out = [], []
    for name in [*design.pattern_names, *design.write_names]:
        explained = design.explained(name)
        if explained is None:
            left_out.append(name)
        elif explained.kind == "write":
            lines.append(_write_line(design, shapes, name, explained))
        else:
            lines.append(_read_line(design, shapes, name, _paged(explained, rows)))
    return Load(tuple(lines), tuple(shapes.values()), tuple(left_out))


class _Shapes(dict[str, Shape]):
    """The shapes that were met, in order."""

    def of(self, entity: Entity[Any], index: str, parts: Sequence[KeyPart]) -> str:
        place = place_name(entity.table.name, index)
        text = " / ".join(part.text for part in parts)
        name = f"{place} {_FIELD.sub('{}', text)}"
        if name not in self:
            is_collection = not index and any(i.is_local for i in entity.table.indexes.values())
            self[name] = Shape(name, place, text, _values_max(entity, parts), is_collection)
        return name


def _values_max(entity: Entity[Any], parts: Sequence[KeyPart]) -> int | None:
    """How many keys there can be: one, a few by the types of the fields, or no bound."""
    fields = {field for part in parts for field in part.template.fields}
    counts = [_choices(entity, field) for field in fields]
    known = [count for count in counts if count is not None]
    return reduce(mul, known, 1) if len(known) == len(counts) else None


def _choices(entity: Entity[Any], field: str) -> int | None:
    attribute = entity.attributes.get(field)
    kind = attribute.annotation if attribute is not None else None
    if get_origin(kind) is Literal:
        return len(get_args(kind))
    if kind is bool:
        return 2
    if isinstance(kind, type) and issubclass(kind, Enum):
        return len(kind)
    # Most of what is asked of days is about the last few weeks.
    return _DAYS_IN_USE if kind is date else None


# Reading.


def _paged(explained: Explanation, rows: int) -> Explanation:
    """A query that asks for pages of so many rows, where it would read more."""
    if explained.operation != "Query" or explained.requests > 1 or not 0 < rows < explained.rows:
        return explained
    [place] = explained.read_units
    size = explained.size * rows // explained.rows
    units = read_units(size, consistent=explained.is_consistent)
    hot = HotPartition(place, PARTITION_READ_UNITS_MAX / units)
    return replace(explained, rows=rows, size=size, read_units={place: units}, hot=hot)


def _read_line(design: LoadedDesign, shapes: _Shapes, name: str, explained: Explanation) -> Line:
    assert design.patterns is not None
    models = design.patterns.__design__.patterns
    parts = explained.parts or (explained,)
    touches = [_read_touch(shapes, models[part.name], part) for part in parts]
    own = models.get(name)
    is_query = own is not None and own.kind == "query"
    return Line(
        name=name,
        is_write=False,
        operation=explained.operation,
        chip=design.chip(own.entities[0].name) if own is not None else None,
        requests=explained.requests,
        reads=explained.read_units,
        writes={},
        touches=_merged(touches),
        growth=(),
        declared=explained.calls_per_day,
        reads_of=tuple(e.name for e in own.entities) if own is not None and is_query else (),
        read_shape=touches[0].shape if is_query else "",
        read_bytes=int(total(explained.units_of_all) * _READ_BYTES[explained.is_consistent])
        if is_query
        else 0,
    )


def _read_touch(shapes: _Shapes, model: PatternModel, explained: Explanation) -> Touch:
    shape = shapes.of(model.entities[0], model.index.name, model.partition)
    assert explained.hot is not None
    most = PARTITION_READ_UNITS_MAX / explained.hot.calls_per_second
    return Touch(shape, total(explained.read_units), most, 0.0, 0.0)


# Writing.


def _write_line(design: LoadedDesign, shapes: _Shapes, name: str, explained: Explanation) -> Line:
    of = name.partition(".")[2]
    return Line(
        name=name,
        is_write=True,
        operation=explained.operation,
        chip=design.chip(of) if of else None,
        requests=explained.requests,
        reads=explained.read_units,
        writes=explained.write_units,
        touches=_merged(_write_touches(design, shapes, explained)),
        growth=tuple(_growth(design, shapes, explained)),
        declared=explained.calls_per_day,
    )


def _write_touches(
    design: LoadedDesign, shapes: _Shapes, explained: Explanation
) -> Iterator[Touch]:
    by_key: Units = {}
    of_key: dict[str, str] = {}
    for action in explained.actions:
        entity = design.entities[action.entity]
        key = f"{action.table} {action.key.partition(' / ')[0]}"
        of_key[key] = shapes.of(entity, "", entity.faces[""].partition)
        by_key = added(by_key, {key: action.units})
        for entry in action.entries:
            face = entity.faces.get(entry.index)
            if face is None:
                continue  # An item whose keys the design did not declare for this index.
            shape = shapes.of(entity, entry.index, face.partition)
            # An entry that moves is deleted in one partition and put in another, at worst.
            yield Touch(shape, 0.0, 0.0, entry.units, entry.units)
    for key, units in by_key.items():
        yield Touch(of_key[key], 0.0, 0.0, units, units)
    if explained.read_units:
        first = next(iter(of_key.values()))
        units = total(explained.read_units)
        yield Touch(first, units, units, 0.0, 0.0)


def _growth(design: LoadedDesign, shapes: _Shapes, explained: Explanation) -> Iterator[Growth]:
    """Puts less deletes, by entity."""
    counts: dict[str, int] = {}
    for action in explained.actions:
        step = {"put": 1, "delete": -1}.get(action.kind, 0)
        counts[action.entity] = counts.get(action.entity, 0) + step
    for name, items in counts.items():
        entity = design.entities[name]
        for index, face in entity.faces.items():
            shape = shapes.of(entity, index, face.partition)
            if items:
                yield Growth(shape, name, items, items * row_size(entity))


def _merged(touches: Sequence[Touch] | Iterator[Touch]) -> tuple[Touch, ...]:
    """One touch for each shape: the sum of all partitions, and the largest of one."""
    by_shape: dict[str, Touch] = {}
    for touch in touches:
        old = by_shape.get(touch.shape)
        if old is None:
            by_shape[touch.shape] = touch
            continue
        by_shape[touch.shape] = Touch(
            touch.shape,
            old.read + touch.read,
            max(old.read_most, touch.read_most),
            old.write + touch.write,
            max(old.write_most, touch.write_most),
        )
    return tuple(by_shape.values())

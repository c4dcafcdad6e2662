"""How many values a partition key can have, according to types and bounds."""

from __future__ import annotations

from enum import Enum
from math import prod
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from tablewright.design.entity import Entity, Face, KeyPart
from tablewright.keys.numbers import PaddedInt

__all__ = ["FEW", "is_unbounded_number", "partition_values"]

# Fewer partitions than this are few: the usual fix is ten shards.
FEW: Final = 10


def partition_values(entity: Entity[Any], face: Face) -> int | None:
    """How many partitions the rows of an entity can have; None if there is no bound."""
    counts = [
        _field_values(entity, part, field)
        for part in face.partition
        for field in part.template.fields
    ]
    known = [count for count in counts if count is not None]
    return prod(known) if len(known) == len(counts) else None


def is_unbounded_number(entity: Entity[Any], face: Face) -> bool:
    """Whether the partition key is one integer without bounds."""
    if len(face.partition) != 1 or not face.partition[0].template.is_plain:
        return False
    part = face.partition[0]
    (field,) = part.template.fields
    base, _ = _unwrapped(_annotation(entity, field))
    is_number = isinstance(base, type) and issubclass(base, int)
    return is_number and _field_values(entity, part, field) is None


def _field_values(entity: Entity[Any], part: KeyPart, field: str) -> int | None:
    base, metadata = _unwrapped(_annotation(entity, field))
    if get_origin(base) is Literal:
        return len([value for value in get_args(base) if value is not None])
    if not isinstance(base, type):
        return None
    if issubclass(base, Enum):
        return len(base)
    if issubclass(base, bool):
        return 2
    if issubclass(base, int):
        codec = part.template.codec(field)
        if part.attribute.type == "S" and isinstance(codec, PaddedInt) and codec.width is not None:
            width_values = int("1" + "0" * codec.width)
            return min(width_values, _between(metadata) or width_values)
        return _between(metadata)
    return None


def _annotation(entity: Entity[Any], field: str) -> Any:
    attribute = entity.attributes.get(field)
    return attribute.annotation if attribute is not None else entity.properties.get(field)


def _between(metadata: list[Any]) -> int | None:
    """How many integers are within the bounds; None without a bound at each end."""
    lows = [m.ge for m in metadata if getattr(m, "ge", None) is not None]
    lows += [m.gt + 1 for m in metadata if getattr(m, "gt", None) is not None]
    highs = [m.le for m in metadata if getattr(m, "le", None) is not None]
    highs += [m.lt - 1 for m in metadata if getattr(m, "lt", None) is not None]
    return int(min(highs) - max(lows)) + 1 if lows and highs else None


def _unwrapped(annotation: Any) -> tuple[Any, list[Any]]:
    """The type inside Optional and Annotated, and the metadata."""
    metadata: list[Any] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            metadata += annotation.__metadata__
            annotation = annotation.__origin__
        elif origin in (Union, UnionType):
            members = [part for part in get_args(annotation) if part is not NoneType]
            if len(members) != 1:
                return annotation, metadata
            (annotation,) = members
        else:
            return annotation, metadata

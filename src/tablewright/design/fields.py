"""The fields of a model: Python name, name on disk, type.

Key templates can use either name. They can also name a property of the model, for computed key
parts such as a name in lower case. A property itself is not stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from tablewright.design.item_values import decode, encode
from tablewright.values.attributes import Value

__all__ = [
    "Attribute",
    "attributes_of",
    "is_optional",
    "names_of",
    "properties_of",
    "value_types",
]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One field of an entity, with its Python name and its name on disk."""

    field: str
    name: str
    annotation: Any
    is_optional: bool
    in_envelope: bool = False

    def encode(self, value: Any) -> Value:
        return encode(value)

    def decode(self, value: Value) -> Any:
        return decode(value)


def attributes_of(model: type[BaseModel]) -> dict[str, Attribute]:
    """The stored fields of a model by their Python name."""
    attributes = {}
    for field, about in model.model_fields.items():
        annotation: Any = about.annotation
        if about.metadata:
            # Pydantic separates the metadata of Annotated; key codecs look for their marker in it.
            annotation = Annotated[annotation, *about.metadata]
        name = about.serialization_alias or about.alias or field
        attributes[field] = Attribute(field, name, annotation, is_optional(about.annotation))
    return attributes


def properties_of(model: type[BaseModel]) -> dict[str, Any]:
    """The properties of a model that keys can use, with their return types."""
    properties: dict[str, Any] = {}
    for owner in reversed(model.__mro__):
        if owner is object or owner is BaseModel or not issubclass(owner, BaseModel):
            continue
        for name, member in vars(owner).items():
            if isinstance(member, property) and member.fget and not name.startswith("_"):
                hints = get_type_hints(member.fget, include_extras=True)
                properties[name] = hints.get("return", str)
    return properties


def names_of(attributes: Mapping[str, Attribute], properties: Mapping[str, Any]) -> dict[str, str]:
    """From every name that templates can use to the Python name."""
    names = {}
    for name in [*attributes, *properties]:
        names[to_camel(name)] = name
        names[name] = name
    for attribute in attributes.values():
        names[attribute.name] = attribute.field
    return names


def is_optional(annotation: Any) -> bool:
    """Whether a field may hold None."""
    if get_origin(annotation) is Annotated:
        return is_optional(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return any(is_optional(part) for part in get_args(annotation))
    return annotation in (None, NoneType)


# Types whose values have the same form in a key, by the first that fits: bool is an int.
_FORMS: Final = (
    (bool, bool),
    ((int, float, Decimal), int),
    (str, str),
    (bytes, bytes),
    (datetime, datetime),
    (date, date),
    (UUID, UUID),
)


def value_types(annotation: Any) -> set[type]:
    """The types that values of this annotation have in a key; empty if that is not known."""
    while hasattr(annotation, "__supertype__"):
        annotation = annotation.__supertype__
    origin = get_origin(annotation)
    if origin is Annotated:
        return value_types(get_args(annotation)[0])
    if origin in (Union, UnionType):
        members = [part for part in get_args(annotation) if part is not NoneType]
        return set().union(*map(value_types, members))
    if origin is Literal:
        return {form for value in get_args(annotation) for form in value_types(type(value))}
    if not isinstance(annotation, type):
        return set()
    if issubclass(annotation, Enum):
        return {form for member in annotation for form in value_types(type(member.value))}
    return set(next(([form] for types, form in _FORMS if issubclass(annotation, types)), []))

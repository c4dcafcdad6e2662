"""A model's fields as a design sees them: their Python name, their name on disk, their type.

Key templates may name a field either way. They may also name a property of the model, for key
parts that are computed (a name in lower case, say); a property is never stored by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from tablewright.design.item_values import decode, encode
from tablewright.values.attributes import Value

__all__ = ["Attribute", "attributes_of", "is_optional", "names_of", "properties_of"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One field of an entity: what it is called here and on disk."""

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
    found = {}
    for field, about in model.model_fields.items():
        annotation: Any = about.annotation
        if about.metadata:
            # Pydantic keeps what stands in Annotated apart; key codecs look for their marker there.
            annotation = Annotated[annotation, *about.metadata]
        name = about.serialization_alias or about.alias or field
        found[field] = Attribute(field, name, annotation, is_optional(about.annotation))
    return found


def properties_of(model: type[BaseModel]) -> dict[str, Any]:
    """The properties of a model that can stand in a key, with the type they return."""
    found: dict[str, Any] = {}
    for owner in reversed(model.__mro__):
        if owner is object or owner is BaseModel or not issubclass(owner, BaseModel):
            continue
        for name, member in vars(owner).items():
            if isinstance(member, property) and member.fget and not name.startswith("_"):
                hints = get_type_hints(member.fget, include_extras=True)
                found[name] = hints.get("return", str)
    return found


def names_of(attributes: Mapping[str, Attribute], properties: Mapping[str, Any]) -> dict[str, str]:
    """Every name a template may use for a field or property, to its Python name."""
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

"""Computes index keys after a patch without reading the row, where that is possible.

For an index key ``CONV#{lastMessageAt}#{convId}``, a patch of lastMessageAt needs no read if convId
is in the row's own key. If the index key depends on other fields, the row must be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tablewright.keys.parts import Field
from tablewright.plan.condition_trees import Path

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, Face, Ref
    from tablewright.values.attributes import Value

__all__ = ["index_key_changes"]


def index_key_changes(ref: Ref[Any], changed: Mapping[str, Any]) -> dict[Path, Value] | None:
    """The index key attributes to set when fields of a row get these values.

    None if the row must be read.
    """
    entity = ref.entity
    if not changed.keys() & entity.key_fields:
        return {}
    if changed.keys() & entity.faces[""].fields or changed.keys() & {entity.mark, entity.ttl}:
        return None
    known = {**_fixed(ref), **changed}
    key_values: dict[Path, Value] = {}
    for name, face in entity.faces.items():
        if not name:
            continue
        if face.unless is not None or face.fields & entity.properties.keys():
            return None
        if face.fields & changed.keys():
            if not _is_known(entity, face, known):
                return None
            for part in face.parts:
                key_values[Path((part.attribute.name,))] = part.value(known)
    return key_values


def _fixed(ref: Ref[Any]) -> dict[str, Any]:
    """The fields whose values a row's key contains."""
    parts = [part for key in ref.entity.faces[""].parts for part in key.template.parts]
    exact = {p.name for p in parts if isinstance(p, Field) and not p.codec.is_lossy}
    return {name: value for name, value in ref.values.items() if name in exact}


def _is_known(entity: Entity[Any], face: Face, known: Mapping[str, Any]) -> bool:
    # An attribute that is both a field and a key is stored in the key's form.
    names = {attribute.name for attribute in entity.attributes.values()}
    if any(part.attribute.name in names and not part.template.is_plain for part in face.parts):
        return False
    return all(known.get(field) is not None for field in face.fields)

"""The vocabulary in which operations declare their requests, and the walker that words refusals.

A shape is data: ``Structure(TableName=TableName(), Key=Map(Attribute(), required=True))``.
``check`` answers in three steps, DynamoDB's own:

1. wrong JSON types, in the request's order: ``SerializationError``;
2. a bad table name, which stops early and alone, as few other members do;
3. every constraint that fails, in the shape's order, in one sentence: "2 validation errors
   detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater
   than or equal to 1; Value null at 'key' failed to satisfy constraint: Member must not be null".

Fields that a shape does not name are ignored and null equals absent, as on AWS. This file knows
nothing of what values mean: an attribute value's semantics are those of ``values.attributes``.
Each shape carries ``accepts``, compiled once, which says yes to ordinary requests within a few
microseconds; only when it says no does the walker look closer.
"""

from __future__ import annotations

from typing import Any

from tablewright.engine.requests.shapes.attribute_shapes import Attribute
from tablewright.engine.requests.shapes.containers import List, Map, Structure
from tablewright.engine.requests.shapes.scalars import (
    Boolean,
    Integer,
    Shape,
    String,
    TableName,
    Timestamp,
)
from tablewright.engine.requests.shapes.wording import Findings, Path, refuse, refuse_late
from tablewright.engine.requests.validation_style import Layer

__all__ = [
    "Attribute",
    "Boolean",
    "Integer",
    "List",
    "Map",
    "Shape",
    "String",
    "Structure",
    "TableName",
    "Timestamp",
    "check",
    "refuse_late",
]


def check(shape: Structure, request: object, layer: Layer = Layer.OLDER) -> None:
    """Return if ``request`` has this shape, else raise SerializationError or ValidationError."""
    if shape.accepts(request):
        return
    shape.require_types(request)
    assert isinstance(request, dict)
    is_current = layer.reads(request) and not shape.lacks(request)
    found = Findings(is_current=is_current)
    if is_current or layer is Layer.OLDER:
        _require_first(shape, request, layer, found)
    shape.find_problems(request, Path(), found)
    if found.sentences:
        refuse(found.sentences)


def _require_first(
    shape: Structure, request: dict[str, Any], layer: Layer, found: Findings
) -> None:
    """Raise ValidationError for what is told alone."""
    for name, field in shape.fields.items():
        if isinstance(field, TableName):
            field.require_name(name, request.get(name), is_current=found.is_current)
    for name, field in shape.fields.items():
        if field.tells_alone and found.is_current and request.get(name) is not None:
            field.find_problems(request[name], Path().field(name), found)
            if found.sentences:
                raise layer.refusal(found.sentences[0])

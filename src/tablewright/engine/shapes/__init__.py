"""The vocabulary in which operations declare their requests, and the walker that words refusals.

A shape is data: ``Structure(TableName=TableName(), Key=Map(Attribute(), required=True))``.
``check`` answers in three steps, DynamoDB's own:

1. wrong JSON types, in the request's order: ``SerializationError``;
2. a bad table name, which stops early and alone;
3. every constraint that fails, in the shape's order, in one sentence: "2 validation errors
   detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater
   than or equal to 1; Value null at 'key' failed to satisfy constraint: Member must not be null".

Fields that a shape does not name are ignored and null equals absent, as on AWS. This file knows
nothing of what values mean: an attribute value's semantics are those of ``values.attributes``.
Each shape carries ``accepts``, compiled once, which says yes to ordinary requests within a few
microseconds; only when it says no does the walker look closer.
"""

from __future__ import annotations

from tablewright.engine.shapes.attributes import Attribute
from tablewright.engine.shapes.containers import List, Map, Structure
from tablewright.engine.shapes.scalars import (
    Boolean,
    Integer,
    Shape,
    String,
    TableName,
    Timestamp,
)
from tablewright.engine.shapes.wording import refuse

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
]


def check(shape: Structure, request: object) -> None:
    """Return if ``request`` has this shape, else raise SerializationError or ValidationError."""
    if shape.accepts(request):
        return
    shape.require_types(request)
    assert isinstance(request, dict)
    for name, field in shape.fields.items():
        if isinstance(field, TableName):
            field.require_name(name, request.get(name))
    found: list[str] = []
    shape.find_problems(request, "", found)
    if found:
        refuse(found)

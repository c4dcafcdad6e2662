"""Shapes: how operations declare their requests, and the check that reports violations.

A shape is data: ``Structure(TableName=TableName(), Key=Map(Attribute(), required=True))``.
``check`` has DynamoDB's three steps:

1. wrong JSON types, in the request's order: ``SerializationError``;
2. a bad table name, and a few other members, which are reported alone;
3. every violated constraint, in the shape's order, in one message: "2 validation errors
   detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater
   than or equal to 1; Value null at 'key' failed to satisfy constraint: Member must not be null".

Unknown fields are ignored and null equals absent, as on AWS. Shapes do not know what values mean:
``values.attributes`` validates attribute values. Each shape has ``accepts``, compiled once, which
accepts ordinary requests within microseconds; only if it returns False are the steps above run.
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
from tablewright.engine.requests.shapes.wording import Path, Violations, reject, reject_late
from tablewright.engine.requests.validation_style import ValidationStyle

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
    "reject_late",
]


def check(
    shape: Structure, request: object, style: ValidationStyle = ValidationStyle.CLASSIC
) -> None:
    """Return if ``request`` has this shape, else raise SerializationError or ValidationError."""
    if shape.accepts(request):
        return
    shape.require_types(request)
    assert isinstance(request, dict)
    is_current = style.applies_to(request) and not shape.lacks(request)
    violations = Violations(is_current=is_current)
    if is_current or style is ValidationStyle.CLASSIC:
        _require_first(shape, request, style, violations)
    shape.find_problems(request, Path(), violations)
    if violations.sentences:
        reject(violations.sentences)


def _require_first(
    shape: Structure, request: dict[str, Any], style: ValidationStyle, violations: Violations
) -> None:
    """Raise ValidationError for violations that are reported alone."""
    for name, field in shape.fields.items():
        if isinstance(field, TableName):
            field.require_name(name, request.get(name), is_current=violations.is_current)
    for name, field in shape.fields.items():
        if field.is_reported_alone and violations.is_current and request.get(name) is not None:
            field.find_problems(request[name], Path().field(name), violations)
            if violations.sentences:
                raise style.error(violations.sentences[0])

"""Rules about a pattern that has an index: whether DynamoDB and the model accept the read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.design.entity import Entity
from tablewright.design.findings import Finding
from tablewright.design.patterns.pattern_model import PatternModel
from tablewright.design.rule_catalog import finding
from tablewright.design.table_definition import Index

__all__ = ["pattern_findings"]


def pattern_findings(pattern: PatternModel) -> Iterator[Finding]:
    """The errors of a pattern."""
    index = pattern.index
    if pattern.declared.is_consistent and not (index.is_table or index.is_local):
        yield finding(
            "TW304",
            pattern.name,
            f"it reads {index} consistently, but {index} is a global index.",
            pattern.declared.place,
        )
    if pattern.kind == "count" or index.projection == "ALL":
        return
    for entity in pattern.entities:
        missing = _missing(entity, index)
        if missing:
            yield finding(
                "TW305",
                pattern.name,
                f"it reads {entity.name} through {index}, which does not project "
                f"{', '.join(missing)}.",
                pattern.declared.place,
            )


def _missing(entity: Entity[Any], index: Index) -> list[str]:
    """The required attributes that the index does not project."""
    table = entity.table
    projected = {part.name for part in (*index.attributes, *table.primary.attributes)}
    if isinstance(index.projection, tuple):
        projected |= set(index.projection)
    if entity.envelope is not None and entity.envelope.attribute in projected:
        projected |= {a.name for a in entity.attributes.values() if a.in_envelope}
    fields = entity.model.model_fields
    needed = [a.name for a in entity.attributes.values() if fields[a.field].is_required()]
    if table.type_attribute is not None and entity.type_name is not None:
        needed.append(table.type_attribute)
    if table.ttl is not None and entity.expires:
        needed.append(table.ttl)
    return [name for name in dict.fromkeys(needed) if name not in projected]

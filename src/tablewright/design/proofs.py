"""Checks a design: what must hold for its keys, indexes and writes, whatever the data.

Everything is decided from the declarations alone. Warnings are in `lint/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.design.derived_targets import resolve_derived
from tablewright.design.entity import Entity, Face
from tablewright.design.findings import Finding
from tablewright.design.table_definition import Index
from tablewright.design.table_rules import table_findings
from tablewright.keys.algebra import collision
from tablewright.keys.numbers import PlainInt
from tablewright.limits import TRANSACT_ACTIONS_MAX

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["actions_max", "prove_table"]


def prove_table(table: Table) -> list[Finding]:
    """The errors in a table's entities and derived items."""
    findings = [*table.findings, *resolve_derived(table), *table_findings(table)]
    for entity in table.entities:
        findings += _ambiguous_keys(entity)
        findings += _unordered_keys(entity)
        findings += _accidental_memberships(entity)
        findings += _oversized_writes(entity)
    findings += _collisions(table)
    return findings


# Keys.


def _collisions(table: Table) -> Iterator[Finding]:
    places = {entity: place for place, entity in enumerate(table.entities)}
    for first in table.entities:
        keys = first.faces[""].texts
        for second in table.entities_near("", keys.areas):
            if places[second] <= places[first]:
                continue
            key = collision(keys, second.faces[""].texts)
            if key is None:
                continue
            yield Finding(
                "TW102",
                "error",
                f"{first.name}, {second.name}",
                f"{_written(first.faces[''])} and {_written(second.faces[''])} can have the same "
                "key.",
                "One overwrites the other.",
                f"both can have the key {' / '.join(key)}",
                "Add a fixed part to one of the keys that the other cannot contain.",
                second.place,
            )


def _written(face: Face) -> str:
    return " / ".join(part.text for part in face.parts)


def _ambiguous_keys(entity: Entity[Any]) -> Iterator[Finding]:
    for face in entity.faces.values():
        for part in face.parts:
            if part.attribute.type != "S":
                continue
            pair = part.template.ambiguity
            if pair is not None:
                first, second, key = pair
                yield Finding(
                    "TW101",
                    "error",
                    entity.name,
                    f"{part.text} is ambiguous: a value may contain the delimiter.",
                    "Two different items get the same key, so one overwrites the other.",
                    f"{_values(first)} and {_values(second)} both have the key {key!r}",
                    "Reject the delimiter in values (checked keys do), or write {name:escaped}.",
                    entity.place,
                )


def _values(values: Mapping[str, Any]) -> str:
    fields = (
        (name, value if isinstance(value, str | int) else str(value))
        for name, value in values.items()
    )
    return "(" + ", ".join(f"{name}={value!r}" for name, value in fields) + ")"


def _unordered_keys(entity: Entity[Any]) -> Iterator[Finding]:
    for face in entity.faces.values():
        for part in face.sort:
            if part.attribute.type != "S":
                continue
            for field in part.template.fields:
                if isinstance(part.template.codec(field), PlainInt):
                    yield Finding(
                        "TW103",
                        "error",
                        entity.name,
                        f"{field} in the sort key {part.text} is a number without a width.",
                        "Text sorts character by character.",
                        f"{field} = 10 sorts before {field} = 9",
                        f"Write {{{field}:04}} for four digits.",
                        entity.place,
                    )


# Indexes.


def _accidental_memberships(entity: Entity[Any]) -> Iterator[Finding]:
    stored = _stored_names(entity)
    for index in entity.table.indexes.values():
        if index.name in entity.faces:
            continue
        if all(part.name in stored for part in index.attributes):
            yield _membership(entity, index)


def _membership(entity: Entity[Any], index: Index) -> Finding:
    names = " and ".join(part.name for part in index.attributes)
    return Finding(
        "TW301",
        "error",
        entity.name,
        f"its items have {names}, so they are in the index {index.name}, where it declares no "
        "keys.",
        f"Queries of {index.name} return them, and each write pays for the index entry.",
        f"an item with {names} is in {index.name}",
        f"Rename the attribute, or declare the keys of {index.name}.",
        entity.place,
    )


def _stored_names(entity: Entity[Any]) -> set[str]:
    """Every top-level attribute that an item of this entity may have."""
    names = {a.name for a in entity.attributes.values() if not a.in_envelope}
    names |= {part.attribute.name for face in entity.faces.values() for part in face.parts}
    table = entity.table
    if table.type_attribute is not None and entity.type_name is not None:
        names.add(table.type_attribute)
    if entity.ttl is not None and table.ttl is not None:
        names.add(table.ttl)
    return names


# Writes.


def actions_max(entity: Entity[Any]) -> int | None:
    """The maximum number of actions in a write of an entity; None if it is staged."""
    create = replace = 1
    for derivation in entity.derivations:
        if derivation.max is None:
            return None
        create += derivation.max
        replace += (
            2 * derivation.max
        )  # Worst case: all old rows are deleted, and as many new ones are put.
    for counter in entity.counts:
        create += counter.max
        replace += 2 * counter.max
    return max(create, replace + len(entity.histories))


def _oversized_writes(entity: Entity[Any]) -> Iterator[Finding]:
    bound = actions_max(entity)
    if bound is not None and bound > TRANSACT_ACTIONS_MAX:
        yield Finding(
            "TW501",
            "error",
            entity.name,
            f"a write may need {bound} actions, but a transaction has at most "
            f"{TRANSACT_ACTIONS_MAX}.",
            "DynamoDB rejects the write once the data is large enough.",
            fix="Lower max, or remove it so that the write is staged.",
            place=entity.place,
        )
    if bound is None and (entity.counts or any(d.kind == "unique" for d in entity.derivations)):
        yield Finding(
            "TW502",
            "error",
            entity.name,
            "its rows have no max, so its writes are staged, which guards and counters do not "
            "allow.",
            "After a crash a counter could be moved twice, and stay wrong.",
            fix="Set max to bound the rows.",
            place=entity.place,
        )

"""The proof of a design: what must hold of its keys, indexes and writes, whatever the data.

Everything here is decided from the declarations alone. What is only unwise is in `lint/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tablewright.design.derived_targets import resolve_derived
from tablewright.design.entity import Entity, Face
from tablewright.design.findings import Finding
from tablewright.design.table_definition import Index
from tablewright.keys.algebra import collision
from tablewright.keys.numbers import PlainInt
from tablewright.limits import TRANSACT_ACTIONS_MAX

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["actions_max", "prove_table"]


def prove_table(table: Table) -> list[Finding]:
    """Everything that is wrong with a table's entities and derived items."""
    found = [*table.findings, *resolve_derived(table)]
    for entity in table.entities:
        found += _ambiguous_keys(entity)
        found += _unordered_keys(entity)
        found += _accidental_memberships(entity)
        found += _oversized_writes(entity)
    found += _collisions(table.entities)
    return found


# Keys.


def _collisions(entities: Sequence[Entity[Any]]) -> Iterator[Finding]:
    for one, other in combinations(entities, 2):
        key = collision(one.faces[""].texts, other.faces[""].texts)
        if key is not None:
            yield Finding(
                "TW102",
                "error",
                f"{one.name}, {other.name}",
                f"{_written(one.faces[''])} and {_written(other.faces[''])} can make the same key.",
                "One overwrites the other.",
                f"both can make {' / '.join(key)}",
                "Give one of them a fixed part that the other cannot have.",
                other.place,
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
                one, other, key = pair
                yield Finding(
                    "TW101",
                    "error",
                    entity.name,
                    f"{part.text} is ambiguous: a value may contain the delimiter.",
                    "Two different items have one key: one overwrites the other.",
                    f"{_values(one)} and {_values(other)} both make {key!r}",
                    "Refuse the delimiter in values (checked keys do), or write {name:escaped}.",
                    entity.place,
                )


def _values(values: Mapping[str, Any]) -> str:
    told = (
        (name, value if isinstance(value, str | int) else str(value))
        for name, value in values.items()
    )
    return "(" + ", ".join(f"{name}={value!r}" for name, value in told) + ")"


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
                        "Text sorts digit by digit.",
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
        f"its items carry {names}, so they enter the index {index.name} without being meant to.",
        f"Every query of {index.name} returns them, and every write pays for them.",
        f"an item with {names} is in {index.name}",
        f"Give the attribute another name, or declare the keys of {index.name}.",
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
    """The most actions that one write of an entity takes; None if it is staged."""
    create = replace = 1
    for derivation in entity.derivations:
        if derivation.max is None:
            return None
        create += derivation.max
        replace += 2 * derivation.max  # All old rows go, and as many others come.
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
            f"a write of it may take {bound} actions; a transaction holds {TRANSACT_ACTIONS_MAX}.",
            "DynamoDB refuses the write once the data is large enough.",
            fix="Lower max, or leave it out so that the write is staged.",
            place=entity.place,
        )
    if bound is None and (entity.counts or any(d.kind == "unique" for d in entity.derivations)):
        yield Finding(
            "TW502",
            "error",
            entity.name,
            "its rows have no bound, so its writes are staged; guards and counters cannot be.",
            "A counter moved twice after a crash would never be right again.",
            fix="Bound the rows with max.",
            place=entity.place,
        )

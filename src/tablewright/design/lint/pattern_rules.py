"""What the access patterns leave out: TW210, TW211, TW212."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tablewright.design.entity import Entity
from tablewright.design.findings import Finding
from tablewright.design.lint.name_hints import id_stem, is_id_name, last_word
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding

__all__ = ["CHECKS"]


def no_patterns(subject: Subject) -> Iterator[Finding]:
    """A design says how things are stored, and not what is asked."""
    if not subject.has_patterns and subject.tables:
        count = len(list(subject.entities))
        told = "1 entity is" if count == 1 else f"{count} entities are"
        yield finding(
            "TW210",
            subject.name,
            f"{told} declared, and no access pattern.",
            subject.tables[0].place,
        )


def unread_entities(subject: Subject) -> Iterator[Finding]:
    """No pattern returns an entity. Guards are exempt: they do their work by being there."""
    if not subject.has_patterns:
        return
    # A pattern that nothing serves still says what it is for.
    read = {model for declared in subject.declared for model in declared.models}
    guards = subject.guards
    for entity in subject.entities:
        if entity.model not in read and entity not in guards:
            yield finding(
                "TW211", entity.name, "no access pattern returns its items.", entity.place
            )


def one_way_links(subject: Subject) -> Iterator[Finding]:
    """An item joins two ids, and can be listed from one of them only."""
    partitions = {
        field
        for _, face in subject.faces
        for part in face.partition
        for field in part.template.fields
    }
    for entity in subject.entities:
        joined = _joined_ids(entity)
        if joined is None:
            continue
        one, other = joined
        if other in partitions or _is_a_sibling(entity, other):
            continue
        here, there = id_stem(one) or one, id_stem(other) or other
        written = " / ".join(part.text for part in entity.faces[""].parts)
        yield finding(
            "TW212",
            entity.name,
            f"{written} lists what belongs to {here}; from {there} there is no way back.",
            entity.place,
            example=f"nothing has {other} in its partition key, "
            f"so the {entity.name} rows of one {there} cannot be queried",
        )


def _joined_ids(entity: Entity[Any]) -> tuple[str, str] | None:
    """The ids that an item joins, if that is all that its key is made of."""
    face = entity.faces[""]
    parts = face.partition, face.sort
    ids = [[field for part in side for field in part.template.fields] for side in parts]
    if [len(side) for side in ids] != [1, 1]:
        return None
    (one,), (other,) = ids
    # In ORDER#{orderId} / LINE#{lineId} of an OrderLine the second is its own id, not a link.
    is_own = id_stem(other) in ("", last_word(entity.name), entity.name.lower())
    return None if is_own or not (is_id_name(one) and is_id_name(other)) else (one, other)


def _is_a_sibling(entity: Entity[Any], field: str) -> bool:
    """Whether the other id names a row beside it in the same partition, found from there."""
    home = [part.template.text for part in entity.faces[""].partition]
    return any(
        other is not entity
        and [part.template.text for part in other.faces[""].partition] == home
        and any(field in part.template.fields for part in other.faces[""].sort)
        for other in entity.table.entities
    )


CHECKS: Final = (no_patterns, unread_entities, one_way_links)

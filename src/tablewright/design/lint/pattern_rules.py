"""Pattern rules: TW210, TW211, TW212."""

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
    """A design has entities, but no access patterns."""
    if not subject.has_patterns and subject.tables:
        count = len(list(subject.entities))
        entities = "1 entity is" if count == 1 else f"{count} entities are"
        yield finding(
            "TW210",
            subject.name,
            f"{entities} declared, but no access pattern.",
            subject.tables[0].place,
        )


def unread_entities(subject: Subject) -> Iterator[Finding]:
    """No pattern returns an entity. Guards are exempt: they only need to exist."""
    if not subject.has_patterns:
        return
    # A pattern without an index still counts as a reader.
    read = {model for declared in subject.declared for model in declared.models}
    guards = subject.guards
    for entity in subject.entities:
        if entity.model not in read and entity not in guards:
            yield finding("TW211", entity.name, "no access pattern returns it.", entity.place)


def one_way_links(subject: Subject) -> Iterator[Finding]:
    """An item links two ids, but can be queried by one of them only."""
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
        partition_id, sort_id = joined
        if sort_id in partitions or _is_a_sibling(entity, sort_id):
            continue
        here, there = id_stem(partition_id) or partition_id, id_stem(sort_id) or sort_id
        written = " / ".join(part.text for part in entity.faces[""].parts)
        yield finding(
            "TW212",
            entity.name,
            f"{written} can be queried by {here}, but not by {there}.",
            entity.place,
            example=f"no partition key contains {sort_id}, "
            f"so the {entity.name} rows of one {there} cannot be queried",
        )


def _joined_ids(entity: Entity[Any]) -> tuple[str, str] | None:
    """The two ids of a link, if its key contains nothing else."""
    face = entity.faces[""]
    parts = face.partition, face.sort
    ids = [[field for part in side for field in part.template.fields] for side in parts]
    if [len(side) for side in ids] != [1, 1]:
        return None
    (partition_id,), (sort_id,) = ids
    # In ORDER#{orderId} / LINE#{lineId} of an OrderLine, the second id is the line's own.
    is_own = id_stem(sort_id) in ("", last_word(entity.name), entity.name.lower())
    if is_own or not (is_id_name(partition_id) and is_id_name(sort_id)):
        return None
    return partition_id, sort_id


def _is_a_sibling(entity: Entity[Any], field: str) -> bool:
    """Whether the other id names a row in the same partition, which leads to the link."""
    home = [part.template.text for part in entity.faces[""].partition]
    return any(
        other is not entity
        and [part.template.text for part in other.faces[""].partition] == home
        and any(field in part.template.fields for part in other.faces[""].sort)
        for other in entity.table.entities
    )


CHECKS: Final = (no_patterns, unread_entities, one_way_links)

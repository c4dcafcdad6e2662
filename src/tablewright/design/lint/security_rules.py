"""Security rules: TW601 to TW603."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from tablewright.design.entity import Entity, KeyPart
from tablewright.design.findings import Finding
from tablewright.design.lint.name_hints import is_id_name, is_secret_name
from tablewright.design.lint.subject import Subject
from tablewright.design.rule_catalog import finding
from tablewright.design.table_definition import Index
from tablewright.keys.algebra import examples

__all__ = ["CHECKS"]


def unchecked_text(subject: Subject) -> Iterator[Finding]:
    """User-chosen text is used in a key without a check for the delimiter."""
    for entity in subject.entities:
        fields: dict[str, KeyPart] = {}
        for face in entity.faces.values():
            for part in face.parts:
                if part.attribute.type != "S":
                    continue
                for field in part.template.fields:
                    is_checked = part.template.codec(field).is_checked
                    # A key that is only the text has no other parts to forge.
                    if not is_checked and not is_id_name(field) and not part.template.is_plain:
                        fields.setdefault(field, part)
        mark = entity.table.delimiter
        for field, part in fields.items():
            values = examples(part.template) | {field: f"x{mark}y"}
            yield finding(
                "TW601",
                entity.name,
                f"{field} is in {part.text} unchecked, so it may contain {mark!r}.",
                entity.place,
                example=f"{field} = {values[field]!r} gives the key "
                f"{part.template.render(values)!r}",
            )


def copied_secrets(subject: Subject) -> Iterator[Finding]:
    """An index contains a copy of what looks like a secret."""
    for entity, face in subject.faces:
        if face.index.is_table:
            continue
        secrets = [name for name in _secrets(entity) if _is_projected(face.index, name)]
        if secrets:
            yield finding(
                "TW602",
                entity.name,
                f"{', '.join(secrets)} is copied into {face.index}.",
                entity.place,
            )


def _is_projected(index: Index, name: str) -> bool:
    if isinstance(index.projection, tuple):
        return name in index.projection
    return index.projection == "ALL"


def secret_keys(subject: Subject) -> Iterator[Finding]:
    """A key contains what looks like a secret."""
    for entity in subject.entities:
        fields = {field for face in entity.faces.values() for field in face.fields}
        for field in sorted(fields):
            # A hash in a key is what the fix recommends.
            if is_secret_name(field) and not field.endswith("hash"):
                yield finding("TW603", entity.name, f"{field} is part of a key.", entity.place)


def _secrets(entity: Entity[Any]) -> list[str]:
    """The attributes that look like secrets: strings or bytes."""
    return [
        attribute.name
        for attribute in entity.attributes.values()
        if not attribute.in_envelope
        and is_secret_name(attribute.field)
        and not {str, bytes}.isdisjoint(_types(attribute.annotation))
    ]


def _types(annotation: Any) -> set[Any]:
    parts = get_args(annotation)
    return {annotation} if not parts else {t for part in parts for t in _types(part)}


CHECKS: Final = (unchecked_text, copied_secrets, secret_keys)

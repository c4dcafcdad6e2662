"""Builds an entity from a model and its key templates, and collects findings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import Entity, Envelope, Face, KeyPart, Keys, entity_of_model
from tablewright.design.fields import Attribute, attributes_of, names_of, properties_of
from tablewright.design.findings import Finding, Place
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.errors import KeyTemplateError, NotDeclared
from tablewright.keys.codecs import Codec, codec_for
from tablewright.keys.template import Template

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = ["declare_entity"]

M = TypeVar("M", bound=BaseModel)
_PLACEHOLDER = re.compile(r"\{([^{}:]*)((?::[^{}]*)?)\}")


def declare_entity(
    table: Table,
    model: type[M],
    *,
    keys: Mapping[str, Keys],
    type_name: str | None,
    version: str | None,
    mark: str | None,
    ttl: str | None,
    envelope: Envelope | None,
    stored: Mapping[str, str],
    size_bytes: int | None,
    per_partition: int | None,
    place: Place,
) -> Entity[M] | None:
    """Build the entity of a model; None if its keys are invalid. Findings go to the table."""
    declaration = _Declaration(table, model, place)
    declaration.require_new_model()
    declaration.require_names()
    attributes = declaration.with_envelope(envelope)
    faces = {}
    for name, given in keys.items():
        face = declaration.face(name, given)
        if face is not None:
            faces[name] = face
    declaration.require_key_fields(faces)
    forms = [declaration.form(name, text) for name, text in stored.items()]
    if "" not in faces:
        return None
    return Entity(
        model,
        table,
        type_name=_default_type(model) if type_name == "" else type_name,
        attributes=attributes,
        properties=declaration.properties,
        faces=faces,
        names=declaration.names,
        version=declaration.optional_field(version),
        mark=declaration.named_field(mark, "mark"),
        ttl=declaration.named_field(ttl, "ttl"),
        envelope=envelope,
        forms=[form for form in forms if form is not None],
        size_bytes=size_bytes,
        per_partition=per_partition,
        place=place,
    )


def _default_type(model: type[BaseModel]) -> str:
    """The default type name: SITE_TAG for SiteTag."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.__name__).upper()


class _Declaration:
    """Builds one entity."""

    def __init__(self, table: Table, model: type[BaseModel], place: Place) -> None:
        self.table = table
        self.model = model
        self.place = place
        self.attributes = attributes_of(model)
        self.properties = properties_of(model)
        self.names = names_of(self.attributes, self.properties)

    def wrong(self, code: str, cause: str, *, fix: str = "", example: str = "") -> None:
        self.table.findings.append(
            Finding(
                code,
                "error",
                self.model.__name__,
                cause,
                example=example,
                fix=fix,
                place=self.place,
            )
        )

    def require_new_model(self) -> None:
        """Find a model that is declared twice: reads could return only one of the entities."""
        try:
            other = entity_of_model(self.model)
        except NotDeclared:
            return
        self.wrong(
            "TW116",
            f"it is already an entity of {other.table.name}, declared at {other.place}.",
            fix="Derive a class for the second entity.",
        )

    def require_names(self) -> None:
        """Find two fields with one name on disk."""
        fields: dict[str, str] = {}
        for attribute in self.attributes.values():
            first = fields.setdefault(attribute.name, attribute.field)
            if first != attribute.field:
                self.wrong(
                    "TW117",
                    f"{first} and {attribute.field} are both stored as {attribute.name}.",
                    fix="Give one of them another alias.",
                )

    def with_envelope(self, envelope: Envelope | None) -> dict[str, Attribute]:
        if envelope is not None:
            top = {self.names.get(name) for name in envelope.top}
            self.attributes = {
                field: replace(attribute, in_envelope=field not in top)
                for field, attribute in self.attributes.items()
            }
        return self.attributes

    def optional_field(self, name: str | None) -> str | None:
        return self.names.get(name) if name is not None else None

    def named_field(self, name: str | None, role: str) -> str | None:
        if name is None:
            return None
        field = self.names.get(name)
        if field is None:
            self.wrong("TW106", f"{role}={name!r} is not a field of the model.")
        elif role == "mark" and self.attributes[field].in_envelope:
            self.wrong(
                "TW113", f"mark={name!r} is inside the envelope, where conditions cannot see it."
            )
        return field

    def form(self, name: str, text: str) -> KeyPart | None:
        """The templates of attributes that contain more than their field."""
        if self.names.get(name) not in self.attributes:
            self.wrong("TW106", f"stored={name!r} is not a field of the model.")
            return None
        return self._part(self.table.primary, KeyAttribute(name), text)

    def face(self, name: str, keys: Keys) -> Face | None:
        if name and name not in self.table.indexes:
            known = ", ".join(self.table.indexes) or "none"
            self.wrong("TW306", f"the table has no index {name!r}. Its indexes: {known}.")
            return None
        index = self.table.index(name)
        partition = self._parts(index, index.partition, keys.partition)
        sort = self._parts(index, index.sort, keys.sort)
        unless = self.named_field(keys.unless, "unless")
        if partition is None or sort is None:
            return None
        fields = frozenset(f for part in partition + sort for f in part.template.fields)
        return Face(index, partition, sort, unless, fields)

    def _parts(
        self, index: Index, attributes: tuple[KeyAttribute, ...], texts: tuple[str, ...]
    ) -> tuple[KeyPart, ...] | None:
        if len(attributes) != len(texts):
            wanted = " and ".join(attribute.name for attribute in attributes) or "no attribute"
            self.wrong("TW114", f"{index} needs a template for {wanted}, but has {len(texts)}.")
            return None
        parts = [self._part(index, a, t) for a, t in zip(attributes, texts, strict=True)]
        return None if None in parts else tuple(part for part in parts if part is not None)

    def _part(self, index: Index, attribute: KeyAttribute, text: str) -> KeyPart | None:
        unknown = [n for n, _ in _PLACEHOLDER.findall(text) if n not in self.names]
        if unknown:
            cause = f"{text!r} names {', '.join(unknown)}, but the model has no such field."
            self.wrong("TW106", cause, fix="Name a field or a property of the model.")
            return None
        python_text = _PLACEHOLDER.sub(lambda m: f"{{{self.names[m[1]]}{m[2]}}}", text)
        try:
            # The value of a number or bytes key is the field itself.
            codec = self._codec if attribute.type == "S" else lambda _field, _spec: codec_for(int)
            template = Template.compile(python_text, codec, self.table.delimiter)
        except KeyTemplateError as error:
            self.wrong("TW109", f"{index}: {error}")
            return None
        if attribute.type != "S" and not template.is_plain:
            self.wrong(
                "TW115",
                f"{attribute.name} of {index} is a number or bytes, so {text!r} must be a single "
                "field.",
            )
            return None
        return KeyPart(attribute, template, text)

    def _codec(self, field: str, spec: str) -> Codec:
        attribute = self.attributes.get(field)
        annotation: Any = attribute.annotation if attribute else self.properties[field]
        return codec_for(
            annotation, spec, delimiter=self.table.delimiter, unchecked=self.table.unchecked
        )

    def require_key_fields(self, faces: Mapping[str, Face]) -> None:
        """Find optional fields in the table's key, which needs a value in every item."""
        primary = faces.get("")
        if primary is None:
            return
        for field in sorted(primary.fields & self.attributes.keys()):
            if self.attributes[field].is_optional:
                self.wrong(
                    "TW107",
                    f"{field} is part of the table's key, but may be None.",
                    fix="Make the field required, or remove it from the key.",
                )

"""An entity: a model, the keys of its items in the table and the indexes, and its item format.

An entity converts an instance to the item that DynamoDB stores, and back. Keys are rendered from
the instance on every write, so an index key never differs from the attributes it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import orjson
from pydantic import BaseModel
from pydantic import ValidationError as ModelError

from tablewright.design.derivations import Counter, Derivation, History
from tablewright.design.fields import Attribute
from tablewright.design.findings import Place
from tablewright.design.item_values import decode, encode, json_text
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.errors import ItemInvalid, KeyTextMismatch, KeyValueInvalid, NotDeclared
from tablewright.keys import algebra
from tablewright.keys.template import Template
from tablewright.values.attributes import Item, Value

if TYPE_CHECKING:
    from tablewright.design.table import Table

__all__ = [
    "Entity",
    "Envelope",
    "Face",
    "KeyPart",
    "Keys",
    "Ref",
    "entity_of_model",
    "ref",
    "ref_of",
]

M = TypeVar("M", bound=BaseModel)

_ENTITIES: dict[type[BaseModel], Entity[Any]] = {}


class Keys:
    """The key templates of an entity in one index.

    ``unless`` names a field: while it has a value, the item is not in the index.
    """

    def __init__(
        self, pk: str | Sequence[str], sk: str | Sequence[str] = (), *, unless: str | None = None
    ) -> None:
        self.partition = (pk,) if isinstance(pk, str) else tuple(pk)
        self.sort = (sk,) if isinstance(sk, str) else tuple(sk)
        self.unless = unless


@dataclass(frozen=True, slots=True)
class Envelope:
    """Stores attributes as one JSON string, except those named in ``top``."""

    attribute: str
    top: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A key attribute and the template of its value."""

    attribute: KeyAttribute
    template: Template
    text: str  # The template as written in the design.

    def value(self, values: Mapping[str, Any]) -> Value:
        """The attribute's value; raises KeyValueInvalid if a value is not allowed in a key."""
        kind = self.attribute.type
        if kind == "S":
            return {"S": self.template.render(values)}
        field = self.template.fields[0]
        if field not in values:
            raise KeyValueInvalid(field, "is missing")
        return self.plain_value(field, values[field])

    def plain_value(self, field: str, value: Any) -> Value:
        """The value of a number or binary key: the field itself."""
        kind = self.attribute.type
        encoded = encode(value)
        if kind not in encoded:
            raise KeyValueInvalid(field, f"{self.attribute.name} holds {kind}, not {value!r}")
        return encoded


@dataclass(frozen=True)
class Face:
    """An entity's keys in one index."""

    index: Index
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    unless: str | None
    fields: frozenset[str]

    @property
    def parts(self) -> tuple[KeyPart, ...]:
        return self.partition + self.sort

    @cached_property
    def texts(self) -> algebra.Face:
        """The keys as the key algebra represents them."""
        return algebra.Face(_slots(self.partition), _slots(self.sort))


def _slots(parts: tuple[KeyPart, ...]) -> tuple[algebra.Slot, ...]:
    return tuple(algebra.Slot(part.template, part.attribute.type) for part in parts)


class Entity(Generic[M]):
    """One kind of item, declared with `Table.entity`; complete when its table is."""

    def __init__(
        self,
        model: type[M],
        table: Table,
        *,
        type_name: str | None,
        attributes: Mapping[str, Attribute],
        properties: Mapping[str, Any],
        faces: Mapping[str, Face],
        names: Mapping[str, str],
        version: str | None,
        mark: str | None,
        ttl: str | None,
        envelope: Envelope | None,
        forms: Sequence[KeyPart],
        size_bytes: int | None,
        per_partition: int | None,
        place: Place,
    ) -> None:
        self.model = model
        self.table = table
        self.name = model.__name__
        self.type_name = type_name
        self.attributes = attributes
        self.properties = properties
        self.faces = faces  # By index name; the table's is "".
        self.names = names  # From both names of a field to its Python name.
        self.version = version
        self.mark = mark
        self.ttl = ttl
        self.envelope = envelope
        self.forms = tuple(forms)  # Attributes that contain more than the field.
        self.size_bytes = size_bytes
        self.per_partition = per_partition
        self.place = place
        self.derivations: list[Derivation] = []
        self.histories: list[History] = []
        self.counts: list[Counter] = []
        self.counters: frozenset[str] = frozenset()  # Fields that are counters.
        self._primary = faces[""]
        self._secondary = [face for name, face in faces.items() if name]
        self._top = [a for a in attributes.values() if not a.in_envelope]
        self._top_names = [attribute.name for attribute in self._top]
        self._enveloped = [a for a in attributes.values() if a.in_envelope]
        # None is not stored, so an optional field without a default has to be filled in.
        self._fill = {
            attribute.name: None
            for attribute in self._top
            if attribute.is_optional and model.model_fields[attribute.field].is_required()
        }
        self._recovered = _recovered_fields(attributes, faces, self.forms)
        self._validate = model.__pydantic_validator__.validate_python
        self._by_alias = {a.name: a.field for a in attributes.values()}
        _ENTITIES[model] = self

    def __repr__(self) -> str:
        return f"<entity {self.name} of {self.table.name}>"

    # Keys.

    @property
    def key_fields(self) -> frozenset[str]:
        """The fields that keys depend on: a change of one of them changes keys.

        A property may read any field, so a key with a property depends on all fields.
        """
        used = frozenset().union(*(face.fields for face in self.faces.values()))
        if used & self.properties.keys():
            return frozenset(self.attributes)
        hidden = {face.unless for face in self._secondary if face.unless}
        return used | hidden | {field for field in (self.mark, self.ttl) if field}

    def field(self, name: str) -> str:
        """The Python name of a field, from its Python name or its name on disk; raises KeyError."""
        return self.names[name]

    def key(self, values: Mapping[str, Any]) -> Item:
        """The table key of these values, by Python name; raises KeyValueInvalid."""
        return {part.attribute.name: part.value(values) for part in self._primary.parts}

    def key_of(self, instance: M) -> Item:
        """The table key of an instance."""
        return self.key(self._key_values(instance, self._primary))

    def index_keys(self, instance: M) -> Item:
        """The index key attributes of an instance, for the indexes that it is in."""
        if self.is_marked(instance):
            return {}
        keys: Item = {}
        for face in self._secondary:
            if face.unless is not None and getattr(instance, face.unless) is not None:
                continue
            values = self._key_values(instance, face)
            if all(values[field] is not None for field in face.fields):
                for part in face.parts:
                    keys[part.attribute.name] = part.value(values)
        return keys

    def _key_values(self, instance: M, face: Face) -> Mapping[str, Any]:
        values = instance.__dict__
        if face.fields <= values.keys():
            return values
        return {field: getattr(instance, field) for field in face.fields}

    def has_key(self, item: Item) -> bool:
        """Whether an item's key matches this entity's templates."""
        for part in self._primary.parts:
            value = item.get(part.attribute.name)
            if value is None or part.attribute.type not in value:
                return False
            if part.attribute.type == "S":
                try:
                    part.template.parse(value["S"])
                except KeyTextMismatch:
                    return False
        return True

    # Items.

    def item(self, instance: M, key: Item | None = None) -> Item:
        """The item as it is stored; pass ``key`` if it is already known."""
        values = instance.__dict__
        item: Item = {}
        for attribute in self._top:
            value = values[attribute.field]
            # DynamoDB does not allow empty sets; a missing field gets its default.
            if value is not None and not (value.__class__ in _SETS and not value):
                item[attribute.name] = encode(value)
        if self.envelope is not None:
            payload = {a.name: values[a.field] for a in self._enveloped}
            item[self.envelope.attribute] = {"S": json_text(payload)}
        table = self.table
        if table.type_attribute is not None and self.type_name is not None:
            item[table.type_attribute] = {"S": self.type_name}
        if self.ttl is not None and table.ttl is not None and values[self.ttl] is not None:
            item[table.ttl] = {"N": _epoch_seconds(values[self.ttl])}
        for part in self.forms:
            item[part.attribute.name] = part.value(values)
        item.update(self.index_keys(instance))
        item.update(self.key_of(instance) if key is None else key)
        return item

    def instance(self, item: Item) -> M:
        """Parse an item; raises ItemInvalid if it does not fit the model."""
        values: dict[str, Any] = self._fill.copy()
        for name in self._top_names:
            value = item.get(name)
            if value is not None:
                text = value.get("S")  # Fast path: most attributes are strings.
                values[name] = decode(value) if text is None else text
        if self.envelope is not None:
            held = item.get(self.envelope.attribute)
            if held is not None:
                values.update(self._opened(held))
        for name, part, field in self._recovered:
            if name in item:
                values[name] = self._parsed(part, item[name])[field]
        try:
            instance: M = self._validate(values, by_alias=True, by_name=True)
        except ModelError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(step) for step in first["loc"]) or "item"
            raise ItemInvalid(self.name, place, first["msg"]) from error
        return instance

    def _opened(self, held: Value) -> dict[str, Any]:
        assert self.envelope is not None
        try:
            payload = orjson.loads(held["S"])
        except (KeyError, ValueError):
            payload = None
        if not isinstance(payload, dict):
            raise ItemInvalid(self.name, self.envelope.attribute, "is not a JSON object")
        return payload

    def _parsed(self, part: KeyPart, value: Value) -> dict[str, Any]:
        try:
            return part.template.parse(value["S"])
        except (KeyError, KeyTextMismatch) as error:
            raise ItemInvalid(
                self.name, part.attribute.name, f"does not match {part.text}"
            ) from error

    # Absent items.

    def is_marked(self, instance: BaseModel) -> bool:
        """Whether an instance is marked as deleted."""
        return self.mark is not None and getattr(instance, self.mark) is not None

    def is_absent(self, item: Item, now: float, *, with_marked: bool = False) -> bool:
        """Whether a stored item counts as absent: expired, or marked as deleted."""
        ttl = self.table.ttl
        if ttl is not None and ttl in item and self.expires:
            expiry = item[ttl].get("N")
            if expiry is not None and float(expiry) <= now:
                return True
        if self.mark is not None and not with_marked:
            marked = item.get(self.attributes[self.mark].name)
            return marked is not None and "NULL" not in marked
        return False

    @property
    def expires(self) -> bool:
        """Whether its items can have the table's TTL attribute."""
        return self.ttl is not None or self.table.ttl in self._by_alias

    def annotation(self, field: str) -> Any:
        """The type of a field or property, by its Python name."""
        attribute = self.attributes.get(field)
        return self.properties[field] if attribute is None else attribute.annotation

    def attribute(self, field: str) -> Attribute:
        """A stored field, by its Python name."""
        return self.attributes[field]


_SETS = (set, frozenset)


def _epoch_seconds(moment: Any) -> str:
    """A time, or a number of seconds, as the value of a TTL attribute."""
    return str(int(moment if isinstance(moment, int | float) else moment.timestamp()))


def _recovered_fields(
    attributes: Mapping[str, Attribute], faces: Mapping[str, Face], forms: Sequence[KeyPart]
) -> list[tuple[str, KeyPart, str]]:
    """Fields whose attribute contains more than the field: ``SITE#{siteId}``.

    The attribute is also a key, or is declared with ``stored``; the field is parsed from it.
    """
    by_name = {attribute.name: attribute.field for attribute in attributes.values()}
    recovered = []
    for part in [*forms, *(part for face in faces.values() for part in face.parts)]:
        field = by_name.get(part.attribute.name)
        if field is not None and not part.template.is_plain and field in part.template.fields:
            recovered.append((part.attribute.name, part, field))
    return recovered


@dataclass(frozen=True, eq=False)
class Ref(Generic[M]):
    """One row, named by its key."""

    entity: Entity[M]
    key: Item
    values: Mapping[str, Any]

    @property
    def identity(self) -> tuple[str, ...]:
        """The table name and the key values, for comparisons and lookups."""
        return (self.entity.table.name, *(str(value) for value in self.key.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def entity_of_model(model: type[M]) -> Entity[M]:
    """The entity of a model; raises NotDeclared."""
    try:
        return _ENTITIES[model]
    except KeyError:
        raise NotDeclared(f"{model.__name__} is not declared as an entity") from None


def ref(model: type[M], /, **fields: Any) -> Ref[M]:
    """The row with these key fields; raises KeyValueInvalid if one is missing or invalid."""
    entity = entity_of_model(model)
    return Ref(entity, entity.key(fields), fields)


def ref_of(instance: M) -> Ref[M]:
    """The row of an instance."""
    entity = entity_of_model(type(instance))
    return Ref(entity, entity.key_of(instance), instance.__dict__)

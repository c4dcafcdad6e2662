"""A table: its keys, indexes, entities and derived items.

``Table`` collects declarations and findings. Errors are raised together once
the design is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from tablewright.design.derivations import Counter, Derivation, History
from tablewright.design.entity import Entity, Envelope, Keys, entity_of_model
from tablewright.design.entity_builder import declare_entity
from tablewright.design.findings import Finding, Place, names_at_caller, place_of_caller
from tablewright.design.table_definition import Index, KeyAttribute
from tablewright.keys.algebra import Area, Neighbours
from tablewright.values.attributes import Item

__all__ = ["Table"]

M = TypeVar("M", bound=BaseModel)
F = TypeVar("F", bound=Callable[..., Any])
# Templates of an index: both keys, or the partition key alone; lists for several attributes.
GivenKeys = Keys | tuple[str | Sequence[str], ...] | str
_VERSION = "version"


class Declare(Protocol):
    """A decorator that returns the class unchanged."""

    def __call__(self, model: type[M], /) -> type[M]: ...


class Table:
    """A DynamoDB table and its entities."""

    def __init__(
        self,
        name: str,
        pk: str | KeyAttribute = "PK",
        sk: str | KeyAttribute | None = "SK",
        *,
        indexes: Sequence[Index] = (),
        ttl: str | None = None,
        type_attribute: str | None = "entityType",
        delimiter: str = "#",
        envelope: Envelope | None = None,
        unchecked: bool = False,
        static_case: Literal["upper", "lower"] | None = None,
    ) -> None:
        """Declare a table. Entities and derived items are then declared with its methods.

        ``unchecked``: strings are used in keys as they are and may contain the delimiter.
        ``static_case`` is the convention for the fixed parts of keys; lint checks it.
        """
        self.name = name
        self.primary = Index("", pk, sk)
        self.indexes = {index.name: index for index in indexes}
        self.ttl = ttl
        self.type_attribute = type_attribute
        self.delimiter = delimiter
        self.envelope = envelope
        self.unchecked = unchecked
        self.static_case = static_case
        self.place = place_of_caller(1)
        self.entities: list[Entity[Any]] = []
        self.derivations: list[Derivation] = []
        self.histories: list[History] = []
        self.counters: list[Counter] = []
        self.findings: list[Finding] = []
        self._neighbours: dict[str, Neighbours[Entity[Any]]] = {}
        self._by_type: dict[str | None, list[Entity[Any]]] = {}

    def __repr__(self) -> str:
        return f"<table {self.name}>"

    @property
    def pk(self) -> KeyAttribute:
        return self.primary.partition[0]

    @property
    def sk(self) -> KeyAttribute | None:
        return self.primary.sort[0] if self.primary.sort else None

    @property
    def all_indexes(self) -> list[Index]:
        """The table itself and its indexes."""
        return [self.primary, *self.indexes.values()]

    def index(self, name: str) -> Index:
        """An index by name; the empty name is the table."""
        return self.indexes[name] if name else self.primary

    def entities_near(self, index: str, areas: Sequence[Area]) -> list[Entity[Any]]:
        """The entities whose keys in an index may be among these."""
        if index not in self._neighbours:
            faces = [(e.faces[index].texts, e) for e in self.entities if index in e.faces]
            self._neighbours[index] = Neighbours(faces)
        return self._neighbours[index].near(areas)

    # Declarations.

    def entity(
        self,
        pk: str,
        sk: str | None = None,
        *,
        type: str | None = "",  # noqa: A002 (DynamoDB designs call it the entity's type)
        indexes: Mapping[str, GivenKeys] | None = None,
        version: str | None = _VERSION,
        mark: str | None = None,
        ttl: str | None = None,
        top: Sequence[str] | None = None,
        flat: bool = False,
        stored: Mapping[str, str] | None = None,
        size_bytes: int | None = None,
        per_partition: int | None = None,
        **index_keys: GivenKeys,
    ) -> Declare:
        """Declare an entity: its key templates in the table and, by name, in the indexes.

        ``type`` is the value of the type attribute, by default the class name in capitals; None
        stores none. ``version`` is the field for optimistic locking, if the model has it. ``mark``:
        items in which this field has a value count as deleted. ``ttl`` is the field that sets the
        table's TTL attribute. ``top`` adds attributes outside the table's envelope; ``flat`` uses
        no envelope. ``stored`` is the template of an attribute that contains more than its field,
        such as ``SITE#{siteId}``. ``size_bytes`` and ``per_partition`` are the size of an item and
        the number of items in a partition, for prices and warnings.
        """
        keys = {name: _keys(given) for name, given in {**(indexes or {}), **index_keys}.items()}
        return partial(
            self._declare,
            keys={"": Keys(pk, () if sk is None else sk), **keys},
            type_name=type,
            version=version,
            mark=mark,
            ttl=ttl,
            stored=stored or {},
            envelope=None if flat else self._envelope_with(top),
            size_bytes=size_bytes,
            per_partition=per_partition,
            place=place_of_caller(1),
        )

    def _declare(self, model: type[M], **declaration: Any) -> type[M]:
        entity = declare_entity(self, model, **declaration)
        if entity is not None:
            self.entities.append(entity)
            self._neighbours.clear()
            # Without a type attribute, only the key identifies the entity.
            type_name = entity.type_name if self.type_attribute is not None else None
            self._by_type.setdefault(type_name, []).append(entity)
        return model

    def _envelope_with(self, top: Sequence[str] | None) -> Envelope | None:
        if self.envelope is None:
            return None
        return Envelope(self.envelope.attribute, (*self.envelope.top, *(top or ())))

    def derive(
        self,
        source: type[BaseModel],
        *,
        max: int | None = None,  # noqa: A002 (reads as what it is in a declaration)
        while_marked: bool = False,
        atomic: bool = True,
    ) -> Callable[[F], F]:
        """Declare rows derived from each item of an entity, updated in the same transaction.

        ``max`` bounds the rows of one item; without it, writes are staged. With ``while_marked``
        the rows stay while their source is marked as deleted. ``atomic=False`` states that other
        code writes the rows in separate calls, which lint reports.
        """
        return self._derivation(source, "rows", max, while_marked=while_marked, atomic=atomic)

    def unique(self, source: type[BaseModel], *, while_marked: bool = False) -> Callable[[F], F]:
        """Declare a row that only one item can have: a uniqueness guard."""
        return self._derivation(source, "unique", 1, while_marked=while_marked, atomic=True)

    def _derivation(
        self,
        source: type[BaseModel],
        kind: Literal["rows", "unique"],
        bound: int | None,
        *,
        while_marked: bool,
        atomic: bool,
    ) -> Callable[[F], F]:
        place, names = place_of_caller(2), names_at_caller(2)

        def declare(function: F) -> F:
            entity = self._source(source, place)
            if entity is not None:
                declared = Derivation(
                    entity, function, kind, bound, while_marked, atomic, place, names
                )
                entity.derivations.append(declared)
                self.derivations.append(declared)
            return function

        return declare

    def history(self, source: type[BaseModel]) -> Callable[[F], F]:
        """Declare a row, returned by ``fn(old, new)``, that is appended on every replacement."""
        place, names = place_of_caller(1), names_at_caller(1)

        def declare(function: F) -> F:
            entity = self._source(source, place)
            if entity is not None:
                declared = History(entity, function, place, names)
                entity.histories.append(declared)
                self.histories.append(declared)
            return function

        return declare

    def count(
        self,
        source: type[M],
        field: str,
        *,
        by: Callable[[M], int] | None = None,
        max: int = 1,  # noqa: A002 (reads as what it is in a declaration)
    ) -> Callable[[F], F]:
        """Declare a counter: ``field`` of the rows that ``fn(item)`` refers to."""
        place, names = place_of_caller(1), names_at_caller(1)

        def declare(function: F) -> F:
            entity = self._source(source, place)
            if entity is not None:
                declared = Counter(entity, function, field, by, max, place, names)
                entity.counts.append(declared)
                self.counters.append(declared)
            return function

        return declare

    def _source(self, model: type[M], place: Place) -> Entity[M] | None:
        try:
            return entity_of_model(model)
        except LookupError:
            cause = f"{model.__name__} is not an entity."
            self.findings.append(Finding("TW112", "error", model.__name__, cause, place=place))
            return None

    # Items.

    def entity_of(self, item: Item) -> Entity[Any] | None:
        """The entity of an item, from its type attribute and, if needed, its key."""
        name = None
        if self.type_attribute is not None:
            held = item.get(self.type_attribute)
            name = held.get("S") if held is not None else None
        candidates = self._by_type.get(name)
        if name is None and self.type_attribute is not None:
            candidates = self.entities  # Written by other code: the key decides.
        elif candidates is None:
            candidates = self._by_type.get(None, [])
        elif len(candidates) == 1 and name is not None:
            return candidates[0]
        return next((entity for entity in candidates if entity.has_key(item)), None)

    def create_request(self) -> dict[str, Any]:
        """The CreateTable request of this table."""
        local = [index for index in self.indexes.values() if index.is_local]
        others = [index for index in self.indexes.values() if not index.is_local]
        request: dict[str, Any] = {
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": self.primary.key_schema(),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind}
                for name, kind in _key_types(self.all_indexes).items()
            ],
        }
        if others:
            request["GlobalSecondaryIndexes"] = [index.description() for index in others]
        if local:
            request["LocalSecondaryIndexes"] = [index.description() for index in local]
        return request


def _key_types(indexes: Iterable[Index]) -> dict[str, str]:
    return {part.name: part.type for index in indexes for part in index.attributes}


def _keys(given: GivenKeys) -> Keys:
    if isinstance(given, Keys):
        return given
    return Keys(given) if isinstance(given, str) else Keys(*given)

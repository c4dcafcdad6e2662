"""Drift: what is stored and does not follow from the items it is said to follow from.

The whole table is read; each row is told its entity; then every derived row, every counter and
every index key is worked out anew and compared. Nothing is repaired here: a design says what must
hold, and `tablewright fsck` prints what does not.

- A derived row without a source, a source without its row, a row that differs from what its source
  makes. What a derived row has of its own (counters) is not compared.
- A counter that is not the sum over what it counts. While its row is marked, the children go
  without telling it: then it may be more, never less.
- Something that counts on a row which is not there.
- Index keys that are not those of the item; rows that are no entity's, or do not fit it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from tablewright.design.entity import Entity, entity_of_model
from tablewright.design.table import Table
from tablewright.errors import ItemInvalid
from tablewright.values.attributes import Item

__all__ = ["Caller", "drift"]

Key = tuple[str, ...]


class Caller(Protocol):
    """The one thing that is asked of a store."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]: ...


class Row(NamedTuple):
    """One stored row, and what it is."""

    entity: Entity[Any]
    instance: BaseModel
    item: Item


Rows = dict[Key, Row]


def drift(store: Caller, tables: Iterable[Table]) -> list[str]:
    """Everything in these tables that does not follow from their items, in words."""
    wrong: list[str] = []
    rows: Rows = {}
    every = list(tables)
    for table in every:
        for item in _scanned(store, table):
            key = _key(table, item)
            entity = table.entity_of(item)
            if entity is None:
                wrong.append(f"{_told(key)} is of no entity")
                continue
            try:
                rows[key] = Row(entity, entity.instance(item), item)
            except ItemInvalid as error:
                wrong.append(f"{_told(key)} does not fit: {error}")
    for table in every:
        wrong += _derived_drift(table, rows)
        wrong += _counter_drift(table, rows)
    return [*wrong, *_index_drift(rows)]


def _scanned(store: Caller, table: Table) -> Iterator[Item]:
    request: dict[str, Any] = {"TableName": table.name, "ConsistentRead": True}
    while True:
        reply = store.call("Scan", request)
        yield from reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return
        request = {**request, "ExclusiveStartKey": reply["LastEvaluatedKey"]}


def _key(table: Table, item: Item) -> Key:
    values = [item[part.name] for part in table.primary.attributes]
    return (table.name, *(text for value in values for text in value.values()))


def _told(key: Key) -> str:
    return " / ".join(key[1:])


def _derived_drift(table: Table, rows: Rows) -> Iterator[str]:
    expected: dict[Key, BaseModel] = {}
    targets = {entity for derivation in table.derivations for entity in derivation.targets}
    for derivation in table.derivations:
        for key, (entity, source, _) in rows.items():
            if entity is not derivation.source:
                continue
            for made in derivation.rows(source):
                target = entity_of_model(type(made))
                place = _key(target.table, target.key_of(made))
                if expected.setdefault(place, made) != made:
                    yield f"{_told(place)} has two sources, one is {_told(key)}"
    for place, made in expected.items():
        row = rows.get(place)
        if row is None:
            yield f"{_told(place)} is missing"
        elif _comparable(made) != _comparable(row.instance):
            yield f"{_told(place)} is {row.instance}, its source makes {made}"
    for key, row in rows.items():
        if row.entity in targets and key not in expected:
            yield f"{_told(key)} is derived from nothing"


def _comparable(row: BaseModel) -> tuple[type[BaseModel], dict[str, Any]]:
    """A derived row without what it has of its own."""
    own = entity_of_model(type(row)).counters
    return type(row), {name: value for name, value in row.__dict__.items() if name not in own}


def _counter_drift(table: Table, rows: Rows) -> Iterator[str]:
    for counter in table.counters:
        sums: dict[Key, int] = {}
        for entity, source, _ in rows.values():
            if entity is counter.source:
                for target, amount in counter.contributions(source):
                    place = _key(target.entity.table, target.key)
                    sums[place] = sums.get(place, 0) + amount
        for place in sums.keys() - rows.keys():
            yield f"{counter.name}: {sums[place]} counted on {_told(place)}, which is not there"
        for key, (entity, target_row, _) in rows.items():
            if entity is not counter.target:
                continue
            is_swept = entity.is_marked(target_row)
            held, counted = getattr(target_row, counter.field), sums.get(key, 0)
            if held < counted or (held > counted and not is_swept):
                yield f"{counter.field} of {_told(key)} is {held}, {counter.name} makes {counted}"


def _index_drift(rows: Rows) -> Iterator[str]:
    for key, (entity, instance, item) in rows.items():
        should = entity.item(instance)
        indexes = entity.table.indexes.values()
        for name in sorted({part.name for index in indexes for part in index.attributes}):
            if item.get(name) != should.get(name):
                yield f"{name} of {_told(key)} is {item.get(name)}, should be {should.get(name)}"

"""Finds drift: stored data that does not match the items it derives from.

Reads all tables, recomputes every derived row, counter and index key, and compares. Nothing is
repaired. Problems are:

- A derived row without a source, a source without its row, or a row that differs from its source.
  Counters of a derived row are not compared.
- A counter that differs from the sum over its sources. While its row is marked, children are
deleted
  without updating it, so it may be too high, but not too low.
- A counter whose target does not exist.
- Index keys that differ from the item; rows without an entity, or that do not fit it.
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
    """What fsck needs from a store."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]: ...


class Row(NamedTuple):
    """A stored row with its entity."""

    entity: Entity[Any]
    instance: BaseModel
    item: Item


Rows = dict[Key, Row]


def drift(store: Caller, tables: Iterable[Table]) -> list[str]:
    """The problems in these tables, one sentence each."""
    wrong: list[str] = []
    rows: Rows = {}
    every = list(tables)
    for table in every:
        for item in _scan(store, table):
            key = _key(table, item)
            entity = table.entity_of(item)
            if entity is None:
                wrong.append(f"{_key_text(key)} belongs to no entity")
                continue
            try:
                rows[key] = Row(entity, entity.instance(item), item)
            except ItemInvalid as error:
                wrong.append(f"{_key_text(key)} does not fit its entity: {error}")
    for table in every:
        wrong += _derived_drift(table, rows)
        wrong += _counter_drift(table, rows)
    return [*wrong, *_index_drift(rows)]


def _scan(store: Caller, table: Table) -> Iterator[Item]:
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


def _key_text(key: Key) -> str:
    return " / ".join(key[1:])


def _derived_drift(table: Table, rows: Rows) -> Iterator[str]:
    expected: dict[Key, BaseModel] = {}
    targets = {entity for derivation in table.derivations for entity in derivation.targets}
    for derivation in table.derivations:
        for key, (entity, source, _) in rows.items():
            if entity is not derivation.source:
                continue
            for derived_row in derivation.rows(source):
                target = entity_of_model(type(derived_row))
                place = _key(target.table, target.key_of(derived_row))
                if expected.setdefault(place, derived_row) != derived_row:
                    yield f"{_key_text(place)} has two different sources; one is {_key_text(key)}"
    for place, derived_row in expected.items():
        row = rows.get(place)
        if row is None:
            yield f"{_key_text(place)} is missing"
        elif _comparable(derived_row) != _comparable(row.instance):
            yield f"{_key_text(place)} is {row.instance}, but its source gives {derived_row}"
    for key, row in rows.items():
        if row.entity in targets and key not in expected:
            yield f"{_key_text(key)} has no source"


def _comparable(row: BaseModel) -> tuple[type[BaseModel], dict[str, Any]]:
    """The fields of a derived row, without counters."""
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
            missing = _key_text(place)
            yield f"{counter.name}: {sums[place]} counted on {missing}, which does not exist"
        for key, (entity, target_row, _) in rows.items():
            if entity is not counter.target:
                continue
            is_swept = entity.is_marked(target_row)
            held, counted = getattr(target_row, counter.field), sums.get(key, 0)
            if held < counted or (held > counted and not is_swept):
                field = f"{counter.field} of {_key_text(key)}"
                yield f"{field} is {held}, but {counter.name} counts {counted}"


def _index_drift(rows: Rows) -> Iterator[str]:
    for key, (entity, instance, item) in rows.items():
        should = entity.item(instance)
        indexes = entity.table.indexes.values()
        for name in sorted({part.name for index in indexes for part in index.attributes}):
            if item.get(name) != should.get(name):
                wrong, right = item.get(name), should.get(name)
                yield f"{name} of {_key_text(key)} is {wrong}, but should be {right}"

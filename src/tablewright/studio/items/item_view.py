"""The item page: attributes with their types and sizes, and related items.

Each derived item is read and compared with the one that the design derives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from tablewright.errors import ItemInvalid
from tablewright.limits import ITEM_BYTES_MAX
from tablewright.plan.operation import Call
from tablewright.studio.history.moments import AsOf
from tablewright.studio.items.item_links import address_of, key_at
from tablewright.studio.items.item_row import Row, key_text, row_of
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of
from tablewright.values.sizes import attribute_size

if TYPE_CHECKING:
    from tablewright.design.entity import Entity
    from tablewright.design.table import Table
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["ItemView", "item_view", "place_of"]

DERIVED_SHOWN: Final = 40


@dataclass(frozen=True)
class AttributeLine:
    """One attribute."""

    name: str
    type: str
    text: str
    size: int
    percent: float  # Of the item.
    role: str  # "key", "index key", "type", "expiry", "envelope" or nothing.
    is_known: bool


@dataclass(frozen=True)
class DerivedLine:
    """An item that is made of this one."""

    chip: EntityBadge
    by: str
    key: str
    table: str
    address: str
    state: str  # "in step", "missing" or "differs".


@dataclass(frozen=True)
class ItemView:
    """The page."""

    row: Row
    attributes: tuple[AttributeLine, ...]
    typed: str
    model: str
    error: str  # Why it is no item of its entity.
    size: int
    percent: float  # Of 400 KB.
    derived: tuple[DerivedLine, ...]
    derived_left_out: int
    sources: tuple[tuple[EntityBadge, str], ...]
    histories: tuple[str, ...]
    counters: tuple[tuple[str, str], ...]
    partition: str
    writes: tuple[str, ...]
    request: Snippets
    as_of: AsOf
    tab: str = "item"


async def item_view(design: LoadedDesign, store: LoggedStore, name: str, address: str) -> ItemView:
    """The page; raises LookupError if there is no such item, and AddressInvalid."""
    table, key = place_of(design, name, address)
    request = {"TableName": table.name, "Key": key, "ConsistentRead": True}
    item = (await store.call("GetItem", request)).get("Item")
    if item is None:
        then = " at that moment" if store.as_of.moment else ""
        raise LookupError(f"No item has this key{then}.")
    entity = table.entity_of(item)
    row = row_of(design, table, table.primary, item)
    instance, error = _instance(entity, item)
    derived, left_out = await _derived(design, store, entity, instance)
    return ItemView(
        row=row,
        attributes=tuple(_attributes(table, entity, item, row.size)),
        typed=orjson.dumps(item, option=orjson.OPT_INDENT_2).decode(),
        model=_model_text(instance) if instance is not None else "",
        error=error,
        size=row.size,
        percent=100 * row.size / ITEM_BYTES_MAX,
        derived=tuple(derived),
        derived_left_out=left_out,
        sources=_sources(design, entity),
        histories=tuple(history.name for history in entity.histories) if entity is not None else (),
        counters=_counters(entity),
        partition=address_of({p.name: item[p.name] for p in table.primary.partition}),
        writes=_writes(design, entity),
        request=snippets_of([Call("GetItem", request)], store.region),
        as_of=store.as_of,
    )


def place_of(design: LoadedDesign, name: str, address: str) -> tuple[Table, Item]:
    """The table and the key that an address names; raises LookupError and AddressInvalid."""
    table, key = design.table(name), key_at(address)
    if table is None or key.keys() != {part.name for part in table.primary.attributes}:
        raise LookupError("Not a key of a table of this design.")
    return table, key


def _instance(entity: Entity[Any] | None, item: Item) -> tuple[Any, str]:
    if entity is None:
        return None, "No entity of the design matches this key and type."
    try:
        return entity.instance(item), ""
    except ItemInvalid as error:
        return None, str(error)


def _model_text(instance: BaseModel) -> str:
    """An instance as JSON, with base64 for its bytes whatever its model says of them."""
    content = to_jsonable_python(instance.model_dump(by_alias=True), bytes_mode="base64")
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def _attributes(
    table: Table, entity: Entity[Any] | None, item: Item, whole: int
) -> list[AttributeLine]:
    keys = {part.name for part in table.primary.attributes}
    index_keys = {part.name for index in table.indexes.values() for part in index.attributes}
    declared = {a.name for a in entity.attributes.values()} if entity is not None else set()
    envelope = entity.envelope.attribute if entity is not None and entity.envelope else None
    roles: dict[str | None, str] = {
        **dict.fromkeys(index_keys, "index key"),
        **dict.fromkeys(keys, "key"),
        table.type_attribute: "type",
        table.ttl: "expiry",
        envelope: "envelope",
    }
    lines = []
    for name, value in sorted(item.items(), key=lambda pair: (pair[0] not in keys, pair[0])):
        size = attribute_size(name, value)
        [(kind, content)] = value.items()
        text = content if isinstance(content, str) else orjson.dumps(content).decode()
        role = roles.get(name, "")
        lines.append(
            AttributeLine(
                name, kind, text, size, 100 * size / whole, role, bool(role) or name in declared
            )
        )
    return lines


async def _derived(
    design: LoadedDesign, store: LoggedStore, entity: Entity[Any] | None, instance: Any
) -> tuple[list[DerivedLine], int]:
    """The rows that the design makes of an item, beside what is stored under their keys."""
    if entity is None or instance is None:
        return [], 0
    derived_rows = [
        (derivation.name, row)
        for derivation in entity.derivations
        for row in derivation.rows(instance)
    ]
    lines = []
    for by, row in derived_rows[:DERIVED_SHOWN]:
        target = next(e for e in design.entities.values() if e.model is type(row))
        expected = target.item(row)
        key = target.key_of(row)
        request = {"TableName": target.table.name, "Key": key, "ConsistentRead": True}
        stored = (await store.call("GetItem", request)).get("Item")
        counted = {target.attributes[name].name for name in target.counters}
        lines.append(
            DerivedLine(
                design.chip(target.name),
                by,
                " / ".join(key_text(value) for value in key.values()),
                target.table.name,
                address_of(key),
                _state(expected, stored, counted),
            )
        )
    return lines, max(0, len(derived_rows) - DERIVED_SHOWN)


def _state(expected: Item, stored: Item | None, counted: set[str]) -> str:
    if stored is None:
        return "missing"
    # Counters are moved by others; the row itself does not say what they are.
    same = all(stored.get(name) == value for name, value in expected.items() if name not in counted)
    return "in step" if same else "differs"


def _sources(
    design: LoadedDesign, entity: Entity[Any] | None
) -> tuple[tuple[EntityBadge, str], ...]:
    if entity is None:
        return ()
    return tuple((design.chip(source), name) for source, name in design.sources_of(entity))


def _counters(entity: Entity[Any] | None) -> tuple[tuple[str, str], ...]:
    if entity is None:
        return ()
    return tuple(
        (counter.name, f"{counter.target.name}.{counter.field}")
        for counter in entity.counts
        if counter.target
    )


def _writes(design: LoadedDesign, entity: Entity[Any] | None) -> tuple[str, ...]:
    """How the item is changed; what is derived changes with its source."""
    if entity is None or design.is_derived(entity):
        return ()
    return (f"save.{entity.name}", f"delete.{entity.name}")

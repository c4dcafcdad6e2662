"""An item as a row: its entity's mark, its key in segments, its attributes in short, its links."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.errors import ItemInvalid, KeyTextMismatch, KeyValueInvalid
from tablewright.keys.template import Field
from tablewright.studio.items.item_links import address_of
from tablewright.studio.shell.entity_badges import UNKNOWN, EntityBadge
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.design.entity import Entity, KeyPart
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item, Value

__all__ = [
    "Cell",
    "Link",
    "Row",
    "Segment",
    "key_text",
    "row_of",
    "segments_of",
    "short_text",
    "template_parts",
]

_CHARS_SHOWN: Final = 80
_PIECES: Final = re.compile(r"(\{[^{}]*\})")


@dataclass(frozen=True)
class Segment:
    """A piece of a key: fixed text, or the value of a field."""

    text: str
    field: str = ""  # Empty for fixed text.


@dataclass(frozen=True)
class Cell:
    """An attribute in short."""

    name: str
    type: str
    text: str
    is_known: bool = True  # Whether the entity declares it.


@dataclass(frozen=True)
class Link:
    """Another collection that an item's values lead to."""

    label: str
    table: str
    index: str
    partition: str  # The address of its partition key.
    chip: EntityBadge


@dataclass(frozen=True)
class Row:
    """One item."""

    chip: EntityBadge
    partition: tuple[Segment, ...]
    sort: tuple[Segment, ...]
    cells: tuple[Cell, ...]
    links: tuple[Link, ...]
    table: str
    address: str
    size: int


def key_text(value: Value) -> str:
    """A key attribute's value as text."""
    return str(next(iter(value.values())))


def template_parts(part: KeyPart) -> tuple[Segment, ...]:
    """A template as it is written, in segments."""
    pieces = [piece for piece in _PIECES.split(part.text) if piece]
    return tuple(
        Segment(piece, piece.strip("{}").partition(":")[0]) if piece[0] == "{" else Segment(piece)
        for piece in pieces
    )


def segments_of(part: KeyPart | None, value: Value) -> tuple[Segment, ...]:
    """A key's value in the segments of its template; in one piece if it does not fit."""
    text = key_text(value)
    if part is None or part.attribute.type != "S":
        return (Segment(text, "" if part is None else part.template.fields[0]),)
    try:
        values = part.template.parse(text)
        segments = tuple(
            Segment(piece.encoded(values), piece.name)
            if isinstance(piece, Field)
            else Segment(piece)
            for piece in part.template.parts
        )
    except (KeyTextMismatch, KeyValueInvalid):
        return (Segment(text),)
    # A codec that loses something cannot write the same text again.
    return segments if "".join(segment.text for segment in segments) == text else (Segment(text),)


def row_of(design: LoadedDesign, table: Table, index: Index, item: Item) -> Row:
    """An item of a table as it stands in one of its indexes."""
    entity = table.entity_of(item)
    face = entity.faces.get(index.name) if entity is not None else None
    parts = {part.attribute.name: part for part in face.parts} if face is not None else {}

    def key(attributes: tuple[Any, ...]) -> tuple[Segment, ...]:
        segments: list[Segment] = []
        for attribute in attributes:
            if attribute.name in item:
                segments += [Segment(" / ")] if segments else []
                segments += segments_of(parts.get(attribute.name), item[attribute.name])
        return tuple(segments)

    table_key = {part.name: item[part.name] for part in table.primary.attributes}
    partition, sort = key(index.partition), key(index.sort)
    key_fields = frozenset(segment.field for segment in (*partition, *sort) if segment.field)
    return Row(
        chip=UNKNOWN if entity is None else design.chip(entity.name),
        partition=partition,
        sort=sort,
        cells=_cells(table, entity, item, key_fields),
        links=_links(design, table, entity, item),
        table=table.name,
        address=address_of(table_key),
        size=item_size(item),
    )


def _cells(
    table: Table, entity: Entity[Any] | None, item: Item, key_fields: frozenset[str]
) -> tuple[Cell, ...]:
    """The attributes that the key does not show already, in the order of the entity's fields."""
    keys = {part.name for index in table.all_indexes for part in index.attributes}
    order = [a.name for a in entity.attributes.values()] if entity is not None else []
    names = entity.names if entity is not None else {}
    machinery = {table.type_attribute, table.ttl}
    if entity is not None and entity.envelope is not None:
        machinery.add(entity.envelope.attribute)
    cells = []
    for name, value in item.items():
        is_key = name in keys and name not in order
        is_type = name == table.type_attribute and entity is not None
        if is_key or is_type or names.get(name) in key_fields:
            continue
        [(kind, content)] = value.items()
        is_known = name in order or name in machinery
        cells.append(Cell(name, kind, short_text(kind, content), is_known))
    place = {name: number for number, name in enumerate(order)}
    return tuple(sorted(cells, key=lambda cell: place.get(cell.name, len(place))))


def short_text(kind: str, content: Any) -> str:
    """A value on one line, cut where it is long."""
    text = content if kind in ("S", "N", "B") else _written(kind, content)
    return text if len(text) <= _CHARS_SHOWN else f"{text[:_CHARS_SHOWN]}…"


def _written(kind: str, content: Any) -> str:
    """A value as JSON without its types, to be looked at; never to be stored."""
    if kind == "L":
        return f"[{', '.join(_written(*next(iter(m.items()))) for m in content)}]"
    if kind == "M":
        pairs = [f"{n}: {_written(*next(iter(m.items())))}" for n, m in content.items()]
        return f"{{{', '.join(pairs)}}}"
    if kind == "NULL":
        return "null"
    # Numbers as they are written: nothing may be lost on the way to a reader either.
    return str(content) if kind == "N" else json.dumps(content, ensure_ascii=False)


# Links.


def _links(
    design: LoadedDesign, table: Table, entity: Entity[Any] | None, item: Item
) -> tuple[Link, ...]:
    """The collections whose partition keys can be made of this item's own values."""
    if entity is None:
        return ()
    try:
        instance = entity.instance(item)
    except ItemInvalid:
        return ()
    own = {key_text(item[part.name]) for part in table.primary.partition}
    links: dict[tuple[str, str, str], Link] = {}
    for other in design.entities.values():
        for name, face in other.faces.items():
            values = _values_for(instance, entity, other, face.partition)
            if values is None:
                continue
            try:
                key = {part.attribute.name: part.value(values) for part in face.partition}
            except KeyValueInvalid:
                continue
            text = " / ".join(key_text(value) for value in key.values())
            is_shared = all(not part.template.fields for part in face.partition)
            if is_shared or (other.table is table and not name and text in own):
                continue
            place = (other.table.name, name, text)
            links.setdefault(
                place,
                Link(text, other.table.name, name, address_of(key), design.chip(other.name)),
            )
    return tuple(links.values())


def _values_for(
    instance: Any, entity: Entity[Any], other: Entity[Any], parts: tuple[KeyPart, ...]
) -> dict[str, Any] | None:
    """The values of a key's fields, where this item has fields of the same names."""
    values: dict[str, Any] = {}
    for part in parts:
        for field in part.template.fields:
            named = other.attributes[field].name if field in other.attributes else field
            own = entity.names.get(named)
            value = getattr(instance, own, None) if own is not None else None
            if value is None:
                return None
            values[field] = value
    return values

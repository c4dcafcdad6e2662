"""Item collections: the items of a table or an index, grouped by partition key.

Nothing is ever read as a whole. A page looks for the next few partitions one by one: a Scan of a
single item finds a partition, a Query reads its first rows, and the next Scan starts behind the
last sort key that this partition could have. So a page costs the same in a table of any size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tablewright.plan.operation import Call
from tablewright.studio.history.moments import AsOf
from tablewright.studio.items.item_links import address_of, key_at
from tablewright.studio.items.item_row import Row, Segment, row_of, segments_of, template_parts
from tablewright.studio.items.partition_scan import behind
from tablewright.studio.shell.request_log import LoggedStore, Snippets, snippets_of
from tablewright.studio.shell.table_picker import TableChoice, table_choices

if TYPE_CHECKING:
    from tablewright.design.entity import KeyPart
    from tablewright.design.table import Table
    from tablewright.design.table_definition import Index
    from tablewright.studio.shell.entity_badges import EntityBadge
    from tablewright.studio.shell.loaded_design import LoadedDesign
    from tablewright.values.attributes import Item

__all__ = ["CollectionsQuery", "CollectionsView", "collections_view"]

PARTITIONS_SHOWN: Final = 12
ROWS_SHOWN: Final = 8  # Of each partition, where several are shown;
ROWS_OF_ONE: Final = 50  # of one that was asked for.
COLLECTION_BYTES_MAX: Final = 10 * 1024**3  # Developer Guide, LSI, "Item collection size limit".


@dataclass(frozen=True)
class Reader:
    """A pattern that reads this partition, and what of its arguments the key tells."""

    name: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class Collection:
    """One partition: what was read of it."""

    key: str  # The address of its partition key.
    segments: tuple[Segment, ...]
    chips: tuple[EntityBadge, ...]
    rows: tuple[Row, ...]
    size: int
    percent: float  # Of the 10 GB that a collection may have beside a local index.
    next: str  # The address behind which there is more; empty at its end.
    readers: tuple[Reader, ...]
    referrers: tuple[EntityBadge, ...]  # Entities whose items name this partition.


@dataclass(frozen=True)
class CollectionsView:
    """The page."""

    places: tuple[TableChoice, ...]
    table: str
    index: str
    projection: str
    collections: tuple[Collection, ...]
    is_one: bool  # Whether one partition was asked for.
    text: str  # What was typed to find it.
    start: str
    next: str  # Where the next partitions begin; empty at the end.
    is_counted: bool
    items: int
    size: int
    request: Snippets | None
    as_of: AsOf


@dataclass(frozen=True)
class CollectionsQuery:
    """The query of the page's address."""

    table: str = ""
    index: str = ""
    partition: str = ""  # An address,
    text: str = ""  # or the key as a person types it.
    start: str = ""
    after: str = ""


async def collections_view(
    design: LoadedDesign, store: LoggedStore, query: CollectionsQuery
) -> CollectionsView:
    """The page; raises LookupError for no such table or index, and AddressInvalid."""
    table, index = _place(design, query)
    counts = await _counts(store, table, index)
    partition = _partition(index, query)
    if partition is not None:
        after = key_at(query.after) if query.after else None
        collection, request = await _collection(design, store, (table, index), partition, after)
        collections, following = [collection] if collection.rows else [], ""
        snippets = snippets_of([Call("Query", request)], store.region)
    else:
        start = key_at(query.start) if query.start else None
        collections, following = await _several(design, store, (table, index), start)
        snippets = None
    return CollectionsView(
        places=tuple(table_choices(design, table, index)),
        table=table.name,
        index=index.name,
        projection=_projection(index),
        collections=tuple(collections),
        is_one=partition is not None,
        text=query.text,
        start=query.start,
        next=following,
        is_counted=counts is not None,
        items=counts[0] if counts else 0,
        size=counts[1] if counts else 0,
        request=snippets,
        as_of=store.as_of,
    )


def _place(design: LoadedDesign, query: CollectionsQuery) -> tuple[Table, Index]:
    table = design.table(query.table) if query.table else design.tables[0]
    if table is None or (query.index and query.index not in table.indexes):
        raise LookupError("This design has no such table or index.")
    return table, table.index(query.index)


def _projection(index: Index) -> str:
    if index.is_table:
        return ""
    return ", ".join(index.projection) if isinstance(index.projection, tuple) else index.projection


async def _counts(store: LoggedStore, table: Table, index: Index) -> tuple[int, int] | None:
    """The items and bytes that the store says it has; it counts as it writes."""
    document = (await store.call("DescribeTable", {"TableName": table.name}))["Table"]
    if index.is_table:
        return document["ItemCount"], document["TableSizeBytes"]
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for description in document.get(kind) or ():
            if description["IndexName"] == index.name and "ItemCount" in description:
                return description["ItemCount"], description["IndexSizeBytes"]
    return None


def _partition(index: Index, query: CollectionsQuery) -> Item | None:
    """The partition key that was asked for; None to look at one after another."""
    if query.partition:
        return key_at(query.partition)
    if not query.text:
        return None
    texts = query.text.split(" / ") if len(index.partition) > 1 else [query.text]
    if len(texts) != len(index.partition):
        raise LookupError(f"{index} needs {len(index.partition)} values, with “ / ” in between.")
    return {p.name: {p.type: text} for p, text in zip(index.partition, texts, strict=True)}


# Reading.


def _query(table: Table, index: Index, partition: Item, limit: int) -> dict[str, Any]:
    names = {f"#k{at}": name for at, name in enumerate(partition)}
    values = {f":k{at}": value for at, value in enumerate(partition.values())}
    request: dict[str, Any] = {"TableName": table.name, "Limit": limit}
    if not index.is_table:
        request["IndexName"] = index.name
    request["KeyConditionExpression"] = " AND ".join(
        f"#k{at} = :k{at}" for at in range(len(partition))
    )
    return {
        **request,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


async def _collection(
    design: LoadedDesign,
    store: LoggedStore,
    place: tuple[Table, Index],
    partition: Item,
    after: Item | None,
    limit: int = ROWS_OF_ONE,
) -> tuple[Collection, dict[str, Any]]:
    table, index = place
    request = _query(table, index, partition, limit)
    if after is not None:
        request["ExclusiveStartKey"] = after
    reply = await store.call("Query", request)
    rows = tuple(row_of(design, table, index, item) for item in reply["Items"])
    size = sum(row.size for row in rows)
    last = reply.get("LastEvaluatedKey")
    collection = Collection(
        key=address_of(partition),
        segments=rows[0].partition if rows else (),
        chips=tuple(dict.fromkeys(row.chip for row in rows)),
        rows=rows,
        size=size,
        percent=100 * size / COLLECTION_BYTES_MAX,
        next=address_of(last) if last else "",
        readers=_readers(design, place, partition) if limit == ROWS_OF_ONE else (),
        referrers=_referrers(design, place, partition) if limit == ROWS_OF_ONE else (),
    )
    return collection, request


def _readers(
    design: LoadedDesign, place: tuple[Table, Index], partition: Item
) -> tuple[Reader, ...]:
    """The patterns that ask this index for keys like this one."""
    table, index = place
    readers = []
    for name, model in (
        design.patterns.__design__.patterns if design.patterns is not None else {}
    ).items():
        if model.table is not table or model.index.name != index.name:
            continue
        values = _parsed(model.partition, partition)
        if values is None:
            continue
        fields = {model.entities[0].names.get(p.name, p.name): p.name for p in model.parameters}
        arguments = {fields[f]: text for f, text in values.items() if f in fields}
        readers.append(Reader(name, arguments))
    return tuple(readers)


def _parsed(parts: tuple[KeyPart, ...], partition: Item) -> dict[str, str] | None:
    """The fields of a key as texts; None if it is no key of these templates."""
    fields: dict[str, str] = {}
    for part in parts:
        segments = segments_of(part, partition[part.attribute.name])
        written = template_parts(part)
        is_alike = [bool(s.field) for s in segments] == [bool(s.field) for s in written]
        if not is_alike or any(
            a.text != b.text for a, b in zip(segments, written, strict=True) if not a.field
        ):
            return None
        fields |= {segment.field: segment.text for segment in segments if segment.field}
    return fields


def _referrers(
    design: LoadedDesign, place: tuple[Table, Index], partition: Item
) -> tuple[EntityBadge, ...]:
    """The entities that have the fields of this key, and lie elsewhere."""
    table, index = place
    badges: dict[EntityBadge, None] = {}
    for entity in table.entities:
        face = entity.faces.get(index.name)
        if face is None or not _parsed(face.partition, partition):
            continue
        fields = [f for part in face.partition for f in part.template.fields]
        names = {entity.attributes[f].name for f in fields if f in entity.attributes}
        for other in design.entities.values():
            own = other.faces.get(index.name)
            is_here = own is not None and _parsed(own.partition, partition) is not None
            if names and not is_here and names <= {a.name for a in other.attributes.values()}:
                badges[design.chip(other.name)] = None
    return tuple(badges)


async def _several(
    design: LoadedDesign, store: LoggedStore, place: tuple[Table, Index], start: Item | None
) -> tuple[list[Collection], str]:
    """The next partitions, and where those after them begin."""
    table, index = place
    collections: list[Collection] = []
    while True:
        request: dict[str, Any] = {"TableName": table.name, "Limit": 1}
        if not index.is_table:
            request["IndexName"] = index.name
        if start is not None:
            request["ExclusiveStartKey"] = start
        reply = await store.call("Scan", request)
        if not reply["Items"]:
            return collections, ""
        if len(collections) == PARTITIONS_SHOWN:
            assert start is not None
            return collections, address_of(start)
        item = reply["Items"][0]
        partition = {part.name: item[part.name] for part in index.partition}
        collection, _ = await _collection(design, store, place, partition, None, ROWS_SHOWN)
        if collection.rows:
            collections.append(collection)
        start = behind(table, index, item)

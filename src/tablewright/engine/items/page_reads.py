"""Reading pages: Query and Scan of a table or an index.

A `Source` is the table or index, a `Span` the rows to read, a `Page` the result. Stored items are
copied into the reply; they are decoded only for a filter, a projection or an index that does not
project all attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units
from tablewright.engine.items.item_keys import MISMATCH
from tablewright.engine.sqlite.spans import Span
from tablewright.engine.tables.catalog import Index, Table, hash_bytes, key_part
from tablewright.engine.tables.table_schema import KeySchema
from tablewright.errors import ValidationError
from tablewright.expressions.conditions import Condition
from tablewright.expressions.projections import Projection
from tablewright.limits import PAGE_BYTES_MAX
from tablewright.values.attributes import Item

_INVALID = "One or more parameter values were invalid: "


class Source:
    """A table, or one of its indexes, to read from."""

    __slots__ = ("index", "key", "position_names", "table")

    def __init__(self, table: Table, index_name: str | None) -> None:
        self.table = table
        self.index: Index | None = None
        self.key: KeySchema = table.key
        self.position_names: tuple[str, ...] = table.key.names
        if index_name is not None:
            self.index = table.indexes_by_name.get(index_name)
            if self.index is None:
                raise ValidationError(f"The table does not have the specified index: {index_name}")
            self.key = self.index.key
            self.position_names = self.index.names

    def position(self, item: Item) -> Item:
        """The LastEvaluatedKey of an item: its key attributes in this source."""
        return {name: item[name] for name in self.position_names}

    def position_bytes(self, position: Item) -> tuple[bytes, ...] | None:
        """The bytes of a starting key, hash first, or None if it does not match the source."""
        if len(position) != len(self.position_names):
            return None
        table_hash = key_part(self.table.key.partition, position)
        table_range = key_part(self.table.key.sort, position) if self.table.sort else b""
        if not table_hash or table_range is None or (self.table.sort and not table_range):
            return None
        at = (hash_bytes(table_hash), table_range)
        if self.index is None:
            return at
        entry = self.index.entry(position)
        return None if entry is None else (*entry, *at)


@dataclass(frozen=True, slots=True)
class Window:
    """The limit, filter and projection of a read."""

    limit: int | None
    consistent: bool
    select: str | None
    condition: Condition | None
    projection: Projection | None
    is_forward: bool = True


@dataclass(slots=True)
class Page:
    """The result of a read."""

    items: list[Any] = field(default_factory=list)
    count: int = 0
    scanned: int = 0
    size: int = 0
    fetched_units: float = 0  # Table reads for attributes that a local index does not project.
    last: Item | None = None


def require_readable(source: Source, window: Window) -> None:
    """Raise ValidationError if the source does not support the read."""
    index = source.index
    if index is None:
        return
    if window.consistent and index.is_global:
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    if index.projected is None:
        return
    if index.is_global and window.select == "ALL_ATTRIBUTES":
        raise ValidationError(
            f"{_INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index "
            f"{index.name} because its projection type is not ALL"
        )
    if window.projection is not None:
        require_projected(index, sorted(window.projection.top_level_names))
    if window.condition is not None:
        require_filterable(index, window.condition.top_level_names)


def require_projected(index: Index, names: Iterable[str]) -> None:
    """Raise ValidationError for attributes that a global index does not project."""
    missing = index.unprojected(names) if index.is_global else []
    if missing:
        raise ValidationError(
            f"{_INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )


def require_filterable(index: Index, names: Iterable[str]) -> None:
    """Raise ValidationError for filter attributes that an index does not project."""
    missing = sorted(index.unprojected(names))
    if missing:
        raise ValidationError(
            f"{_INVALID}Secondary index {index.name} does not project one or more filter "
            f"attributes: [{', '.join(missing)}]"
        )


def read_page(tx: Tx, source: Source, span: Span, window: Window) -> Page:
    """Read rows until the limit, or 1 MB before any filter."""
    rows = tx.session.read(span)
    if window.condition is None and window.projection is None and not _is_partial(source):
        return _read_stored(source, rows, window, tx.emit)
    return _read_decoded(source, rows, window)


def _is_partial(source: Source) -> bool:
    """Whether the index projects only some attributes."""
    return source.index is not None and source.index.projected is not None


def _read_stored(
    source: Source,
    rows: Iterable[tuple[int, bytes]],
    window: Window,
    emit: Callable[[bytes], Any],
) -> Page:
    page = Page()
    limit, size, bodies = window.limit, 0, []
    for row_size, body in rows:
        bodies.append(body)
        size += row_size
        if size >= PAGE_BYTES_MAX:
            break
    page.scanned = page.count = len(bodies)
    page.size = size
    if bodies and (size >= PAGE_BYTES_MAX or len(bodies) == limit):
        page.last = source.position(orjson.loads(bodies[-1]))
    if window.select != "COUNT":
        page.items = [emit(body) for body in bodies]
    return page


def _read_decoded(source: Source, rows: Iterable[tuple[int, bytes]], window: Window) -> Page:
    page = Page()
    index, condition, projection = source.index, window.condition, window.projection
    fetches = _fetches_from_table(source, window)
    item: Item = {}
    for row_size, body in rows:
        item = orjson.loads(body)
        page.scanned += 1
        projected = item if index is None else index.project(item)
        page.size += row_size if index is None else index.projected_size(item, row_size)
        if fetches:
            # DynamoDB: fetches are charged before the filter, as all reads are.
            page.fetched_units += read_units(row_size, consistent=window.consistent)
        if condition is None or condition.matches(projected):
            page.count += 1
            if window.select != "COUNT":
                visible = item if fetches else projected
                page.items.append(visible if projection is None else projection.apply(visible))
        if page.size >= PAGE_BYTES_MAX:
            break
    if page.scanned and (page.size >= PAGE_BYTES_MAX or page.scanned == window.limit):
        page.last = source.position(item)
    return page


def _fetches_from_table(source: Source, window: Window) -> bool:
    """DynamoDB: a local index fetches attributes it does not project from its table, for units."""
    index = source.index
    if index is None or index.is_global or index.projected is None:
        return False
    if window.projection is not None:
        return not window.projection.top_level_names <= index.projected
    return window.select == "ALL_ATTRIBUTES"


def describe_page(
    source: Source, window: Window, page: Page, capacity: str | None
) -> dict[str, Any]:
    """The reply of Query and Scan."""
    response: dict[str, Any] = {}
    if window.select != "COUNT":
        response["Items"] = page.items
    response["Count"] = page.count
    response["ScannedCount"] = page.scanned
    if page.last is not None:
        response["LastEvaluatedKey"] = page.last
    if capacity is not None:
        units = read_units(page.size, consistent=window.consistent)
        consumption = Consumption(source.table.name, units)
        if source.index is not None:
            consumption.table_units = page.fetched_units
            consumption.add_index(source.index, units)
        response["ConsumedCapacity"] = consumption.describe(capacity)
    return response


def starting_position(source: Source, start: Item, *, of_scan: bool) -> tuple[bytes, ...]:
    """The bytes of an ExclusiveStartKey; raises ValidationError if it does not match the source."""
    at = source.position_bytes(start)
    if at is None:
        raise ValidationError(
            "The provided starting key is invalid" + (f": {MISMATCH}" if of_scan else "")
        )
    return at

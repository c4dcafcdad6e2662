"""SELECT statements: which rows they read, and the pages that they are read in.

A condition that names a whole partition reads that partition; any other reads the table. What a
WHERE says is checked on every row that is read, so choosing rows can never change an answer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from tablewright.engine.capacity import Consumption, read_units
from tablewright.engine.catalog import Table
from tablewright.engine.keyspans import query_span
from tablewright.engine.reading import (
    Source,
    Window,
    read_page,
    require_filterable,
    require_projected,
    starting_position,
)
from tablewright.engine.rows import Span
from tablewright.engine.schema import KeyAttribute
from tablewright.engine.statements import (
    SCOPE,
    Unfit,
    bound,
    equality,
    require_key_type,
    resolved,
    table_of,
    terms_of,
)
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError
from tablewright.expressions import nodes, statements
from tablewright.expressions.conditions import ConditionProgram
from tablewright.expressions.keyranges import KeyCondition, RangeTerm, key_condition
from tablewright.expressions.projections import Projection
from tablewright.expressions.resolution import path_of
from tablewright.values import paths
from tablewright.values.attributes import Item, Value

__all__ = [
    "ItemRead",
    "Read",
    "Reading",
    "next_token",
    "read_item",
    "read_statement",
    "read_token",
    "reading",
]


class _Paths(Projection):
    """What a SELECT shows of an item: each path under the name of its last step."""

    __slots__ = ()

    def apply(self, item: Item) -> Item:
        found: Item = {}
        for path in self.paths:
            value = paths.get(item, path)
            if value is not None:
                found[_shown_name(path)] = value
        return found


def _shown_name(path: paths.Path) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{_shown_name(path[:-1])}[{last}]"


class Reading(NamedTuple):
    """A SELECT, ready to read."""

    source: Source
    window: Window
    parts: list[KeyCondition | None]  # One partition each, or None for all there is.


def reading(
    tx: Tx, select: statements.Select, *, limit: int | None = None, consistent: bool = False
) -> Reading:
    """How a SELECT reads; raises ValidationError for what it cannot."""
    condition = bound(select.where)
    source = _source(table_of(tx, select.table), select.index)
    if select.refusal is not None:
        raise select.refusal
    projected = _projection(select)
    parts = _partitions(source, select.where)
    index = source.index
    if index is not None:
        if consistent and index.is_global:
            raise ValidationError(
                "Strongly consistent read is not supported on Global Secondary Indexes"
            )
        if projected is not None:
            require_projected(index, [str(path[0]) for path in projected.paths])
        # DynamoDB: a scan takes what the index does not hold for missing.
        if condition is not None and parts[0] is not None:
            require_filterable(index, condition)
    window = Window(
        limit=limit,
        consistent=consistent,
        select=None,
        condition=condition,
        projection=projected,
        is_forward=_is_forward(source, select, parts),
    )
    return Reading(source, window, parts)


def _source(table: Table, index_name: str | None) -> Source:
    # DynamoDB: unlike that of Query, the sentence does not name the index.
    if index_name is not None and index_name not in table.indexes_by_name:
        raise ValidationError("The table does not have the specified index")
    source = Source(table, index_name)
    if source.key.is_multiple:
        # DynamoDB: what it says of tables is meant of the index.
        raise ValidationError(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
            "multi-attribute RANGE keys."
        )
    return source


def _projection(select: statements.Select) -> Projection | None:
    if not select.paths:
        return None
    names = [_shown_name(path_of(path)) for path in select.paths]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise ValidationError(f"Duplicate identifiers in select clause: {name}")
    return _Paths(SCOPE.projection(nodes.ProjectionNode(select.paths)))


class ItemRead(NamedTuple):
    """What a SELECT of one item came to."""

    table: Table
    size: int
    item: Item | None


def read_item(tx: Tx, select: statements.Select, api: str, *, consistent: bool) -> ItemRead:
    """Read the item that a SELECT names by its key and by nothing else."""
    found = reading(tx, select, consistent=consistent)
    table = found.source.table
    key = None if found.source.index is not None else _only_key(table, select.where)
    if key is None:
        raise Unfit(
            f"Select statements within {api} must specify the primary key in the where clause."
        )
    row = tx.row(table, table.key_of(key))
    if row is None:
        return ItemRead(table, 0, None)
    item: Item = orjson.loads(row.body)
    condition, projected = found.window.condition, found.window.projection
    if condition is not None and not condition.matches(item):
        return ItemRead(table, row.size, None)
    return ItemRead(table, row.size, item if projected is None else projected.apply(item))


def _only_key(table: Table, where: nodes.ConditionNode | None) -> Item | None:
    """The key that a condition names, if it says nothing else."""
    key: Item = {}
    for term in terms_of(where):
        found = equality(term)
        if found is None or found[0] not in table.key_names:
            return None
        key.setdefault(*found)
    return key if key.keys() == table.key_names else None


def _is_forward(
    source: Source, select: statements.Select, parts: list[KeyCondition | None]
) -> bool:
    names = [attribute.name for attribute in source.key.sort]
    for name, _ in select.order:
        if name not in source.key.names:
            raise ValidationError(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )
    if select.order and parts[0] is None:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    return not any(goes_down for name, goes_down in select.order if name in names)


def _partitions(source: Source, where: nodes.ConditionNode | None) -> list[KeyCondition | None]:
    """The partitions that a condition names, each with what it says of the sort key."""
    terms = terms_of(where)
    equals: dict[str, Value] = {}
    for term in terms:
        found = equality(term)
        if found is not None:
            equals.setdefault(*found)
    [partition] = source.key.partition
    options = (
        [equals[partition.name]] if partition.name in equals else _listed(terms, partition.name)
    )
    if options is None:
        return [None]
    found_parts: list[KeyCondition | None] = []
    for value in options:
        require_key_type(partition, value)
        found_parts.append(_with_sort(source, {partition.name: value}, equals, terms))
    return found_parts


def _listed(terms: Sequence[nodes.ConditionNode], name: str) -> list[Value] | None:
    """The distinct values of ``name IN […]``."""
    for term in terms:
        if not isinstance(term, nodes.In) or not isinstance(term.operand, nodes.Attribute):
            continue
        values = [option.value for option in term.options if isinstance(option, nodes.Literal)]
        if path_of(term.operand) == (name,) and len(values) == len(term.options):
            return [value for at, value in enumerate(values) if value not in values[:at]]
    return None


def _with_sort(
    source: Source,
    key: dict[str, Value],
    equals: dict[str, Value],
    terms: Sequence[nodes.ConditionNode],
) -> KeyCondition:
    """A partition, narrowed by what is said of its sort attribute."""
    ranges: list[RangeTerm] = []
    for attribute in source.key.sort:
        value = equals.get(attribute.name)
        if value is not None:
            require_key_type(attribute, value)
            key[attribute.name] = value
        else:
            ranges += list(_ranges(terms, attribute))[:1]
    return KeyCondition(key, ranges)


def _ranges(terms: Sequence[nodes.ConditionNode], attribute: KeyAttribute) -> Iterator[RangeTerm]:
    """The terms that are a range of one attribute."""
    for term in terms:
        try:
            found = key_condition(ConditionProgram(resolved(term)), {})
        except ValidationError:
            continue  # It is no condition on a key: it is checked on every row.
        for one in found.ranges:
            if one.name == attribute.name:
                for value in one.values:
                    require_key_type(attribute, value)
                if all(value[attribute.type] for value in one.values):
                    yield one


class Read(NamedTuple):
    """What a page of a SELECT comes to."""

    items: list[Any]
    last: Item | None
    part: int
    consumed: Consumption


def read_statement(tx: Tx, select: Reading, at: tuple[int, Item | None]) -> Read:
    """Read until the limit or a megabyte, from a partition and a place in it on."""
    source, window = select.source, select.window
    consumed = Consumption(source.table.name)
    items: list[Any] = []
    part, start = at
    left = window.limit
    while part < len(select.parts):
        page_window = (
            window
            if left is None
            else Window(
                left,
                window.consistent,
                window.select,
                window.condition,
                window.projection,
                window.is_forward,
            )
        )
        page = read_page(tx, source, _span(select, part, start, left), page_window)
        items += page.items
        units = read_units(page.size, consistent=window.consistent)
        if source.index is not None:
            consumed.table_units += page.fetched_units
            consumed.add_index(source.index, units)
        else:
            consumed.table_units += units
        if page.last is not None:
            return Read(items, page.last, part, consumed)
        if left is not None:
            left -= page.scanned
        part, start = part + 1, None
        if left == 0:
            break
    return Read(items, None, part, consumed)


def _span(select: Reading, part: int, start: Item | None, limit: int | None) -> Span:
    condition = select.parts[part]
    source = select.source
    if condition is not None:
        return query_span(
            source, condition, start, is_forward=select.window.is_forward, limit=limit
        )
    after = None if start is None else starting_position(source, start, of_scan=True)
    return Span(
        table=source.table.number,
        index=None if source.index is None else source.index.number,
        after=after,
        limit=-1 if limit is None else limit,
    )


# Tokens.


def next_token(text: str, parameters: Any, read: Read) -> str:
    """Where a statement goes on, good for that statement alone."""
    told = {"for": _digest(text, parameters), "part": read.part, "last": read.last}
    return base64.b64encode(orjson.dumps(told)).decode()


def read_token(token: str | None, text: str, parameters: Any) -> tuple[int, Item | None]:
    """The partition and place of a token; raises ValidationError if it is another statement's."""
    if token is None:
        return 0, None
    try:
        told = orjson.loads(base64.b64decode(token, validate=True))
        is_same = told["for"] == _digest(text, parameters)
        part, last = told["part"], told["last"]
    except (binascii.Error, ValueError, TypeError, KeyError):
        is_same, part, last = False, 0, None
    if not is_same or not isinstance(part, int) or not isinstance(last, dict | None):
        raise ValidationError("Given NextToken is not valid")
    return part, last


def _digest(text: str, parameters: Any) -> str:
    told = orjson.dumps([text, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(told).hexdigest()[:32]

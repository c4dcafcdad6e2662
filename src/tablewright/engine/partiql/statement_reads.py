"""SELECT statements: what they show, and the pages that they are read in.

Which rows are read is for `statement_branches`; what a WHERE says is checked on every one of them,
so choosing rows can never change an answer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units
from tablewright.engine.items.key_ranges import query_span
from tablewright.engine.items.page_reads import (
    Source,
    Window,
    read_page,
    require_projected,
    starting_position,
)
from tablewright.engine.partiql.statement_actions import SCOPE, Unfit, bound, equality, table_of
from tablewright.engine.partiql.statement_branches import (
    branches_of,
    require_held,
    terms_of_branches,
)
from tablewright.engine.sqlite.spans import Span
from tablewright.engine.tables.catalog import Table
from tablewright.errors import ValidationError
from tablewright.expressions import nodes
from tablewright.expressions.conditions import Condition
from tablewright.expressions.key_conditions import KeyCondition
from tablewright.expressions.projections import Projection
from tablewright.expressions.resolution import path_of
from tablewright.partiql import statements
from tablewright.values import paths
from tablewright.values.attributes import Item

__all__ = [
    "ItemRead",
    "Part",
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


class Part(NamedTuple):
    """Some of a partition, or all there is, and what is asked of its items."""

    key: KeyCondition | None
    condition: Condition | None


class Reading(NamedTuple):
    """A SELECT, ready to read."""

    source: Source
    window: Window
    parts: list[Part]


def reading(
    tx: Tx, select: statements.Select, *, limit: int | None = None, consistent: bool = False
) -> Reading:
    """How a SELECT reads; raises ValidationError for what it cannot."""
    condition = bound(select.where)
    source = _source(table_of(tx, select.table), select.index)
    if select.refusal is not None:
        raise select.refusal
    projected = _projection(select)
    branches = branches_of(source, select.where)
    index = source.index
    if index is not None:
        if consistent and index.is_global:
            raise ValidationError(
                "Strongly consistent read is not supported on Global Secondary Indexes"
            )
        if projected is not None:
            require_projected(index, [str(path[0]) for path in projected.paths])
        # DynamoDB: a scan takes what the index does not hold for missing.
        if branches is not None:
            require_held(index, branches)
    window = Window(
        limit=limit,
        consistent=consistent,
        select=None,
        condition=condition,
        projection=projected,
        is_forward=_is_forward(source, select, is_keyed=branches is not None),
    )
    if branches is None:
        return Reading(source, window, [Part(None, condition)])
    return Reading(source, window, [Part(one.key(), one.condition()) for one in branches])


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
    branches = () if where is None else tuple(terms_of_branches(where, table.key_names))
    if len(branches) != 1:
        return None
    key: Item = {}
    for term in branches[0]:
        found = equality(term)
        if found is None or found[0] not in table.key_names or key.setdefault(*found) != found[1]:
            return None
    return key if key.keys() == table.key_names else None


def _is_forward(source: Source, select: statements.Select, *, is_keyed: bool) -> bool:
    names = [attribute.name for attribute in source.key.sort]
    for name, _ in select.order:
        if name not in source.key.names:
            raise ValidationError(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )
    if select.order and not is_keyed:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    return not any(goes_down for name, goes_down in select.order if name in names)


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
        asked = replace(window, limit=left, condition=select.parts[part].condition)
        page = read_page(tx, source, _span(select, part, start, left), asked)
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
    condition = select.parts[part].key
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
        digest, part, last = told["for"], told["part"], told["last"]
    except (binascii.Error, ValueError, TypeError, KeyError):
        raise ValidationError("Invalid NextToken") from None
    if digest != _digest(text, parameters):
        raise ValidationError("NextToken does not match request")
    if not isinstance(part, int) or not isinstance(last, dict | None):
        raise ValidationError("Invalid NextToken")
    return part, last


def _digest(text: str, parameters: Any) -> str:
    told = orjson.dumps([text, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(told).hexdigest()[:32]

"""SELECT statements: projections, and reading in pages.

`statement_branches` chooses the rows to read; the WHERE clause is evaluated on each of them, so
the choice never changes the result.
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
from tablewright.engine.partiql.statement_actions import (
    SCOPE,
    UnsupportedStatement,
    bind_condition,
    equality,
    table_of,
)
from tablewright.engine.partiql.statement_branches import (
    branches_of,
    require_filterable_branches,
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
    "SelectPage",
    "SelectPart",
    "SelectPlan",
    "next_token",
    "plan_select",
    "read_item",
    "read_statement",
    "read_token",
]


class _Paths(Projection):
    """The projection of a SELECT: each path under the name of its last step."""

    __slots__ = ()

    def apply(self, item: Item) -> Item:
        selected: Item = {}
        for path in self.paths:
            value = paths.get(item, path)
            if value is not None:
                selected[_result_name(path)] = value
        return selected


def _result_name(path: paths.Path) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{_result_name(path[:-1])}[{last}]"


class SelectPart(NamedTuple):
    """A range of a partition, or the whole source, and the condition on its items."""

    key: KeyCondition | None
    condition: Condition | None


class SelectPlan(NamedTuple):
    """A validated SELECT: what to read, and how."""

    source: Source
    window: Window
    parts: list[SelectPart]


def plan_select(
    tx: Tx, select: statements.Select, *, limit: int | None = None, consistent: bool = False
) -> SelectPlan:
    """Plan a SELECT; raises ValidationError if it is not supported."""
    condition = bind_condition(select.where)
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
        # DynamoDB: in a scan, attributes that the index does not project count as missing.
        if branches is not None:
            require_filterable_branches(index, branches)
    window = Window(
        limit=limit,
        consistent=consistent,
        select=None,
        condition=condition,
        projection=projected,
        is_forward=_is_forward(source, select, is_keyed=branches is not None),
    )
    if branches is None:
        return SelectPlan(source, window, [SelectPart(None, condition)])
    return SelectPlan(
        source, window, [SelectPart(branch.key(), branch.condition()) for branch in branches]
    )


def _source(table: Table, index_name: str | None) -> Source:
    # DynamoDB: unlike Query's message, this one does not name the index.
    if index_name is not None and index_name not in table.indexes_by_name:
        raise ValidationError("The table does not have the specified index")
    source = Source(table, index_name)
    if source.key.is_multiple:
        # DynamoDB: the message says "tables", but means the index.
        raise ValidationError(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
            "multi-attribute RANGE keys."
        )
    return source


def _projection(select: statements.Select) -> Projection | None:
    if not select.paths:
        return None
    names = [_result_name(path_of(path)) for path in select.paths]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise ValidationError(f"Duplicate identifiers in select clause: {name}")
    return _Paths(SCOPE.projection(nodes.ProjectionNode(select.paths)))


class ItemRead(NamedTuple):
    """The result of a SELECT of one item."""

    table: Table
    size: int
    item: Item | None


def read_item(tx: Tx, select: statements.Select, api: str, *, consistent: bool) -> ItemRead:
    """Read the item of a SELECT by primary key."""
    plan = plan_select(tx, select, consistent=consistent)
    table = plan.source.table
    key = None if plan.source.index is not None else _only_key(table, select.where)
    if key is None:
        raise UnsupportedStatement(
            f"Select statements within {api} must specify the primary key in the where clause."
        )
    row = tx.row(table, table.key_of(key))
    if row is None:
        return ItemRead(table, 0, None)
    item: Item = orjson.loads(row.body)
    condition, projected = plan.window.condition, plan.window.projection
    if condition is not None and not condition.matches(item):
        return ItemRead(table, row.size, None)
    return ItemRead(table, row.size, item if projected is None else projected.apply(item))


def _only_key(table: Table, where: nodes.ConditionNode | None) -> Item | None:
    """The key in a condition, if the condition has no other terms."""
    branches = () if where is None else tuple(terms_of_branches(where, table.key_names))
    if len(branches) != 1:
        return None
    key: Item = {}
    for term in branches[0]:
        equal = equality(term)
        if equal is None or equal[0] not in table.key_names or key.setdefault(*equal) != equal[1]:
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
    return not any(descending for name, descending in select.order if name in names)


class SelectPage(NamedTuple):
    """A page of a SELECT."""

    items: list[Any]
    last: Item | None
    part: int
    consumed: Consumption


def read_statement(tx: Tx, plan: SelectPlan, at: tuple[int, Item | None]) -> SelectPage:
    """Read up to the limit or 1 MB, starting at a part and a position in it."""
    source, window = plan.source, plan.window
    consumed = Consumption(source.table.name)
    items: list[Any] = []
    part, start = at
    remaining = window.limit
    while part < len(plan.parts):
        part_window = replace(window, limit=remaining, condition=plan.parts[part].condition)
        page = read_page(tx, source, _span(plan, part, start, remaining), part_window)
        items += page.items
        units = read_units(page.size, consistent=window.consistent)
        if source.index is not None:
            consumed.table_units += page.fetched_units
            consumed.add_index(source.index, units)
        else:
            consumed.table_units += units
        if page.last is not None:
            return SelectPage(items, page.last, part, consumed)
        if remaining is not None:
            remaining -= page.scanned
        part, start = part + 1, None
        if remaining == 0:
            break
    return SelectPage(items, None, part, consumed)


def _span(plan: SelectPlan, part: int, start: Item | None, limit: int | None) -> Span:
    condition = plan.parts[part].key
    source = plan.source
    if condition is not None:
        return query_span(source, condition, start, is_forward=plan.window.is_forward, limit=limit)
    after = None if start is None else starting_position(source, start, of_scan=True)
    return Span(
        table=source.table.number,
        index=None if source.index is None else source.index.number,
        after=after,
        limit=-1 if limit is None else limit,
    )


# Tokens.


def next_token(text: str, parameters: Any, page: SelectPage) -> str:
    """A token for the next page, valid only for the same statement."""
    position = {"for": _digest(text, parameters), "part": page.part, "last": page.last}
    return base64.b64encode(orjson.dumps(position)).decode()


def read_token(token: str | None, text: str, parameters: Any) -> tuple[int, Item | None]:
    """The part and position of a token; raises ValidationError if it is invalid."""
    if token is None:
        return 0, None
    try:
        position = orjson.loads(base64.b64decode(token, validate=True))
        digest, part, last = position["for"], position["part"], position["last"]
    except (binascii.Error, ValueError, TypeError, KeyError):
        raise ValidationError("Invalid NextToken") from None
    if digest != _digest(text, parameters):
        raise ValidationError("NextToken does not match request")
    if not isinstance(part, int) or not isinstance(last, dict | None):
        raise ValidationError("Invalid NextToken")
    return part, last


def _digest(text: str, parameters: Any) -> str:
    payload = orjson.dumps([text, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(payload).hexdigest()[:32]

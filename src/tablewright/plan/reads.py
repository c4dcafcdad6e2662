"""The operations that read: Get, BatchGet, Query, Count and FanOut.

A page with a limit is full unless it is the last: if rows are filtered out, more are read until it
is full. Its ``last_key`` is the key of the last returned row, and the next page starts after it.
Operations are immutable; each method returns a changed copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import entity_of_model
from tablewright.errors import ItemNotFound, PlanError
from tablewright.plan.batches import batch_get, identity
from tablewright.plan.bound_pattern import (
    ABSENT,
    BoundPattern,
    Values,
    binder,
    each_binder,
    joined,
)
from tablewright.plan.condition_trees import Names
from tablewright.plan.operation import Call, Context, Op, Steps, constant
from tablewright.plan.selections import Selection

if TYPE_CHECKING:
    from tablewright.design.patterns.pattern_model import Kind, PatternModel
    from tablewright.values.attributes import Item

__all__ = ["BatchGet", "BoundPattern", "Count", "FanOut", "Get", "Page", "Query"]

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
R = TypeVar("R")

_LIMIT_MAX = 1000  # If a filter drops many rows, request sizes grow up to this.


@dataclass(frozen=True, slots=True)
class Page(Generic[M_co]):
    """A page of rows; ``last_key`` is the start of the next page, None on the last."""

    items: tuple[M_co, ...]
    last_key: Item | None


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of a read."""

    limit: int | None = None
    after: Item | None = None
    is_descending: bool = False
    is_consistent: bool = True
    with_marked: bool = False
    wheres: tuple[Callable[[Any], Any], ...] = ()
    selection: Selection | None = None


def _usual(bound_pattern: BoundPattern) -> _Options:
    return _options(bound_pattern.is_descending, bound_pattern.reads_consistently())


@cache
def _options(is_descending: bool, is_consistent: bool) -> _Options:
    return _Options(is_descending=is_descending, is_consistent=is_consistent)


def _row_value(bound_pattern: BoundPattern, options: _Options, item: Item, now: float) -> Any:
    """The result for a row: an instance, the selected parts, or ABSENT."""
    entity = bound_pattern.answer(item, now, with_marked=options.with_marked)
    if entity is None:
        return ABSENT
    if options.selection is not None:
        return options.selection.of(entity, item)
    return entity.instance(item)


def _needed(bound_pattern: BoundPattern) -> list[str]:
    """The attributes that decide whether a row is a result, and its position."""
    table = bound_pattern.table
    names = [*bound_pattern.key_names, "_staged"]
    names += [name for name in (table.type_attribute, table.ttl) if name is not None]
    names += [e.attributes[e.mark].name for e in bound_pattern.entities if e.mark is not None]
    return names


class Query(Op[Page[M_co]]):
    """The rows of a query, in sort key order."""

    __slots__ = ("_options", "bound_pattern")
    pattern_kind: ClassVar[Kind] = "query"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Query[Any]]:
        """The function that builds the operation from a pattern's arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, bound_pattern: BoundPattern, options: _Options | None = None) -> None:
        self.bound_pattern = bound_pattern
        self._options = options or _usual(bound_pattern)

    def _with(self, **changes: Any) -> Query[M_co]:
        return Query(self.bound_pattern, replace(self._options, **changes))

    def limit(self, count: int) -> Query[M_co]:
        """Set the number of rows in a page."""
        if count < 1:
            raise PlanError("limit() must be at least 1")
        return self._with(limit=count)

    def after(self, key: Item | None) -> Query[M_co]:
        """Start after this key, the ``last_key`` of a page."""
        return self._with(after=key)

    def newest_first(self) -> Query[M_co]:
        """In descending order of the sort key."""
        return self._with(is_descending=True)

    def oldest_first(self) -> Query[M_co]:
        """In ascending order of the sort key."""
        return self._with(is_descending=False)

    def consistent(self, is_consistent: bool = True) -> Query[M_co]:
        """Read strongly or eventually consistent; raises PlanError for a global index."""
        if is_consistent and not self.bound_pattern.can_be_consistent:
            raise PlanError(
                f"the global index {self.bound_pattern.index_name} cannot be read consistently"
            )
        return self._with(is_consistent=is_consistent)

    def where(self, fn: Callable[[M_co], bool]) -> Query[M_co]:
        """Return only rows that match. All rows are still read and paid for."""
        return self._with(wheres=(*self._options.wheres, fn))

    def select(self, fn: Callable[[M_co], R]) -> Query[R]:
        """Return parts of each row."""
        selection = Selection(self.bound_pattern.entities, fn)
        return Query(self.bound_pattern, replace(self._options, selection=selection))

    def with_marked(self) -> Query[M_co]:
        """Include rows that are marked as deleted."""
        return self._with(with_marked=True)

    @property
    def is_descending(self) -> bool:
        """Whether the order is descending."""
        return self._options.is_descending

    def position(self, row: BaseModel) -> Item:
        """The position of a row, for ``after``."""
        item = entity_of_model(type(row)).item(row)
        return {name: item[name] for name in self.bound_pattern.key_names}

    def all(self) -> Op[list[M_co]]:
        """All rows, over all pages; with a limit, at most that many."""
        return _All(self)

    def first(self) -> Op[M_co | None]:
        """The first row, or None."""
        return _First(self.limit(1))

    def base_request(self) -> dict[str, Any]:
        """The request without page-specific parameters."""
        bound_pattern, options, names = self.bound_pattern, self._options, Names()
        request: dict[str, Any] = {"TableName": bound_pattern.table.name}
        if bound_pattern.index_name is not None:
            request["IndexName"] = bound_pattern.index_name
        request["KeyConditionExpression"] = bound_pattern.key_condition(names)
        condition = bound_pattern.filter(options.wheres)
        if condition is not None:
            request["FilterExpression"] = condition.render(names)
        if options.selection is not None:
            projection = options.selection.projection(names, _needed(bound_pattern))
            if projection is not None:
                request["ProjectionExpression"] = projection
        if options.is_descending:
            request["ScanIndexForward"] = False
        if options.is_consistent:
            request["ConsistentRead"] = True
        names.fill(request)
        return request

    def steps(self, context: Context) -> Steps[Page[M_co]]:
        bound_pattern, options = self.bound_pattern, self._options
        base, start, limit = self.base_request(), options.after, options.limit
        rows: list[M_co] = []
        last: Item = {}
        page_size = 0
        while True:
            request = base if start is None else {**base, "ExclusiveStartKey": start}
            if limit is not None:
                page_size = max(limit - len(rows), min(2 * page_size, _LIMIT_MAX))
                request = {**request, "Limit": page_size}
            reply = yield Call("Query", request)
            now = context.now()
            start = reply.get("LastEvaluatedKey")
            for item in reply["Items"]:
                value = _row_value(bound_pattern, options, item, now)
                if value is ABSENT:
                    continue
                if len(rows) == limit:
                    return Page(tuple(rows), self._key(last))
                rows.append(value)
                last = item
            if start is None:
                return Page(tuple(rows), None)
            if len(rows) == limit:
                return Page(tuple(rows), self._key(last))
            if limit is None and rows:
                return Page(tuple(rows), start)

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self.bound_pattern.key_names}


class _All(Op[list[M]]):
    """All pages of a query."""

    __slots__ = ("_query",)

    def __init__(self, query: Query[M]) -> None:
        self._query = query

    def steps(self, context: Context) -> Steps[list[M]]:
        query, rows = self._query, list[M]()
        while True:
            page = yield from query.steps(context)
            rows += page.items
            if page.last_key is None or query._options.limit is not None:  # noqa: SLF001 (one idea)
                return rows
            query = query.after(page.last_key)


class _First(Op["M_co | None"], Generic[M_co]):
    """The first row of a query."""

    __slots__ = ("_query",)

    def __init__(self, query: Query[M_co]) -> None:
        self._query = query

    def steps(self, context: Context) -> Steps[M_co | None]:
        page = yield from self._query.steps(context)
        return page.items[0] if page.items else None


class Get(Op["M_co | None"], Generic[M_co]):
    """One row by key, or None. An index key is read with a query."""

    __slots__ = ("_options", "bound_pattern")
    pattern_kind: ClassVar[Kind] = "get"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Get[Any]]:
        """The function that builds the operation from a pattern's arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, bound_pattern: BoundPattern, options: _Options | None = None) -> None:
        self.bound_pattern = bound_pattern
        self._options = options or _usual(bound_pattern)

    def consistent(self, is_consistent: bool = True) -> Get[M_co]:
        """Read strongly or eventually consistent; raises PlanError for a global index."""
        if is_consistent and not self.bound_pattern.can_be_consistent:
            raise PlanError(
                f"the global index {self.bound_pattern.index_name} cannot be read consistently"
            )
        return Get(self.bound_pattern, replace(self._options, is_consistent=is_consistent))

    def with_marked(self) -> Get[M_co]:
        """Return the row even if it is marked as deleted."""
        return Get(self.bound_pattern, replace(self._options, with_marked=True))

    def select(self, fn: Callable[[M_co], R]) -> Get[R]:
        """Return parts of the row."""
        selection = Selection(self.bound_pattern.entities, fn)
        return Get(self.bound_pattern, replace(self._options, selection=selection))

    def required(self) -> Op[M_co]:
        """Return the row, or raise ItemNotFound."""
        return _Required(self)

    def follow(self, fn: Callable[[M_co], Op[R] | None]) -> Op[R | None]:
        """If the row exists, run the operation that ``fn`` returns for it; else None."""

        def next_of(row: M_co | None) -> Op[R | None]:
            value = None if row is None else fn(row)
            return constant(None) if value is None else value

        return self.then(next_of)

    def steps(self, context: Context) -> Steps[M_co | None]:
        bound_pattern, options = self.bound_pattern, self._options
        if bound_pattern.index_name is not None:
            query: Query[M_co] = Query(bound_pattern, options)
            return (yield from query.first().steps(context))
        request: dict[str, Any] = {"TableName": bound_pattern.table.name, "Key": bound_pattern.key}
        if options.is_consistent:
            request["ConsistentRead"] = True
        if options.selection is not None:
            names = Names()
            projection = options.selection.projection(names, _needed(bound_pattern))
            if projection is not None:
                request["ProjectionExpression"] = projection
                names.fill(request)
        reply = yield Call("GetItem", request)
        item = reply.get("Item")
        if item is None:
            return None
        value = _row_value(bound_pattern, options, item, context.now())
        return None if value is ABSENT else value


class _Required(Op[M_co]):
    """A row that must exist."""

    __slots__ = ("_get",)

    def __init__(self, get: Get[M_co]) -> None:
        self._get = get

    def steps(self, context: Context) -> Steps[M_co]:
        row = yield from self._get.steps(context)
        if row is None:
            bound_pattern = self._get.bound_pattern
            raise ItemNotFound(
                " or ".join(e.name for e in bound_pattern.entities), bound_pattern.key
            )
        return row


class BatchGet(Op[list[M]]):
    """The existing rows of many keys, in the order of the keys."""

    __slots__ = ("_with_marked", "bound_patterns")
    pattern_kind: ClassVar[Kind] = "batch_get"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], BatchGet[Any]]:
        """The function that builds the operation from a pattern's arguments."""
        bind = each_binder(model)
        return lambda values: cls(bind(values))

    def __init__(
        self, bound_patterns: Sequence[BoundPattern], *, with_marked: bool = False
    ) -> None:
        self.bound_patterns = tuple(bound_patterns)
        self._with_marked = with_marked

    def with_marked(self) -> BatchGet[M]:
        """Include rows that are marked as deleted."""
        return BatchGet(self.bound_patterns, with_marked=True)

    def aligned(self) -> Op[list[M | None]]:
        """One entry for each key, None for a missing row."""
        return _Aligned(self)

    def steps(self, context: Context) -> Steps[list[M]]:
        rows = yield from self.rows(context)
        return [row for row in rows if row is not None]

    def rows(self, context: Context) -> Steps[list[Any]]:
        """One entry for each key, None for a missing row."""
        keys: dict[Any, list[Item]] = {}
        for bound_pattern in self.bound_patterns:
            keys.setdefault(bound_pattern.table, []).append(bound_pattern.key)
        consistent = all(
            bound_pattern.reads_consistently() for bound_pattern in self.bound_patterns
        )
        items = yield from batch_get(keys, context, consistent=consistent)
        now, options = context.now(), _Options(with_marked=self._with_marked)
        rows = []
        for bound_pattern in self.bound_patterns:
            item = items.get(identity(bound_pattern.table.name, bound_pattern.key))
            value = ABSENT if item is None else _row_value(bound_pattern, options, item, now)
            rows.append(None if value is ABSENT else value)
        return rows


class _Aligned(Op[list["M | None"]], Generic[M]):
    __slots__ = ("_batch",)

    def __init__(self, batch: BatchGet[M]) -> None:
        self._batch = batch

    def steps(self, context: Context) -> Steps[list[M | None]]:
        return (yield from self._batch.rows(context))


class FanOut(Op[list[M]]):
    """The rows of several queries, run in sequence, each in its own order."""

    __slots__ = ("queries",)
    pattern_kind: ClassVar[Kind] = "fan_out"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], FanOut[Any]]:
        """The function that builds the operation from a pattern's arguments."""
        bind = each_binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, bound_patterns: Sequence[BoundPattern | Query[M]]) -> None:
        queries = [q if isinstance(q, Query) else Query[M](q) for q in bound_patterns]
        # Duplicate values are queried once.
        self.queries = tuple({repr(q.base_request()): q for q in queries}.values())

    def limit(self, count: int) -> FanOut[M]:
        """At most this many rows of each query."""
        return FanOut([query.limit(count) for query in self.queries])

    def where(self, fn: Callable[[M], bool]) -> FanOut[M]:
        """Return only rows that match."""
        return FanOut([query.where(fn) for query in self.queries])

    def select(self, fn: Callable[[M], R]) -> FanOut[R]:
        """Return parts of each row."""
        return FanOut([query.select(fn) for query in self.queries])

    def newest_first(self) -> FanOut[M]:
        """Each query in descending order of the sort key."""
        return FanOut([query.newest_first() for query in self.queries])

    def steps(self, context: Context) -> Steps[list[M]]:
        rows: list[M] = []
        for query in self.queries:
            rows += yield from query.all().steps(context)
        return rows


class Count(Op[int], Generic[M_co]):
    """The number of rows of a query. They are read and paid for, but not sent."""

    __slots__ = ("_options", "bound_pattern")
    pattern_kind: ClassVar[Kind] = "count"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Count[Any]]:
        """The function that builds the operation from a pattern's arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, bound_pattern: BoundPattern, options: _Options | None = None) -> None:
        self.bound_pattern = bound_pattern
        self._options = options or _usual(bound_pattern)

    def where(self, fn: Callable[[M_co], bool]) -> Count[M_co]:
        """Return only rows that match."""
        return Count(self.bound_pattern, replace(self._options, wheres=(*self._options.wheres, fn)))

    def steps(self, context: Context) -> Steps[int]:
        bound_pattern, options, names = self.bound_pattern, self._options, Names()
        request: dict[str, Any] = {"TableName": bound_pattern.table.name, "Select": "COUNT"}
        if bound_pattern.index_name is not None:
            request["IndexName"] = bound_pattern.index_name
        request["KeyConditionExpression"] = bound_pattern.key_condition(names)
        live = bound_pattern.live(context.now(), with_marked=options.with_marked)
        condition = joined(live, bound_pattern.filter(options.wheres))
        if condition is not None:
            request["FilterExpression"] = condition.render(names)
        if options.is_consistent:
            request["ConsistentRead"] = True
        names.fill(request)
        total: int = 0
        while True:
            reply = yield Call("Query", request)
            total += reply["Count"]
            start = reply.get("LastEvaluatedKey")
            if start is None:
                return total
            request = {**request, "ExclusiveStartKey": start}

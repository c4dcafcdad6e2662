"""The operations that read: Get, BatchGet, Query, Count and FanOut.

A page with a limit is full or the last: where rows were dropped, the next are read until it is
full. Its ``last_key`` is the key of the last row that was returned, so a page that was cut goes on
with the row after it. Operations are values; each method returns a changed copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from tablewright.design.entity import entity_of_model
from tablewright.errors import ItemNotFound
from tablewright.plan.batches import batch_get, identity
from tablewright.plan.bound_pattern import (
    ABSENT,
    Question,
    Values,
    binder,
    each_binder,
    joined,
)
from tablewright.plan.condition_trees import Names
from tablewright.plan.operation import Call, Context, Op, Steps, constant
from tablewright.plan.selections import Selection

if TYPE_CHECKING:
    from tablewright.design.pattern_model import Kind, PatternModel
    from tablewright.values.attributes import Item

__all__ = ["BatchGet", "Count", "FanOut", "Get", "Page", "Query", "Question"]

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
R = TypeVar("R")

_LIMIT_MAX = 1000  # Where a filter drops much, more is read at once, up to this.


@dataclass(frozen=True, slots=True)
class Page(Generic[M_co]):
    """Some rows of an answer; ``last_key`` is where to go on, None at the end."""

    items: tuple[M_co, ...]
    last_key: Item | None


@dataclass(frozen=True, slots=True)
class _Options:
    """How a question is asked."""

    limit: int | None = None
    after: Item | None = None
    is_descending: bool = False
    is_consistent: bool = True
    with_marked: bool = False
    wheres: tuple[Callable[[Any], Any], ...] = ()
    selection: Selection | None = None


def _usual(question: Question) -> _Options:
    return _options(question.is_descending, question.reads_consistently())


@cache
def _options(is_descending: bool, is_consistent: bool) -> _Options:
    return _Options(is_descending=is_descending, is_consistent=is_consistent)


def _made(question: Question, options: _Options, item: Item, now: float) -> Any:
    """What a row is to the reader: an instance, what is selected of it, or ABSENT."""
    entity = question.answer(item, now, with_marked=options.with_marked)
    if entity is None:
        return ABSENT
    if options.selection is not None:
        return options.selection.of(entity, item)
    return entity.instance(item)


def _needed(question: Question) -> list[str]:
    """The attributes that tell whether a row is an answer, and where it stands."""
    table = question.table
    names = [*question.key_names, "_staged"]
    names += [name for name in (table.type_attribute, table.ttl) if name is not None]
    names += [e.attributes[e.mark].name for e in question.entities if e.mark is not None]
    return names


class Query(Op[Page[M_co]]):
    """The rows that answer a question, in the order of the sort key."""

    __slots__ = ("_options", "question")
    pattern_kind: ClassVar[Kind] = "query"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Query[Any]]:
        """What a declared pattern's method does: builds the operation from its arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, question: Question, options: _Options | None = None) -> None:
        self.question = question
        self._options = options or _usual(question)

    def _with(self, **changes: Any) -> Query[M_co]:
        return Query(self.question, replace(self._options, **changes))

    def limit(self, count: int) -> Query[M_co]:
        """Pages of this many rows."""
        if count < 1:
            raise ValueError("a page has at least one row")
        return self._with(limit=count)

    def after(self, key: Item | None) -> Query[M_co]:
        """Only rows behind this key, which a page gave as its last."""
        return self._with(after=key)

    def newest_first(self) -> Query[M_co]:
        """From the last sort key to the first."""
        return self._with(is_descending=True)

    def oldest_first(self) -> Query[M_co]:
        """From the first sort key to the last."""
        return self._with(is_descending=False)

    def consistent(self, is_consistent: bool = True) -> Query[M_co]:
        """Whether every finished write must be seen; an index cannot promise that."""
        if is_consistent and not self.question.can_be_consistent:
            raise ValueError(f"{self.question.index_name} cannot be read consistently")
        return self._with(is_consistent=is_consistent)

    def where(self, fn: Callable[[M_co], bool]) -> Query[M_co]:
        """Only rows of which this is true. All rows are still read, and paid for."""
        return self._with(wheres=(*self._options.wheres, fn))

    def select(self, fn: Callable[[M_co], R]) -> Query[R]:
        """Parts of each row instead of the whole."""
        selection = Selection(self.question.entities, fn)
        return Query(self.question, replace(self._options, selection=selection))

    def with_marked(self) -> Query[M_co]:
        """Rows that are marked as deleted, too."""
        return self._with(with_marked=True)

    @property
    def is_descending(self) -> bool:
        """Whether it goes from the last sort key to the first."""
        return self._options.is_descending

    def position(self, row: BaseModel) -> Item:
        """Where a row of the answer stands: what ``after`` goes on behind."""
        item = entity_of_model(type(row)).item(row)
        return {name: item[name] for name in self.question.key_names}

    def all(self) -> Op[list[M_co]]:
        """All rows, page after page; with a limit, so many at most."""
        return _All(self)

    def first(self) -> Op[M_co | None]:
        """The first row, or None."""
        return _First(self.limit(1))

    def base_request(self) -> dict[str, Any]:
        """The request without what differs from page to page."""
        question, options, names = self.question, self._options, Names()
        request: dict[str, Any] = {"TableName": question.table.name}
        if question.index_name is not None:
            request["IndexName"] = question.index_name
        request["KeyConditionExpression"] = question.key_condition(names)
        told = question.filter(options.wheres)
        if told is not None:
            request["FilterExpression"] = told.render(names)
        if options.selection is not None:
            projection = options.selection.projection(names, _needed(question))
            if projection is not None:
                request["ProjectionExpression"] = projection
        if options.is_descending:
            request["ScanIndexForward"] = False
        if options.is_consistent:
            request["ConsistentRead"] = True
        names.fill(request)
        return request

    def steps(self, context: Context) -> Steps[Page[M_co]]:
        question, options = self.question, self._options
        base, start, limit = self.base_request(), options.after, options.limit
        found: list[M_co] = []
        last: Item = {}
        asked = 0
        while True:
            request = base if start is None else {**base, "ExclusiveStartKey": start}
            if limit is not None:
                asked = max(limit - len(found), min(2 * asked, _LIMIT_MAX))
                request = {**request, "Limit": asked}
            reply = yield Call("Query", request)
            now = context.now()
            start = reply.get("LastEvaluatedKey")
            for item in reply["Items"]:
                made = _made(question, options, item, now)
                if made is ABSENT:
                    continue
                if len(found) == limit:
                    return Page(tuple(found), self._key(last))
                found.append(made)
                last = item
            if start is None:
                return Page(tuple(found), None)
            if len(found) == limit:
                return Page(tuple(found), self._key(last))
            if limit is None and found:
                return Page(tuple(found), start)

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self.question.key_names}


class _All(Op[list[M]]):
    """Every page of a query."""

    __slots__ = ("_query",)

    def __init__(self, query: Query[M]) -> None:
        self._query = query

    def steps(self, context: Context) -> Steps[list[M]]:
        query, found = self._query, list[M]()
        while True:
            page = yield from query.steps(context)
            found += page.items
            if page.last_key is None or query._options.limit is not None:  # noqa: SLF001 (one idea)
                return found
            query = query.after(page.last_key)


class _First(Op["M_co | None"], Generic[M_co]):
    """The first row of a query of one."""

    __slots__ = ("_query",)

    def __init__(self, query: Query[M_co]) -> None:
        self._query = query

    def steps(self, context: Context) -> Steps[M_co | None]:
        page = yield from self._query.steps(context)
        return page.items[0] if page.items else None


class Get(Op["M_co | None"], Generic[M_co]):
    """One row by its key, or None. By an index's key it is a query of one."""

    __slots__ = ("_options", "question")
    pattern_kind: ClassVar[Kind] = "get"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Get[Any]]:
        """What a declared pattern's method does: builds the operation from its arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, question: Question, options: _Options | None = None) -> None:
        self.question = question
        self._options = options or _usual(question)

    def consistent(self, is_consistent: bool = True) -> Get[M_co]:
        """Whether every finished write must be seen."""
        if is_consistent and not self.question.can_be_consistent:
            raise ValueError(f"{self.question.index_name} cannot be read consistently")
        return Get(self.question, replace(self._options, is_consistent=is_consistent))

    def with_marked(self) -> Get[M_co]:
        """The row even if it is marked as deleted."""
        return Get(self.question, replace(self._options, with_marked=True))

    def select(self, fn: Callable[[M_co], R]) -> Get[R]:
        """Parts of the row instead of the whole."""
        selection = Selection(self.question.entities, fn)
        return Get(self.question, replace(self._options, selection=selection))

    def required(self) -> Op[M_co]:
        """The row; raises ItemNotFound if there is none."""
        return _Required(self)

    def follow(self, fn: Callable[[M_co], Op[R] | None]) -> Op[R | None]:
        """After it, if there is a row, the operation that ``fn`` makes of the row; else None."""

        def next_of(row: M_co | None) -> Op[R | None]:
            made = None if row is None else fn(row)
            return constant(None) if made is None else made

        return self.then(next_of)

    def steps(self, context: Context) -> Steps[M_co | None]:
        question, options = self.question, self._options
        if question.index_name is not None:
            query: Query[M_co] = Query(question, options)
            return (yield from query.first().steps(context))
        request: dict[str, Any] = {"TableName": question.table.name, "Key": question.key}
        if options.is_consistent:
            request["ConsistentRead"] = True
        if options.selection is not None:
            names = Names()
            projection = options.selection.projection(names, _needed(question))
            if projection is not None:
                request["ProjectionExpression"] = projection
                names.fill(request)
        reply = yield Call("GetItem", request)
        item = reply.get("Item")
        if item is None:
            return None
        made = _made(question, options, item, context.now())
        return None if made is ABSENT else made


class _Required(Op[M_co]):
    """A row that has to be there."""

    __slots__ = ("_get",)

    def __init__(self, get: Get[M_co]) -> None:
        self._get = get

    def steps(self, context: Context) -> Steps[M_co]:
        found = yield from self._get.steps(context)
        if found is None:
            question = self._get.question
            raise ItemNotFound(" or ".join(e.name for e in question.entities), question.key)
        return found


class BatchGet(Op[list[M]]):
    """The rows of many keys, in the order of the keys; those that are absent are left out."""

    __slots__ = ("_with_marked", "questions")
    pattern_kind: ClassVar[Kind] = "batch_get"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], BatchGet[Any]]:
        """What a declared pattern's method does: builds the operation from its arguments."""
        bind = each_binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, questions: Sequence[Question], *, with_marked: bool = False) -> None:
        self.questions = tuple(questions)
        self._with_marked = with_marked

    def with_marked(self) -> BatchGet[M]:
        """Rows that are marked as deleted, too."""
        return BatchGet(self.questions, with_marked=True)

    def aligned(self) -> Op[list[M | None]]:
        """One entry for each key, None where there is no row."""
        return _Aligned(self)

    def steps(self, context: Context) -> Steps[list[M]]:
        found = yield from self.rows(context)
        return [row for row in found if row is not None]

    def rows(self, context: Context) -> Steps[list[Any]]:
        """One entry for each key, None where there is no row."""
        keys: dict[Any, list[Item]] = {}
        for question in self.questions:
            keys.setdefault(question.table, []).append(question.key)
        consistent = all(question.reads_consistently() for question in self.questions)
        items = yield from batch_get(keys, context, consistent=consistent)
        now, options = context.now(), _Options(with_marked=self._with_marked)
        found = []
        for question in self.questions:
            item = items.get(identity(question.table.name, question.key))
            made = ABSENT if item is None else _made(question, options, item, now)
            found.append(None if made is ABSENT else made)
        return found


class _Aligned(Op[list["M | None"]], Generic[M]):
    __slots__ = ("_batch",)

    def __init__(self, batch: BatchGet[M]) -> None:
        self._batch = batch

    def steps(self, context: Context) -> Steps[list[M | None]]:
        return (yield from self._batch.rows(context))


class FanOut(Op[list[M]]):
    """The answers to several questions, one after another, each in its own order."""

    __slots__ = ("queries",)
    pattern_kind: ClassVar[Kind] = "fan_out"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], FanOut[Any]]:
        """What a declared pattern's method does: builds the operation from its arguments."""
        bind = each_binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, questions: Sequence[Question | Query[M]]) -> None:
        made = [q if isinstance(q, Query) else Query[M](q) for q in questions]
        # A value that is given twice is asked for once.
        self.queries = tuple({repr(q.base_request()): q for q in made}.values())

    def limit(self, count: int) -> FanOut[M]:
        """At most this many rows of each question."""
        return FanOut([query.limit(count) for query in self.queries])

    def where(self, fn: Callable[[M], bool]) -> FanOut[M]:
        """Only rows of which this is true."""
        return FanOut([query.where(fn) for query in self.queries])

    def select(self, fn: Callable[[M], R]) -> FanOut[R]:
        """Parts of each row instead of the whole."""
        return FanOut([query.select(fn) for query in self.queries])

    def newest_first(self) -> FanOut[M]:
        """Each answer from the last sort key to the first."""
        return FanOut([query.newest_first() for query in self.queries])

    def steps(self, context: Context) -> Steps[list[M]]:
        found: list[M] = []
        for query in self.queries:
            found += yield from query.all().steps(context)
        return found


class Count(Op[int], Generic[M_co]):
    """How many rows answer a question. They are read, and paid for, but not sent."""

    __slots__ = ("_options", "question")
    pattern_kind: ClassVar[Kind] = "count"

    @classmethod
    def from_pattern(cls, model: PatternModel) -> Callable[[Values], Count[Any]]:
        """What a declared pattern's method does: builds the operation from its arguments."""
        bind = binder(model)
        return lambda values: cls(bind(values))

    def __init__(self, question: Question, options: _Options | None = None) -> None:
        self.question = question
        self._options = options or _usual(question)

    def where(self, fn: Callable[[M_co], bool]) -> Count[M_co]:
        """Only rows of which this is true."""
        return Count(self.question, replace(self._options, wheres=(*self._options.wheres, fn)))

    def steps(self, context: Context) -> Steps[int]:
        question, options, names = self.question, self._options, Names()
        request: dict[str, Any] = {"TableName": question.table.name, "Select": "COUNT"}
        if question.index_name is not None:
            request["IndexName"] = question.index_name
        request["KeyConditionExpression"] = question.key_condition(names)
        live = question.live(context.now(), with_marked=options.with_marked)
        told = joined(live, question.filter(options.wheres))
        if told is not None:
            request["FilterExpression"] = told.render(names)
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

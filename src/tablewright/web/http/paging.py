"""Lists: limits, sealed cursors, pages that are full or the last."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Generic, TypeVar

from fastapi import Depends, Request
from fastapi import Query as InQuery
from pydantic import BaseModel, Field, create_model, model_validator

from tablewright.design.item_values import time_text
from tablewright.plan.reads import Query
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.cursors import Cursors
from tablewright.values.attributes import Item
from tablewright.web.http.field_types import ListOf, Number, QueryParameters

__all__ = [
    "LIMIT_DEFAULT",
    "LIMIT_MAX",
    "Listing",
    "Page",
    "PageQuery",
    "Paging",
    "paging",
    "paging_with",
]

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")
A = TypeVar("A")
LIMIT_DEFAULT: Final = 50
LIMIT_MAX: Final = 200
_DIGITS_MAX: Final = 9


@dataclass(frozen=True)
class Listing(Generic[R]):
    """One page of a list, and the cursor behind it."""

    items: list[R]
    cursor: str | None

    def listed(self) -> ListOf[R]:
        """The answer, where the things are answers already."""
        return ListOf(items=self.items, cursor=self.cursor)

    def shown(self, show: Callable[[R], A]) -> ListOf[A]:
        """The answer: each thing as ``show`` presents it."""
        return ListOf(items=[show(thing) for thing in self.items], cursor=self.cursor)


class PageQuery(QueryParameters):
    """Which page of a list is asked for."""

    limit: Annotated[int, Number(1, LIMIT_MAX), Field(description="How many at most.")] = (
        LIMIT_DEFAULT
    )
    cursor: Annotated[str | None, Field(description="Where the page before ended.")] = None

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        # An empty limit is no number; an empty cursor is the first page.
        return {name: value for name, value in given.items() if value or name != "cursor"}


class Paging:
    """The page that a request asks for. Its cursor is bound to the list, its filters and caller."""

    def __init__(self, limit: int, cursor: str | None, cursors: Cursors) -> None:
        self.limit = limit
        self._cursor = cursor
        self._cursors = cursors

    async def query(
        self,
        store: AsyncStore,
        query: Query[M],
        *,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
        keep: Callable[[M], bool] | None = None,
    ) -> Listing[M]:
        """A page of a pattern. Rows that ``keep`` drops are made up for."""

        async def kept(rows: Sequence[M]) -> list[M | None]:
            return [row if keep is None or keep(row) else None for row in rows]

        return await self.joined(store, query, kept, filters=filters, caller=caller)

    async def joined(
        self,
        store: AsyncStore,
        query: Query[M],
        join: Callable[[Sequence[M]], Awaitable[Sequence[R | None]]],
        *,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
    ) -> Listing[R]:
        """A page of what ``join`` makes of a pattern's rows.

        It is given some rows and returns one thing for each; those that are None are made up for.
        """
        bound = self._bound(query, filters or {}, caller)
        after = self._after(bound)
        listed: list[tuple[M, R]] = []
        while True:
            page = await store.run(query.limit(self.limit).after(after))
            things = await join(page.items)
            pairs = zip(page.items, things, strict=True)
            kept = [(row, thing) for row, thing in pairs if thing is not None]
            room = self.limit - len(listed)
            listed += kept[:room]
            after = page.last_key
            if len(kept) > room:
                # The page was cut: go on behind the last row that is shown.
                after = query.position(listed[-1][0])
            if len(listed) == self.limit or after is None:
                break
        cursor = None if after is None else self._cursors.encode(after, **bound)
        return Listing([thing for _, thing in listed], cursor)

    def require(
        self,
        query: Query[Any],
        *,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
    ) -> None:
        """Raise CursorInvalid for a cursor that `query` would refuse; nothing is read.

        For lists of something that may not be there: what was asked is checked before that.
        """
        self._after(self._bound(query, filters or {}, caller))

    def _after(self, bound: dict[str, Any]) -> Item | None:
        return None if self._cursor is None else self._cursors.decode(self._cursor, **bound)

    def _bound(
        self, query: Query[Any], filters: Mapping[str, object], caller: str
    ) -> dict[str, Any]:
        question = query.bound_pattern
        arguments = {
            "of": dict(question.arguments),
            "filters": dict(filters),
            "descending": query.is_descending,
        }
        # Systems may have patterns of one name: the table tells them apart.
        pattern = f"{question.table.name}.{question.pattern}"
        return {"pattern": pattern, "arguments": arguments, "caller": caller}

    def cut(
        self,
        rows: Sequence[M],
        key: Callable[[M], tuple[Any, ...]],
        *,
        name: str,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
        reverse: bool = False,
    ) -> Listing[M]:
        """A page of rows that were all read: sorted by a key that is unique, then cut."""
        bound = _bound_in_memory(name, filters or {}, caller, reverse=reverse)
        keyed = self._left(rows, key, bound, reverse=reverse)
        return self._listing(keyed[: self.limit], bound)

    async def cut_joined(
        self,
        rows: Sequence[M],
        key: Callable[[M], tuple[Any, ...]],
        join: Callable[[Sequence[M]], Awaitable[Sequence[R | None]]],
        *,
        name: str,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
        reverse: bool = False,
    ) -> Listing[R]:
        """The same of what ``join`` makes of the rows of one page; see `joined`."""
        bound = _bound_in_memory(name, filters or {}, caller, reverse=reverse)
        keyed = self._left(rows, key, bound, reverse=reverse)
        listed: list[tuple[list[Any], R]] = []
        while keyed and len(listed) < self.limit:
            room = self.limit - len(listed)
            part, keyed = keyed[:room], keyed[room:]
            things = await join([row for _, row in part])
            listed += [
                (place, thing)
                for (place, _), thing in zip(part, things, strict=True)
                if thing is not None
            ]
        return self._listing(listed, bound)

    def _left(
        self,
        rows: Sequence[M],
        key: Callable[[M], tuple[Any, ...]],
        bound: dict[str, Any],
        *,
        reverse: bool,
    ) -> list[tuple[list[Any], M]]:
        """The rows behind the cursor, in order, each with its key."""
        held = self._after(bound)
        keyed = sorted(((_plain(key(row)), row) for row in rows), key=_first, reverse=reverse)
        if held is None:
            return keyed
        last = json.loads(held["after"]["S"])
        return [pair for pair in keyed if (pair[0] < last if reverse else pair[0] > last)]

    def _listing(self, keyed: list[tuple[list[Any], R]], bound: dict[str, Any]) -> Listing[R]:
        rows = [row for _, row in keyed]
        if len(rows) < self.limit:
            return Listing(rows, None)
        after: Item = {"after": {"S": json.dumps(keyed[-1][0])}}
        return Listing(rows, self._cursors.encode(after, **bound))

    def require_cut(
        self,
        *,
        name: str,
        filters: Mapping[str, object] | None = None,
        caller: str = "",
        reverse: bool = False,
    ) -> None:
        """Raise CursorInvalid for a cursor that `cut` would refuse, before rows are read."""
        self._after(_bound_in_memory(name, filters or {}, caller, reverse=reverse))


def _bound_in_memory(
    name: str, filters: Mapping[str, object], caller: str, *, reverse: bool
) -> dict[str, Any]:
    return {
        "pattern": f"in memory.{name}",
        "arguments": {"filters": dict(filters), "descending": reverse},
        "caller": caller,
    }


def _plain(key: tuple[Any, ...]) -> list[Any]:
    """A sort key as JSON has it: times as text sort as times."""
    return [
        time_text(part)
        if isinstance(part, datetime)
        else part.isoformat()
        if isinstance(part, date)
        else part
        for part in key
    ]


def _first(pair: tuple[list[Any], object]) -> list[Any]:
    return pair[0]


def paging(request: Request, page: Annotated[PageQuery, InQuery()]) -> Paging:
    """The page that a request asks for: a dependency."""
    return Paging(page.limit, page.cursor, request.app.state.services.cursors)


Page = Annotated[Paging, Depends(paging)]


def paging_with(*, default: int = LIMIT_DEFAULT, most: int = LIMIT_MAX) -> Callable[..., Paging]:
    """The same for lists with other limits: ``Depends(paging_with(most=60))``."""
    kind = Annotated[int, Number(1, most), Field(description="How many at most.")]
    query = create_model("PageQuery", __base__=PageQuery, limit=(kind, default))

    def dependency(request: Request, page: PageQuery) -> Paging:
        return paging(request, page)

    # FastAPI reads annotations as they are here, where the model exists.
    dependency.__annotations__ = {"request": Request, "page": Annotated[query, InQuery()]}
    return dependency

"""Stores as these tests see them: blocking, with a clock that stands still until a test moves it.

A scenario is written once, for a ``Face``, and runs on each kind of store, sync and async. This
file knows stores and operations; it knows nothing of the five systems.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from tablewright import AsyncStore, Conflict, Op, Query, Store, Table, Unit, create
from tablewright.design.entity import entity_of_model
from tablewright.stores.tracing import Trace

__all__ = [
    "AT",
    "AsyncFace",
    "Clock",
    "Face",
    "SyncFace",
    "after",
    "kinds",
    "moved",
    "transactions",
]

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)

# Far ahead of any real time: DynamoDB Local deletes what has expired by its own clock.
AT = datetime(2096, 3, 1, 10, tzinfo=UTC)


def after(*, days: float = 0, hours: float = 0, seconds: float = 0, ms: float = 0) -> datetime:
    """A time after ``AT``."""
    return AT + timedelta(days=days, hours=hours, seconds=seconds, milliseconds=ms)


def moved(row: M, **fields: Any) -> M:
    """A row with other values in some fields."""
    return row.model_copy(update=fields)


@dataclass
class Clock:
    """The time that operations see."""

    now: datetime = AT

    def __call__(self) -> float:
        return self.now.timestamp()


class Face(ABC):
    """What a test does with a store."""

    store: Store | AsyncStore

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        # Rows that a test plants by hand may belong to nothing: then it says so.
        self.is_drift_checked = True

    @abstractmethod
    def run(self, op: Op[R]) -> R:
        """An operation's result."""

    @abstractmethod
    def trace(self, op: Op[R]) -> Trace[R]:
        """An operation's result, and the calls that it took."""

    @abstractmethod
    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request and its reply."""

    @abstractmethod
    def ensure_tables(self, tables: Iterable[Table]) -> None:
        """Make the tables that are missing."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what the store holds."""

    def create(self, *rows: M) -> M:
        """Create these rows, each by itself; returns the last."""
        for row in rows:
            made = self.run(create(row))
        return made

    def plant(self, *rows: BaseModel) -> None:
        """Put rows as they are, without what depends on them."""
        for row in rows:
            entity = entity_of_model(type(row))
            self.call("PutItem", {"TableName": entity.table.name, "Item": entity.item(row)})
        self.is_drift_checked = False

    def pages(self, query: Query[R], size: int) -> list[list[R]]:
        """Everything a query finds, in pages of this size: all are full but the last.

        A full page may carry a key with nothing behind it.
        """
        found: list[list[R]] = []
        page = self.run(query.limit(size))
        while page.last_key is not None:
            assert len(page.items) == size
            found.append(list(page.items))
            page = self.run(query.limit(size).after(page.last_key))
        return [*found, list(page.items)] if page.items or not found else found

    def refused(self, op: Op[Any]) -> list[str]:
        """Which actions of a write are refused; it has to be."""
        with pytest.raises(Conflict) as error:
            self.run(op)
        assert {failure.code for failure in error.value.failures} == {"ConditionalCheckFailed"}
        return [failure.action for failure in error.value.failures]

    def items(self, table: Table) -> list[dict[str, Any]]:
        """All items of a table, as they are stored."""
        request: dict[str, Any] = {"TableName": table.name, "ConsistentRead": True}
        found: list[dict[str, Any]] = []
        while True:
            reply = self.call("Scan", request)
            found += reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return found
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def keys(self, table: Table) -> set[tuple[str, ...]]:
        """The keys of all items of a table."""
        names = [part.name for part in table.primary.attributes]
        return {tuple(str(*item[name].values()) for name in names) for item in self.items(table)}

    def empty(self, table: Table) -> None:
        """Delete every item of a table."""
        names = [part.name for part in table.primary.attributes]
        keys = [{name: item[name] for name in names} for item in self.items(table)]
        for first in range(0, len(keys), 25):
            batch = [{"DeleteRequest": {"Key": key}} for key in keys[first : first + 25]]
            reply = self.call("BatchWriteItem", {"RequestItems": {table.name: batch}})
            assert not reply.get("UnprocessedItems")


class SyncFace(Face):
    """A store that blocks."""

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__(clock)
        self.store: Store = store

    def run(self, op: Op[R]) -> R:
        return self.store.run(op)

    def trace(self, op: Op[R]) -> Trace[R]:
        return self.store.trace(op)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.store.call(operation, request)

    def ensure_tables(self, tables: Iterable[Table]) -> None:
        self.store.ensure_tables(tables)

    def close(self) -> None:
        self.store.close()


class AsyncFace(Face):
    """A store that awaits, on a loop of its own that runs only while it is asked."""

    def __init__(self, store: AsyncStore, clock: Clock, loop: asyncio.Runner) -> None:
        super().__init__(clock)
        self.store: AsyncStore = store
        self.loop = loop

    def run(self, op: Op[R]) -> R:
        return self.loop.run(self.store.run(op))

    def trace(self, op: Op[R]) -> Trace[R]:
        return self.loop.run(self.store.trace(op))

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.loop.run(self.store.call(operation, request))

    def ensure_tables(self, tables: Iterable[Table]) -> None:
        self.loop.run(self.store.ensure_tables(tables))

    def close(self) -> None:
        self.loop.run(self.store.close())
        self.loop.close()


def kinds(unit: Unit) -> dict[str, int]:
    """How many actions of each kind a unit has."""
    return _counted([action for _, action in unit.actions])


def transactions(trace: Trace[Any]) -> list[dict[str, int]]:
    """How many actions of each kind the transactions had that an operation sent."""
    return [
        _counted(made.request["TransactItems"])
        for made in trace.calls
        if made.operation == "TransactWriteItems"
    ]


def _counted(actions: Iterable[dict[str, Any]]) -> dict[str, int]:
    return dict(sorted(Counter(kind for action in actions for kind in action).items()))

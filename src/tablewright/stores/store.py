"""The blocking store: runs operations on any backend.

A backend implements ``call``: one request and reply in DynamoDB's JSON. It raises ServiceError if
DynamoDB refuses the request, and StoreUnavailable if it cannot be reached. Everything else is
shared. `async_store` has the async version.
"""

from __future__ import annotations

import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from tablewright.plan.operation import Context, Op, Steps
from tablewright.stores.runner import drive
from tablewright.stores.table_setup import DesignLike, TableLike, ensure_steps
from tablewright.stores.tracing import CallTrace, Trace, asking, consumed

if TYPE_CHECKING:
    from tablewright.plan.changes.write_transaction import Unit
    from tablewright.values.attributes import Item

__all__ = ["PageLike", "PagedOp", "Store", "new_context"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class PageLike(Protocol[T_co]):
    """The result of a paged operation: `plan.reads.Page`."""

    @property
    def items(self) -> Sequence[T_co]: ...
    @property
    def last_key(self) -> Item | None: ...


class PagedOp(Protocol[T_co]):
    """A paged operation; ``after`` returns the operation for the next page."""

    def steps(self, context: Context, /) -> Steps[PageLike[T_co]]: ...
    def after(self, key: Any, /) -> PagedOp[T_co]: ...


def new_token() -> str:
    """A unique token of 32 characters."""
    return os.urandom(16).hex()


def new_context(clock: Callable[[], float] = time.time, *, may_repeat: bool = True) -> Context:
    """The context of operations, with this clock."""
    return Context(now=clock, random=random.random, token=new_token, may_repeat=may_repeat)


class Store(ABC):
    """Runs operations. Safe to use from any number of threads."""

    def __init__(
        self, context: Context | None = None, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self.context = context or new_context()
        self.sleep = sleep

    @abstractmethod
    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one DynamoDB operation; raises ServiceError or StoreUnavailable.

        The request is not modified, and the caller owns the reply.
        """

    @abstractmethod
    def close(self) -> None:
        """Close connections and files. The store cannot be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, op: Op[T]) -> T:
        """Run an operation, and return its result."""
        return drive(op.steps(self.context), self.call, self.sleep)

    def iterate(self, query: PagedOp[T]) -> Iterator[T]:
        """Iterate over all rows of a query; pages are read when they are needed."""
        while True:
            page = drive(query.steps(self.context), self.call, self.sleep)
            yield from page.items
            if page.last_key is None:
                return
            query = query.after(page.last_key)

    def trace(self, op: Op[T]) -> Trace[T]:
        """Run an operation; returns its result with its calls and their consumed capacity."""
        calls: list[CallTrace] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            reply = self.call(operation, asking(operation, request))
            calls.append(CallTrace(operation, request, consumed(reply)))
            return reply

        return Trace(drive(op.steps(self.context), call, self.sleep), tuple(calls))

    @contextmanager
    def unit(self) -> Iterator[Unit]:
        """Collect writes, and run them as one transaction when the block ends without an error."""
        from tablewright.plan.changes.write_transaction import Unit

        unit = Unit()
        yield unit
        unit.result = self.run(unit)

    def ensure_tables(self, tables: Iterable[TableLike] | DesignLike) -> list[str]:
        """Create the missing tables of a design; returns the names of the created ones.

        Raises DesignError if a table exists with other keys or indexes.
        """
        return drive(ensure_steps(tables), self.call, self.sleep)

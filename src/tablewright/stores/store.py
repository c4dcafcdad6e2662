"""A store that blocks: runs operations, whatever the place where the items are.

A backend supplies ``call``, one request and reply in DynamoDB's JSON, raising ServiceError for what
DynamoDB refuses and StoreUnavailable where it cannot be reached. Everything else is here, and the
same for all of them. `aio` has the twin for event loops.
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
from tablewright.stores.table_setup import TableLike, ensure_steps
from tablewright.stores.tracing import CallTrace, Trace, asking, consumed

if TYPE_CHECKING:
    from tablewright.plan.write_transaction import Unit
    from tablewright.values.attributes import Item

__all__ = ["PageLike", "PagedOp", "Store", "new_context"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class PageLike(Protocol[T_co]):
    """What a paged operation returns: `plan.reading.Page`."""

    @property
    def items(self) -> Sequence[T_co]: ...
    @property
    def last_key(self) -> Item | None: ...


class PagedOp(Protocol[T_co]):
    """An operation with pages: after one with a last key, ``after`` asks for the next."""

    def steps(self, context: Context, /) -> Steps[PageLike[T_co]]: ...
    def after(self, key: Any, /) -> PagedOp[T_co]: ...


def new_token() -> str:
    """A token that no other write has; 32 characters."""
    return os.urandom(16).hex()


def new_context(clock: Callable[[], float] = time.time, *, may_repeat: bool = True) -> Context:
    """The real surroundings of operations, with this clock."""
    return Context(now=clock, random=random.random, token=new_token, may_repeat=may_repeat)


class Store(ABC):
    """Runs operations and waits for them. Safe to use from any number of threads."""

    def __init__(
        self, context: Context | None = None, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self.context = context or new_context()
        self.sleep = sleep

    @abstractmethod
    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One operation of DynamoDB; raises ServiceError or StoreUnavailable.

        The request is not changed, and the reply is the caller's to keep.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of connections and files; a closed store is not used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, op: Op[T]) -> T:
        """Run an operation; returns its result."""
        return drive(op.steps(self.context), self.call, self.sleep)

    def iterate(self, query: PagedOp[T]) -> Iterator[T]:
        """Everything a query finds, page after page, each asked for when it is needed."""
        while True:
            page = drive(query.steps(self.context), self.call, self.sleep)
            yield from page.items
            if page.last_key is None:
                return
            query = query.after(page.last_key)

    def trace(self, op: Op[T]) -> Trace[T]:
        """Run an operation; returns its result with the calls made and what they cost."""
        made: list[CallTrace] = []

        def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            reply = self.call(operation, asking(operation, request))
            made.append(CallTrace(operation, request, consumed(reply)))
            return reply

        return Trace(drive(op.steps(self.context), call, self.sleep), tuple(made))

    @contextmanager
    def unit(self) -> Iterator[Unit]:
        """Collects writes and makes them together when the block ends without an error."""
        from tablewright.plan.write_transaction import Unit

        unit = Unit()
        yield unit
        unit.result = self.run(unit)

    def ensure(self, tables: Iterable[TableLike]) -> list[str]:
        """Make the tables that are missing; returns the names of those that were made.

        Raises DesignError if a table is there with other keys or indexes.
        """
        return drive(ensure_steps(tables), self.call, self.sleep)

"""The log of a page's store requests, each with its time and capacity."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tablewright.explain.prices import DEFAULT_REGION
from tablewright.explain.snippets import as_boto3, as_cli, as_json
from tablewright.plan.operation import Call, Op
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.tracing import CallTrace, Trace, asking, consumed
from tablewright.studio.history.moments import NOW, AsOf

__all__ = ["LoggedRequest", "LoggedStore", "Snippets", "snippets_of"]

T = TypeVar("T")


@dataclass(frozen=True)
class LoggedRequest:
    """A request that was sent, as the page footer shows it."""

    operation: str
    target: str
    milliseconds: float
    units: float
    is_write: bool


@dataclass(frozen=True)
class Snippets:
    """The same requests, three ways."""

    json: str
    boto3: str
    cli: str


def snippets_of(calls: list[Call] | tuple[Call, ...], region: str) -> Snippets:
    """Requests as code that a person can run."""
    return Snippets(as_json(calls), as_boto3(calls, region), as_cli(calls, region))


@dataclass
class LoggedStore:
    """The store as one page uses it: every request is logged."""

    store: AsyncStore
    requests: list[LoggedRequest] = field(default_factory=list)
    as_of: AsOf = NOW  # The time that the store shows.
    region: str = DEFAULT_REGION  # The region in code snippets.

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request; returns the response."""
        started = time.perf_counter()
        reply = await self.store.call(operation, asking(operation, request))
        self._note(CallTrace(operation, request, consumed(reply)), time.perf_counter() - started)
        return reply

    async def trace(self, op: Op[T]) -> Trace[T]:
        """Run an operation; returns its result with the calls made."""
        started = time.perf_counter()
        traced = await self.store.trace(op)
        spent = time.perf_counter() - started
        for call in traced.calls:
            self._note(call, spent / len(traced.calls))
        return traced

    def _note(self, call: CallTrace, seconds: float) -> None:
        target = str(call.request.get("TableName", ""))
        if index := call.request.get("IndexName"):
            target += f"/{index}"
        is_write = call.operation not in ("GetItem", "Query", "Scan", "BatchGetItem")
        self.requests.append(
            LoggedRequest(call.operation, target, round(seconds * 1000, 2), call.units, is_write)
        )

"""Traces the calls of an operation and their consumed capacity.

While tracing, requests are sent with ``ReturnConsumedCapacity`` where the operation supports it.
The trace contains the original request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

__all__ = ["CallTrace", "Send", "Trace", "asking", "consumed", "watched"]

T_co = TypeVar("T_co", covariant=True)
Send = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

COUNTED: Final = frozenset(
    (
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    )
)


class CallTrace(NamedTuple):
    """One call: the request, and the ConsumedCapacity of its tables."""

    operation: str
    request: dict[str, Any]
    capacity: tuple[dict[str, Any], ...]

    @property
    def units(self) -> float:
        """Capacity units of this call, tables and indexes together."""
        return float(sum(table.get("CapacityUnits", 0) for table in self.capacity))


@dataclass(frozen=True, slots=True)
class Trace(Generic[T_co]):
    """An operation's result and its calls."""

    value: T_co
    calls: tuple[CallTrace, ...]

    @property
    def units(self) -> float:
        """Capacity units of all calls."""
        return sum(call.units for call in self.calls)

    @property
    def units_by_place(self) -> dict[str, float]:
        """Capacity units by table (``things``) and index (``things/byDate``)."""
        sums: dict[str, float] = {}
        for call in self.calls:
            for table in call.capacity:
                for place, units in _places(table):
                    sums[place] = sums.get(place, 0.0) + units
        return sums


def asking(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """The request with ReturnConsumedCapacity, if the operation supports it."""
    if operation not in COUNTED:
        return request
    return {**request, "ReturnConsumedCapacity": "INDEXES"}


def consumed(reply: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """The ConsumedCapacity entries of a reply."""
    capacity = reply.get("ConsumedCapacity")
    if capacity is None:
        return ()
    return tuple(capacity) if isinstance(capacity, list) else (capacity,)


def watched(call: Send, watcher: Callable[[CallTrace], object]) -> Send:
    """Wrap calls so that the watcher gets a trace of each."""

    async def sent(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        reply = await call(operation, asking(operation, request))
        watcher(CallTrace(operation, request, consumed(reply)))
        return reply

    return sent


def _places(table: dict[str, Any]) -> Iterator[tuple[str, float]]:
    name = table["TableName"]
    indexes = {
        **(table.get("LocalSecondaryIndexes") or {}),
        **(table.get("GlobalSecondaryIndexes") or {}),
    }
    of_indexes = {index: float(units["CapacityUnits"]) for index, units in indexes.items()}
    own = (table.get("Table") or {}).get("CapacityUnits")
    if own is None:
        own = table.get("CapacityUnits", 0) - sum(of_indexes.values())
    if own or not of_indexes:
        yield name, float(own)
    for index, units in of_indexes.items():
        yield f"{name}/{index}", units

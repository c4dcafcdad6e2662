"""A prefix for table names: added to requests, removed from replies.

Several installations can share an account and a region with different prefixes. ARNs and error
messages are not changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tablewright.plan.operation import Call, Steps
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.runner import drive, drive_async
from tablewright.stores.store import Store

__all__ = ["AsyncPrefixedStore", "PrefixedStore", "prefixed_request", "unprefixed_reply"]


class PrefixedStore(Store):
    """Wraps a store and adds a prefix to table names."""

    def __init__(self, inner: Store, prefix: str) -> None:
        super().__init__(inner.context, inner.sleep)
        self.inner = inner
        self.prefix = prefix

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return drive(_steps(operation, request, self.prefix), self.inner.call, self.sleep)

    def close(self) -> None:
        self.inner.close()


class AsyncPrefixedStore(AsyncStore):
    """Wraps a store and adds a prefix to table names."""

    def __init__(self, inner: AsyncStore, prefix: str) -> None:
        super().__init__(inner.context, inner.sleep)
        self.inner = inner
        self.prefix = prefix

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        steps = _steps(operation, request, self.prefix)
        return await drive_async(steps, self.inner.call, self.sleep)

    async def close(self) -> None:
        await self.inner.close()


def _steps(operation: str, request: dict[str, Any], prefix: str) -> Steps[dict[str, Any]]:
    if operation == "ListTables":
        return (yield from _list_tables(prefix))
    reply = yield Call(operation, prefixed_request(request, prefix))
    return unprefixed_reply(reply, prefix)


def _list_tables(prefix: str) -> Steps[dict[str, Any]]:
    """List all tables with the prefix, since a page of the account may have none of them."""
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        reply = yield Call("ListTables", request)
        page = reply["TableNames"]
        names += [name.removeprefix(prefix) for name in page if name.startswith(prefix)]
        if "LastEvaluatedTableName" not in reply:
            return {"TableNames": names}
        request = {"ExclusiveStartTableName": reply["LastEvaluatedTableName"]}


def prefixed_request(request: dict[str, Any], prefix: str) -> dict[str, Any]:
    """A copy of the request with the prefix before every table name."""
    changes: dict[str, Any] = {}
    if "TableName" in request:
        changes["TableName"] = _prefixed(request["TableName"], prefix)
    tables = request.get("RequestItems")
    if isinstance(tables, dict):
        changes["RequestItems"] = {_prefixed(name, prefix): of for name, of in tables.items()}
    actions = request.get("TransactItems")
    if isinstance(actions, list):
        changes["TransactItems"] = [_prefixed_action(action, prefix) for action in actions]
    return {**request, **changes}


def _prefixed_action(action: Any, prefix: str) -> Any:
    if not isinstance(action, dict):
        return action  # The endpoint rejects this with the right message.
    return {
        kind: {**of, "TableName": _prefixed(of["TableName"], prefix)}
        if isinstance(of, dict) and "TableName" in of
        else of
        for kind, of in action.items()
    }


def _prefixed(name: Any, prefix: str) -> Any:
    return prefix + name if isinstance(name, str) and not name.startswith("arn:") else name


def unprefixed_reply(reply: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The reply with the prefix removed from every table name."""
    changes: dict[str, Any] = {}
    for field in ("Responses", "UnprocessedItems", "UnprocessedKeys"):
        tables = reply.get(field)
        if isinstance(tables, dict):
            changes[field] = {name.removeprefix(prefix): of for name, of in tables.items()}
    metrics = reply.get("ItemCollectionMetrics")
    if isinstance(metrics, dict) and all(isinstance(of, list) for of in metrics.values()):
        # Metrics of several tables; those of one table have no name.
        changes["ItemCollectionMetrics"] = {
            name.removeprefix(prefix): of for name, of in metrics.items()
        }
    consumed = reply.get("ConsumedCapacity")
    if isinstance(consumed, list):
        changes["ConsumedCapacity"] = _unprefixed_all(consumed, prefix)
    for field in ("ConsumedCapacity", "Table", "TableDescription"):
        if isinstance(reply.get(field), dict):
            [changes[field]] = _unprefixed_all([reply[field]], prefix)
    return {**reply, **changes} if changes else reply


def _unprefixed_all(named: Iterable[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    return [
        {**each, "TableName": each["TableName"].removeprefix(prefix)}
        if "TableName" in each
        else each
        for each in named
    ]

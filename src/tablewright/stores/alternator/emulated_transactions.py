"""Emulated transactions for endpoints without them (ScyllaDB's Alternator).

Conditions are evaluated here (`emulated_actions`), then the changes are stored as an intent
(`intents`), applied with repeatable puts and deletes, and the intent is cleared. Once the intent is
stored, the transaction will be applied: the next process that opens the store after a crash, or the
next write after a failure, applies it again first.

Limits: reads other than TransactGetItems may see a partly applied transaction; no other process may
write to the tables, and only a second user of transactions is detected; tokens are remembered in
memory for ten minutes, and after a restart only for the last transaction; there is no consumed
capacity.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

import orjson

from tablewright import limits
from tablewright.errors import (
    IdempotentParameterMismatch,
    ResourceNotFound,
    SerializationError,
    StoreUnavailable,
    ValidationError,
)
from tablewright.plan.operation import Call, Context, Pause, Steps
from tablewright.stores.alternator.emulated_actions import (
    READS,
    Action,
    Change,
    Place,
    RowKey,
    TableShape,
    changes_of,
    parse_actions,
    places_of,
    require_fit,
)
from tablewright.stores.alternator.intents import Intent, Intents
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.runner import drive, drive_async
from tablewright.stores.store import Store
from tablewright.values.attributes import Item, normalise_item

__all__ = ["AsyncEmulatedTransactions", "EmulatedTransactions"]

log = logging.getLogger(__name__)

_FREE: Final = frozenset(
    (
        "BatchGetItem",
        "DescribeEndpoints",
        "DescribeLimits",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "ListTables",
        "Query",
        "Scan",
    )
)
_TABLE_CHANGES: Final = frozenset(("CreateTable", "DeleteTable", "UpdateTable"))
_LEFTOVER_TRIES: Final = 10
_LEFTOVER_SECONDS: Final = 0.05


class EmulatedTransactions(Store):
    """Wraps a store and adds transactions. Safe to use from any number of threads."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner.context, inner.sleep)
        self.inner = inner
        self._emulation = _Emulation(inner.context)
        self._lock = threading.Lock()

    def recover(self) -> None:
        """Finish an unfinished transaction; also done before the first write."""
        with self._lock:
            drive(self._emulation.recover(), self.inner.call, self.sleep)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in _FREE:
            return self.inner.call(operation, request)
        with self._lock:
            steps = self._emulation.steps(operation, request)
            return drive(steps, self.inner.call, self.sleep)

    def close(self) -> None:
        self.inner.close()


class AsyncEmulatedTransactions(AsyncStore):
    """Wraps a store for one event loop and adds transactions."""

    def __init__(self, inner: AsyncStore) -> None:
        super().__init__(inner.context, inner.sleep)
        self.inner = inner
        self._emulation = _Emulation(inner.context)
        self._lock = asyncio.Lock()
        self._writes: set[asyncio.Task[dict[str, Any]]] = set()

    async def recover(self) -> None:
        """Finish an unfinished transaction; also done before the first write."""
        async with self._lock:
            await drive_async(self._emulation.recover(), self.inner.call, self.sleep)

    async def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in _FREE:
            return await self.inner.call(operation, request)
        # A started write continues when its caller is cancelled. If aborted, it could still reach
        # the endpoint, after later writes.
        task = asyncio.ensure_future(self._write(operation, request))
        self._writes.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    async def _write(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        async with self._lock:
            steps = self._emulation.steps(operation, request)
            return await drive_async(steps, self.inner.call, self.sleep)

    def _forget(self, task: asyncio.Task[dict[str, Any]]) -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # Mark the exception as retrieved if no caller waits.

    async def close(self) -> None:
        if self._writes:
            await asyncio.wait(self._writes)
        await self.inner.close()


class _Emulation:
    """Shared by both stores; its steps run one at a time, under a lock."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._intents = Intents(owner=context.token())
        self._must_recover = True
        self._shapes: dict[str, TableShape] = {}
        self._tokens: dict[str, tuple[str, float]] = {}  # Digest and expiry by token, oldest first.

    def steps(self, operation: str, request: dict[str, Any]) -> Steps[dict[str, Any]]:
        """Run an operation that writes, or must not see a partly applied transaction."""
        if self._must_recover:
            yield from self.recover()
        if operation == "TransactWriteItems":
            return (yield from self._transact_write(request))
        if operation == "TransactGetItems":
            return (yield from self._transact_get(request))
        if operation in _TABLE_CHANGES:
            self._shapes.clear()
        return (yield Call(operation, request))

    def recover(self) -> Steps[None]:
        """Finish the unfinished transaction, if there is one."""
        intent = yield from self._intents.open()
        if intent is not None:
            changes = yield from self._possible(intent.changes)
            self._remember(intent)
            try:
                if changes:
                    yield from self._finish(intent, changes)
            except ValidationError:
                log.exception("an unfinished transaction could not be applied and was undone")
        yield from self._intents.clean()
        self._must_recover = False

    def _transact_write(self, request: dict[str, Any]) -> Steps[dict[str, Any]]:
        actions = parse_actions(request)
        yield from self._describe([action.table for action in actions])
        places = places_of(actions, self._shapes)
        token = request.get("ClientRequestToken")
        digest = _digest(request["TransactItems"])
        if token is not None and token in self._tokens:
            known, expiry = self._tokens[token]
            if self._context.now() < expiry:
                if known != digest:
                    raise IdempotentParameterMismatch
                return {}
        rows = yield from self._read(actions, places)
        intent = Intent(token, digest, changes_of(actions, places, rows))
        if intent.changes:
            self._must_recover = True  # Stays set until everything is applied.
            has_parts = yield from self._intents.store(intent)
            yield from self._finish(intent, intent.changes)
            if has_parts:
                yield from self._intents.clean()
            self._must_recover = False
        self._remember(intent)
        return {}

    def _transact_get(self, request: dict[str, Any]) -> Steps[dict[str, Any]]:
        actions = parse_actions(request, READS)
        yield from self._describe([action.table for action in actions])
        places = places_of(actions, self._shapes)
        require_fit(places)
        rows = yield from self._read(actions, places)
        responses: list[dict[str, Any]] = []
        for action, place in zip(actions, places, strict=True):
            item = None if place.row is None else rows.get(place.row)
            if item is None:
                responses.append({})
            else:
                project = action.projection
                responses.append({"Item": item if project is None else project.apply(item)})
        return {"Responses": responses}

    def _finish(self, intent: Intent, changes: list[Change]) -> Steps[None]:
        """Apply a stored intent and clear it; raises ValidationError after undoing it."""
        try:
            yield from self._apply([(c.table, c.key, c.new) for c in changes])
        except ValidationError:
            # The endpoint has an unknown rule. Restore the previous rows, which satisfied it.
            yield from self._apply([(c.table, c.key, c.old) for c in changes])
            yield from self._intents.clear(Intent(None, intent.digest, []))
            self._must_recover = False
            if intent.token is not None:
                self._tokens.pop(intent.token, None)
            raise
        yield from self._intents.clear(intent)

    def _apply(self, rows: list[tuple[str, Item, Item | None]]) -> Steps[None]:
        for start in range(0, len(rows), limits.BATCH_WRITE_REQUESTS_MAX):
            tables: dict[str, list[dict[str, Any]]] = {}
            for table, key, item in rows[start : start + limits.BATCH_WRITE_REQUESTS_MAX]:
                wish: dict[str, Any] = {"DeleteRequest": {"Key": key}}
                if item is not None:
                    wish = {"PutRequest": {"Item": item}}
                tables.setdefault(table, []).append(wish)
            yield from self._until_nothing_is_left("BatchWriteItem", tables, "UnprocessedItems")

    def _read(self, actions: list[Action], places: list[Place]) -> Steps[dict[RowKey, Item]]:
        """The existing rows of these actions."""
        tables: dict[str, Any] = {}
        for action, place in zip(actions, places, strict=True):
            if place.row is not None:
                keys_and_attributes = tables.setdefault(
                    action.table, {"Keys": [], "ConsistentRead": True}
                )
                keys_and_attributes["Keys"].append(place.key)
        if not tables:
            return {}
        rows: dict[RowKey, Item] = {}
        replies = yield from self._until_nothing_is_left("BatchGetItem", tables, "UnprocessedKeys")
        for reply in replies:
            for table, items in reply["Responses"].items():
                shape = self._shapes[table]
                for item in items:
                    key = normalise_item({name: item[name] for name in shape.key})
                    rows[shape.row_key(table, key)] = item
        return rows

    def _until_nothing_is_left(
        self, operation: str, tables: dict[str, Any], leftover: str
    ) -> Steps[list[dict[str, Any]]]:
        """Send a batch, and repeat it for unprocessed items; returns all replies."""
        replies = []
        for failures in range(_LEFTOVER_TRIES):
            reply = yield Call(operation, {"RequestItems": tables})
            replies.append(reply)
            tables = reply.get(leftover) or {}
            if not tables:
                return replies
            yield Pause(self._context.random() * _LEFTOVER_SECONDS * 2**failures)
        raise StoreUnavailable(f"{operation} left items unprocessed {_LEFTOVER_TRIES} times")

    def _describe(self, tables: Iterable[str]) -> Steps[None]:
        """Read the keys of tables; raises ResourceNotFound with the message of transactions."""
        for table in tables:
            if table not in self._shapes:
                try:
                    reply = yield Call("DescribeTable", {"TableName": table})
                except ResourceNotFound:
                    raise ResourceNotFound("Requested resource not found") from None
                self._shapes[table] = TableShape.from_description(reply["Table"])

    def _possible(self, changes: list[Change]) -> Steps[list[Change]]:
        """The changes whose tables still exist."""
        missing = set()
        for table in {change.table for change in changes}:
            try:
                yield from self._describe([table])
            except ResourceNotFound:
                missing.add(table)
        return [change for change in changes if change.table not in missing]

    def _remember(self, intent: Intent) -> None:
        now = self._context.now()
        while self._tokens:
            oldest = next(iter(self._tokens))
            if self._tokens[oldest][1] > now:
                break
            del self._tokens[oldest]
        if intent.token is not None:
            self._tokens.pop(intent.token, None)
            self._tokens[intent.token] = (intent.digest, now + limits.TOKEN_SECONDS)


def _digest(actions: list[dict[str, Any]]) -> str:
    """The digest of a payload, to detect a reused token."""
    try:
        return sha256(orjson.dumps(actions, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except TypeError as error:
        raise SerializationError(str(error)) from None

"""Fault injection for users' tests: a database with the rare behaviour that DynamoDB allows.

DynamoDB's contract allows everything here: late entries in global indexes, stale eventually
consistent reads, short and empty pages, partly processed batches, transaction conflicts,
throttling, and writes that succeed although the reply is an error. Faults are seeded: the same
requests in the same order meet the same faults.

    with ChaosDatabase.open(chaos=Chaos("evil", seed=7)) as database: ...
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson

from tablewright.engine.command_context import Settings
from tablewright.engine.database import Database
from tablewright.engine.requests.api_operation import Request, Response
from tablewright.engine.sqlite.storage import Durability, Storage
from tablewright.errors import (
    InternalError,
    ServiceError,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
)
from tablewright.values.attributes import Item

__all__ = ["Chaos", "ChaosDatabase", "Profile"]

Profile = Literal["aws", "evil"]


@dataclass(frozen=True, slots=True)
class Rates:
    """The probability of each fault, per request that it can affect."""

    late_entry: float
    stale_read: float
    short_page: float
    empty_page: float
    unprocessed: float
    conflict: float
    throttle: float
    lost_reply: float


PROFILES: Final[dict[str, Rates]] = {
    "aws": Rates(0.2, 0.1, 0.05, 0.02, 0.05, 0.01, 0.01, 0.005),
    "evil": Rates(0.8, 0.5, 0.5, 0.3, 0.5, 0.2, 0.2, 0.15),
}
LAG_REQUESTS: Final = 8  # For so many requests a write may be invisible.
_WRITES: Final = ("PutItem", "UpdateItem", "DeleteItem")
_ITEM_OPERATIONS: Final = frozenset(
    (
        *_WRITES,
        "GetItem",
        "Query",
        "Scan",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactGetItems",
        "TransactWriteItems",
    )
)
# DynamoDB: the message of a throttled request.
_THROTTLED: Final = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)

_ONGOING: Final = "Transaction is ongoing for the item"


class Chaos:
    """A seeded source of faults. Use one per database."""

    def __init__(self, profile: Profile = "aws", *, seed: int = 0) -> None:
        self.profile = profile
        self.seed = seed
        self.rates = PROFILES[profile]
        self._random = random.Random(seed)

    def happens(self, rate: float) -> bool:
        return self._random.random() < rate

    def below(self, bound: int) -> int:
        """A random integer from 0 to bound - 1."""
        return self._random.randrange(bound)


class ChaosDatabase(Database):
    """A database whose calls meet faults; the stored data stays correct."""

    needs_call = True

    def __init__(
        self,
        storage: Storage,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(storage, clock=clock, settings=settings)
        self.chaos = Chaos()
        self._requests = 0
        # Recently written items before the write, with the number of the request.
        self._before: dict[tuple[str, str], tuple[int, Item | None]] = {}

    @classmethod
    def open(
        cls,
        url: str = ":memory:",
        *,
        durability: Durability = "full",
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        read_only: bool = False,
        chaos: Chaos | None = None,
    ) -> ChaosDatabase:
        """As `Database.open`, with faults; by default with the "aws" profile."""
        opened = super().open(
            url, durability=durability, clock=clock, settings=settings, read_only=read_only
        )
        assert isinstance(opened, ChaosDatabase)
        opened.chaos = chaos or Chaos()
        return opened

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation not in _ITEM_OPERATIONS:
            return super().call(operation, request)
        self._requests += 1
        rates, happens = self.chaos.rates, self.chaos.happens
        if happens(rates.throttle):
            raise Throttled(_THROTTLED)
        if operation in _WRITES and happens(rates.conflict):
            raise TransactionConflict(_ONGOING)
        is_transaction = operation == "TransactWriteItems"
        if is_transaction and happens(rates.conflict) and not self._has_committed(request):
            raise self._conflict(request)
        if operation in ("Query", "Scan"):
            return self._page(operation, request)
        if operation in ("BatchGetItem", "BatchWriteItem"):
            return self._batch(operation, request)
        if operation == "GetItem" and not request.get("ConsistentRead"):
            return self._get(request)
        if operation in (*_WRITES, "TransactWriteItems"):
            return self._write(operation, request)
        return super().call(operation, request)

    def call_json(self, operation: str, request: object) -> bytes:
        assert isinstance(request, dict)
        return orjson.dumps(self.call(operation, request))

    # Writing.

    def _write(self, operation: str, request: Request) -> Response:
        keys = list(self._keys(operation, request))
        before = {place: self._stored(*place) for place in keys}
        reply = super().call(operation, request)
        for place, item in before.items():
            self._before[place] = (self._requests, item)
        if self.chaos.happens(self.chaos.rates.lost_reply):
            # The write has succeeded: the client must read it back or repeat it safely.
            raise InternalError("Internal server error")
        return reply

    def _has_committed(self, request: Request) -> bool:
        """Whether a transaction has committed under its token: a retry cannot conflict."""
        token = request.get("ClientRequestToken")
        if not isinstance(token, str):
            return False
        return self._read(lambda tx: tx.session.token_payload(token, tx.now())) is not None

    def _conflict(self, request: Request) -> ServiceError:
        actions = request.get("TransactItems")
        count = len(actions) if isinstance(actions, list) and actions else 1
        reasons: list[dict[str, Any]] = [{"Code": "None"} for _ in range(count)]
        reasons[self.chaos.below(count)] = {"Code": "TransactionConflict", "Message": _ONGOING}
        return TransactionCanceled(reasons)

    # Reading.

    def _get(self, request: Request) -> Response:
        reply = super().call("GetItem", request)
        key = request.get("Key")
        if "ProjectionExpression" in request or not isinstance(key, dict):
            return reply
        previous = self._recent(request.get("TableName"), key)
        if previous is None or not self.chaos.happens(self.chaos.rates.stale_read):
            return reply
        stale = {name: value for name, value in reply.items() if name != "Item"}
        return stale if previous[1] is None else stale | {"Item": previous[1]}

    def _page(self, operation: str, request: Request) -> Response:
        rates = self.chaos.rates
        page_request = dict(request)
        limit = request.get("Limit")
        if self.chaos.happens(rates.short_page):
            most = limit if isinstance(limit, int) and limit > 0 else 10
            page_request["Limit"] = 1 + self.chaos.below(most)
        if self.chaos.happens(rates.empty_page) and isinstance(
            request.get("ExclusiveStartKey"), dict
        ):
            # Validate the request as usual; then reply with an empty page that starts again here.
            super().call(operation, page_request)
            empty: Response = {"Count": 0, "ScannedCount": 0}
            empty["LastEvaluatedKey"] = request["ExclusiveStartKey"]
            return empty if request.get("Select") == "COUNT" else empty | {"Items": []}
        reply = super().call(operation, page_request)
        if self._is_global(request) and "Items" in reply:
            return self._late(request, reply)
        return reply

    def _late(self, request: Request, reply: Response) -> Response:
        """A page of a global index without recent writes that have not propagated."""
        names = self._key_names(request["TableName"])
        items = []
        for item in reply["Items"]:
            is_whole = all(name in item for name in names)
            previous = None
            if is_whole:
                previous = self._recent(request["TableName"], {name: item[name] for name in names})
            if previous is None or not self.chaos.happens(self.chaos.rates.late_entry):
                items.append(item)
        return reply | {"Items": items, "Count": len(items)}

    # Batches.

    def _batch(self, operation: str, request: Request) -> Response:
        request_items = request.get("RequestItems")
        if not isinstance(request_items, dict) or not self.chaos.happens(
            self.chaos.rates.unprocessed
        ):
            return super().call(operation, request)
        now, later = self._split(request_items)
        if not now:
            return super().call(operation, request)
        # The deferred part is validated when the client sends it again.
        reply = super().call(operation, {**request, "RequestItems": now})
        name = "UnprocessedKeys" if operation == "BatchGetItem" else "UnprocessedItems"
        unprocessed = dict(reply.get(name) or {})
        for table, more in later.items():
            if isinstance(more, list):
                unprocessed[table] = [*unprocessed.get(table, []), *more]
            else:
                first = unprocessed.get(table, {"Keys": []})
                unprocessed[table] = {**more, "Keys": [*first["Keys"], *more["Keys"]]}
        return reply | {name: unprocessed}

    def _split(self, request_items: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The requests to process now, and the rest; both empty if the batch is malformed."""
        now: dict[str, Any] = {}
        later: dict[str, Any] = {}
        for table, entries in request_items.items():
            members = entries if isinstance(entries, list) else (entries or {}).get("Keys")
            if not isinstance(members, list) or not members:
                return {}, {}
            cut = 1 + self.chaos.below(len(members))
            for into, part in ((now, members[:cut]), (later, members[cut:])):
                if part:
                    into[table] = part if isinstance(entries, list) else {**entries, "Keys": part}
        return now, later

    # Recent writes.

    def _keys(self, operation: str, request: Request) -> Iterator[tuple[str, str]]:
        """The tables and keys of the items of a write."""
        if operation == "TransactWriteItems":
            for action in request.get("TransactItems") or ():
                for kind in ("Put", "Update", "Delete"):
                    if isinstance(action, dict) and isinstance(action.get(kind), dict):
                        yield from self._keys(f"{kind}Item", action[kind])
            return
        name, item = request.get("TableName"), request.get("Item") or request.get("Key")
        table = self._find(name)
        if table is not None and isinstance(item, dict):
            names = self._key_names(table)
            if all(part in item for part in names):
                yield table, _text({part: item[part] for part in names})

    def _stored(self, table: str, key: str) -> Item | None:
        try:
            reply = super().call("GetItem", {"TableName": table, "Key": orjson.loads(key)})
        except ServiceError:
            return None  # The write itself reports the error.
        item: Item | None = reply.get("Item")
        return item

    def _recent(self, name: Any, key: Item) -> tuple[int, Item | None] | None:
        """The number of the request that recently wrote an item, and the item before; or None."""
        table = self._find(name)
        if table is None:
            return None
        previous = self._before.get((table, _text(key)))
        if previous is None or self._requests - previous[0] > LAG_REQUESTS:
            self._before.pop((table, _text(key)), None)
            return None
        return previous

    def _find(self, name: Any) -> str | None:
        table = self.state.catalog.find(name) if isinstance(name, str) else None
        return None if table is None else table.name

    def _key_names(self, name: str) -> tuple[str, ...]:
        return self.state.catalog.get(name).key.names

    def _is_global(self, request: Request) -> bool:
        table = self.state.catalog.find(request["TableName"])
        index = None if table is None else table.indexes_by_name.get(request.get("IndexName") or "")
        return index is not None and index.is_global


def _text(key: Item) -> str:
    """A key as text, with its attributes sorted."""
    return orjson.dumps(key, option=orjson.OPT_SORT_KEYS).decode()

"""Unbounded nesting is rejected, even on a thread with a small stack.

Compiled modules have no recursion limit except the end of the stack.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError

DEPTH = 100_000
STACK_BYTES = 512 * 1024  # What macOS gives to threads.
KEY = {"pk": {"S": "a"}}


def nested(kind: str) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(DEPTH):
        value = {"L": [value]} if kind == "L" else {"M": {"a": value}}
    return value


def update(expression: str, value: dict[str, Any]) -> dict[str, Any]:
    values = {"ExpressionAttributeValues": {":v": value}}
    return {"TableName": "things", "Key": KEY, "UpdateExpression": expression, **values}


def put(**fields: Any) -> dict[str, Any]:
    return {"TableName": "things", "Item": KEY, **fields}


REQUESTS = {
    "item of lists": ("PutItem", lambda: put(Item={**KEY, "d": nested("L")})),
    "item of maps": ("PutItem", lambda: put(Item={**KEY, "d": nested("M")})),
    "key": ("GetItem", lambda: {"TableName": "things", "Key": {"pk": nested("L")}}),
    "value": ("UpdateItem", lambda: update("SET d = :v", nested("M"))),
    "batch": (
        "BatchWriteItem",
        lambda: {"RequestItems": {"things": [{"PutRequest": {"Item": {**KEY, "d": nested("M")}}}]}},
    ),
    "transaction": (
        "TransactWriteItems",
        lambda: {"TransactItems": [{"Put": put(Item={**KEY, "d": nested("L")})}]},
    ),
    "not": ("PutItem", lambda: put(ConditionExpression="NOT " * DEPTH + "a = b")),
    "brackets": (
        "PutItem",
        lambda: put(ConditionExpression="(" * DEPTH + "a = b" + ")" * DEPTH),
    ),
    "path": ("UpdateItem", lambda: update("SET a" + "[0]" * DEPTH + " = :v", {"S": "x"})),
    "functions": (
        "UpdateItem",
        lambda: update("SET a = " + "if_not_exists(a, " * DEPTH + ":v" + ")" * DEPTH, {"S": "x"}),
    ),
}


@pytest.fixture
def small_thread() -> Iterator[ThreadPoolExecutor]:
    before = threading.stack_size(STACK_BYTES)
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int).result()
            yield pool
    finally:
        threading.stack_size(before)


@pytest.mark.parametrize("name", REQUESTS)
def test_bottomless_requests_are_refused(
    database: Database, small_thread: ThreadPoolExecutor, name: str
) -> None:
    database.call(
        "CreateTable",
        {
            "TableName": "things",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    operation, request = REQUESTS[name]
    with pytest.raises(ServiceError):
        small_thread.submit(database.call, operation, request()).result()
    assert database.call("Scan", {"TableName": "things"})["Count"] == 0

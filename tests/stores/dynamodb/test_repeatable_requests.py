"""What may be sent twice, judged by doing it twice."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.stores.dynamodb.repeatable_requests import is_repeatable
from tablewright.stores.embedded.embedded_store import EmbeddedStore
from tests.stores.operations import Things, key, number, thing

UPDATES = [
    ("SET a = :v", True),
    ("SET m.x = :v REMOVE gone", True),
    ("SET a = if_not_exists(b, :v)", True),
    ("DELETE s :s", True),
    ("SET #a = :v", True),
    ("ADD n :v", False),
    ("SET n = n + :v", False),
    ("SET n = if_not_exists(n, :v) + :v", False),
    ("SET l = list_append(l, :l)", False),
    ("REMOVE l[0]", False),
    ("SET l[9] = :v", False),
    ("SET a = n, n = :v", False),
    ("SET a = if_not_exists(a, n), n = :v", True),
    ("not an update", False),
]


def update_request(expression: str) -> dict[str, Any]:
    values = {":v": number(5), ":s": {"SS": ["a"]}, ":l": {"L": [number(1)]}}
    request: dict[str, Any] = {
        "TableName": "things",
        "Key": key("p"),
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {k: v for k, v in values.items() if k in expression},
        "ReturnValues": "ALL_NEW",
    }
    if "#a" in expression:
        request["ExpressionAttributeNames"] = {"#a": "a"}
    return {name: value for name, value in request.items() if value}


@pytest.mark.parametrize(("expression", "expected"), UPDATES)
def test_updates_that_add_to_what_is_there_are_not_repeated(
    expression: str, expected: bool
) -> None:
    assert is_repeatable("UpdateItem", update_request(expression)) is expected


@pytest.mark.parametrize(
    "expression", [expression for expression, _ in UPDATES if expression != "not an update"]
)
def test_what_counts_as_repeatable_is(database: Database, expression: str) -> None:
    store = EmbeddedStore(database)
    store.ensure_tables([Things()])
    item = thing(
        "p",
        n=number(1),
        l={"L": [number(1), number(2), number(3)]},
        m={"M": {}},
        s={"SS": ["a", "b"]},
        gone=number(1),
    )
    store.call("PutItem", {"TableName": "things", "Item": item})
    request = update_request(expression)
    once = store.call("UpdateItem", request)["Attributes"]
    twice = store.call("UpdateItem", request)["Attributes"]
    assert (once == twice) is is_repeatable("UpdateItem", request)


def test_other_operations() -> None:
    assert is_repeatable("GetItem", {})
    assert is_repeatable("PutItem", {})
    assert is_repeatable("DeleteItem", {})
    assert is_repeatable("UpdateItem", {})
    assert is_repeatable("TransactWriteItems", {"ClientRequestToken": "t"})
    assert not is_repeatable("TransactWriteItems", {})

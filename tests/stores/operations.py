"""Small operations and tables for the tests of stores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tablewright.plan.operation import Call, Context, Op, Steps

Item = dict[str, Any]


class Things:
    """A table with an index; a stand-in for a design's."""

    def __init__(self, name: str = "things", ttl: str | None = None, **changes: Any) -> None:
        self.name = name
        self.ttl = ttl
        self.changes = changes

    def create_request(self) -> dict[str, Any]:
        return {
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": key_schema("pk", "sk"),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": kind}
                for name, kind in (("pk", "S"), ("sk", "S"), ("g", "S"))
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "byG",
                    "KeySchema": key_schema("g", "sk"),
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            **self.changes,
        }


def key_schema(*names: str) -> list[dict[str, str]]:
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=False)
    ]


def text(value: str) -> Item:
    return {"S": value}


def number(value: int) -> Item:
    return {"N": str(value)}


def key(pk: str, sk: str = "a") -> Item:
    return {"pk": text(pk), "sk": text(sk)}


def thing(pk: str, sk: str = "a", **more: Item) -> Item:
    return {**key(pk, sk), **more}


@dataclass(frozen=True)
class Ask(Op[dict[str, Any]]):
    """One call, and its reply."""

    operation: str
    asked: dict[str, Any]

    def steps(self, context: Context) -> Steps[dict[str, Any]]:
        return (yield Call(self.operation, self.asked))


def put(item: Item, table: str = "things", **more: Any) -> Ask:
    return Ask("PutItem", {"TableName": table, "Item": item, **more})


def get(found: Item, table: str = "things") -> Ask:
    return Ask("GetItem", {"TableName": table, "Key": found, "ConsistentRead": True})


@dataclass(frozen=True)
class Page:
    items: list[Item]
    last_key: Item | None


@dataclass(frozen=True)
class Partition(Op[Page]):
    """A page of the things with one partition key."""

    pk: str
    start: Item | None = None
    limit: int = 2

    def after(self, last_key: Item) -> Partition:
        return replace(self, start=last_key)

    def steps(self, context: Context) -> Steps[Page]:
        request: dict[str, Any] = {
            "TableName": "things",
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": text(self.pk)},
            "Limit": self.limit,
            "ConsistentRead": True,
        }
        if self.start is not None:
            request["ExclusiveStartKey"] = self.start
        reply = yield Call("Query", request)
        return Page(reply["Items"], reply.get("LastEvaluatedKey"))

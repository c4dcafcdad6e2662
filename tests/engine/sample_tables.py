"""Tables for the engine's tests."""

from __future__ import annotations

from typing import Any

from tablewright.engine.database import Database

KINDS = {"pk": "S", "sk": "S", "g": "S", "h": "N", "l": "N"}


def key_schema(*names: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": name, "KeyType": kind}
        for name, kind in zip(names, ("HASH", "RANGE"), strict=False)
    ]


def make_table(database: Database, name: str = "things", **changes: Any) -> None:
    """A table with pk and sk, a global index on g and h, a local one on l."""
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema("pk", "sk"),
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in KINDS.items()
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_g",
                "KeySchema": key_schema("g", "h"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by_l",
                "KeySchema": key_schema("pk", "l"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        **changes,
    }
    database.call("CreateTable", {name: value for name, value in request.items() if value})


def make_plain_table(database: Database, name: str = "plain") -> None:
    """A table with only a partition key, p."""
    database.call(
        "CreateTable",
        {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": key_schema("p"),
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        },
    )


def text(value: str) -> dict[str, str]:
    return {"S": value}


def number(value: int | str) -> dict[str, str]:
    return {"N": str(value)}

"""Helpers that query a partition and read the result."""

from __future__ import annotations

from typing import Any

from .calls import text

PARTITION = "pk = :pk"


def query(boto: Any, table: str, pk: str, condition: str = "", **more: Any) -> Any:
    """Query a partition; the condition is on the rest of the key."""
    values = {":pk": text(pk)} | more.pop("values", {})
    expression = f"{PARTITION} AND {condition}" if condition else PARTITION
    return boto.query(
        TableName=table,
        KeyConditionExpression=expression,
        ExpressionAttributeValues=values,
        **more,
    )


def sort_keys(answer: Any, name: str = "sk") -> list[Any]:
    return [next(iter(item[name].values())) for item in answer["Items"]]

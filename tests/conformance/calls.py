"""Helpers for calls and for the errors they return."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

TYPES = {"pk": "S", "sk": "S", "n": "N", "b": "B", "g": "S", "h": "N", "l": "N"}


@contextmanager
def refused(code: str, *words: str) -> Iterator[None]:
    """``with refused("ValidationException", "…", "…")``: the call fails so."""
    with pytest.raises(ClientError) as caught:
        yield
    error = caught.value.response["Error"]
    assert error["Code"] == code, error
    for expected in words:
        assert expected in error.get("Message", ""), error


def fill(boto: Any, table: str, items: list[dict[str, Any]]) -> None:
    """Write items, 25 at a time."""
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        boto.batch_write_item(RequestItems={table: requests})


def key_schema(*names: str) -> list[dict[str, str]]:
    """A key schema: the first name is the partition key, the second the sort key."""
    kinds = ("HASH", "RANGE")
    return [
        {"AttributeName": name, "KeyType": kind} for name, kind in zip(names, kinds, strict=False)
    ]


def definitions(*names: str) -> list[dict[str, str]]:
    """Attribute definitions, with the types in `TYPES`."""
    return [{"AttributeName": name, "AttributeType": TYPES[name]} for name in names]


def index(name: str, key: list[str], projection: str, *attributes: str) -> dict[str, Any]:
    """A secondary index for CreateTable; the attributes are those of INCLUDE."""
    described: dict[str, Any] = {"ProjectionType": projection}
    if attributes:
        described["NonKeyAttributes"] = list(attributes)
    return {"IndexName": name, "KeySchema": key_schema(*key), "Projection": described}


def key_names(settings: dict[str, Any]) -> list[str]:
    """The attributes in the keys of a CreateTable's table and indexes."""
    schemas = [settings["KeySchema"]]
    for indexes in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        schemas += [each["KeySchema"] for each in settings.get(indexes, ())]
    return list(dict.fromkeys(part["AttributeName"] for schema in schemas for part in schema))


def text(value: str) -> dict[str, str]:
    return {"S": value}


def number(value: int | str) -> dict[str, str]:
    return {"N": str(value)}


def error_code(answer: tuple[int, dict[str, Any]]) -> str:
    """The code of an error from `post`."""
    status, body = answer
    assert status == 400, body
    return str(body["__type"].partition("#")[2])


def without_metadata(answer: dict[str, Any]) -> dict[str, Any]:
    """A boto3 response without ResponseMetadata."""
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def error_message(answer: tuple[int, dict[str, Any]]) -> str:
    """The message of an error from `post`, in either spelling."""
    body = answer[1]
    return str(body.get("message", body.get("Message", "")))

"""The scenario of test_clients.py with aioboto3: PROGRAM URL.

Prints its observations as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import aioboto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError


def key(sk: str) -> dict[str, str]:
    return {"pk": "a", "sk": sk}


async def tell(url: str) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    async with aioboto3.Session().resource("dynamodb", endpoint_url=url) as resource:
        table = await resource.create_table(
            TableName="Story",
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        await table.wait_until_exists()
        async with table.batch_writer() as batch:
            for n in range(12):
                item = key(f"{n:03}") | {"n": n, "text": "x" * 5000, "bytes": b"\x00\xff"}
                await batch.put_item(Item=item)
        item = (await table.get_item(Key=key("003")))["Item"]
        seen["got"] = [int(item["n"]), len(item["text"]), list(item["bytes"].value)]
        seen["pages"] = await pages(table)
        seen["updated"] = int((await update(table))["Attributes"]["n"])
        seen["refused"] = code(await refusal(update(table)))
        client = resource.meta.client
        await client.transact_write_items(TransactItems=[put("100"), put("101")])
        again = put("101", ConditionExpression="attribute_not_exists(pk)")
        cancelled = await refusal(client.transact_write_items(TransactItems=[put("102"), again]))
        seen["reasons"] = [reason["Code"] for reason in cancelled.response["CancellationReasons"]]
        await table.delete_item(Key=key("100"))
        seen["left"] = (await table.get_item(Key=key("100"))).get("Item")
        await table.delete()
        seen["tables"] = (await client.list_tables())["TableNames"]
    return seen


async def pages(table: Any) -> list[int]:
    counts: list[int] = []
    start: dict[str, Any] = {}
    while True:
        page = await table.query(KeyConditionExpression=Key("pk").eq("a"), Limit=5, **start)
        counts.append(page["Count"])
        if "LastEvaluatedKey" not in page:
            return counts
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def update(table: Any) -> Any:
    return table.update_item(
        Key=key("003"),
        UpdateExpression="ADD n :one",
        ConditionExpression=Attr("n").eq(3),
        ExpressionAttributeValues={":one": 1},
        ReturnValues="UPDATED_NEW",
    )


def put(sk: str, **more: str) -> dict[str, Any]:
    return {"Put": {"TableName": "Story", "Item": key(sk), **more}}


async def refusal(call: Any) -> ClientError:
    try:
        await call
    except ClientError as error:
        return error
    raise AssertionError("it was not refused")


def code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


if __name__ == "__main__":
    print(json.dumps(asyncio.run(tell(sys.argv[1]))))  # noqa: T201  # For the test that runs it.

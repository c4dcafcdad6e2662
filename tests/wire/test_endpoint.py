"""The endpoint with boto3 over HTTP on a real database."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.wire.lifecycle import ThreadedServer


@pytest.fixture
def table(boto: Any) -> Any:
    name = f"t-{uuid.uuid4().hex}"
    boto.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    yield name
    boto.delete_table(TableName=name)


def test_boto3_reads_what_it_wrote(boto: Any, table: str) -> None:
    item = {
        "pk": {"S": "ä"},
        "b": {"B": b"\x00\xff"},
        "n": {"N": "1.50"},
        "l": {"L": [{"NULL": True}]},
    }
    boto.put_item(TableName=table, Item=item)
    reply = boto.get_item(TableName=table, Key={"pk": {"S": "ä"}}, ConsistentRead=True)
    assert reply["Item"] == item | {"n": {"N": "1.5"}}
    assert reply["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert reply["ResponseMetadata"]["RequestId"]


def test_boto3_raises_its_own_errors(boto: Any, table: str) -> None:
    boto.put_item(TableName=table, Item={"pk": {"S": "a"}})
    with pytest.raises(boto.exceptions.ConditionalCheckFailedException) as caught:
        boto.put_item(
            TableName=table,
            Item={"pk": {"S": "a"}},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"] == {"pk": {"S": "a"}}
    with pytest.raises(boto.exceptions.ResourceNotFoundException):
        boto.get_item(TableName="absent", Key={"pk": {"S": "a"}})


def test_writes_of_many_connections_are_all_kept(boto: Any, table: str) -> None:
    def add(_: int) -> None:
        boto.update_item(
            TableName=table,
            Key={"pk": {"S": "counter"}},
            UpdateExpression="ADD n :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(200)))
    assert boto.get_item(TableName=table, Key={"pk": {"S": "counter"}})["Item"]["n"] == {"N": "200"}


def test_what_was_acknowledged_is_in_the_file(tmp_path: Path, boto_of: Any) -> None:
    url = f"sqlite:///{tmp_path}/app.db"
    with Database.open(url) as database, ThreadedServer(database) as server:
        client = boto_of(server.url)
        client.create_table(
            TableName="Journal",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )

        def put(number: int) -> None:
            client.put_item(TableName="Journal", Item={"pk": {"S": str(number)}})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(put, range(100)))
    with Database.open(url) as reopened:
        assert reopened.call("Scan", {"TableName": "Journal"})["Count"] == 100
        assert reopened.check() == []


def test_dynamodb_local_can_be_asked_the_same(dynamodb_local: str, boto_of: Any) -> None:
    client = boto_of(dynamodb_local)
    assert "TableNames" in client.list_tables()

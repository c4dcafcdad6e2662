"""DescribeTable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound, ValidationError


def create(database: Database) -> dict[str, Any]:
    described: dict[str, Any] = database.call(
        "CreateTable",
        {
            "TableName": "Music",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "index",
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            ],
        },
    )["TableDescription"]
    return described


def test_a_created_table_is_active(database: Database) -> None:
    created = create(database)
    described = database.call("DescribeTable", {"TableName": "Music"})["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    assert described["WarmThroughput"]["Status"] == "ACTIVE"
    assert described["TableId"] == created["TableId"]
    assert described["BillingModeSummary"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": described["CreationDateTime"],
    }


def test_a_table_may_be_described_by_its_arn(database: Database) -> None:
    arn = create(database)["TableArn"]
    assert database.call("DescribeTable", {"TableName": arn})["Table"]["TableArn"] == arn


def test_items_are_counted_in_the_table_and_its_indexes(database: Database) -> None:
    create(database)
    item = {"pk": {"S": "a"}, "title": {"S": "x" * 100}}
    database.call("PutItem", {"TableName": "Music", "Item": item})
    described = database.call("DescribeTable", {"TableName": "Music"})["Table"]
    assert (described["ItemCount"], described["TableSizeBytes"]) == (1, 108)
    [index] = described["GlobalSecondaryIndexes"]
    assert (index["ItemCount"], index["IndexSizeBytes"]) == (1, 3)


def test_a_table_that_is_not_there_is_named(database: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: Nothing not found"):
        database.call("DescribeTable", {"TableName": "Nothing"})


def test_the_name_is_required(database: Database) -> None:
    with pytest.raises(ValidationError, match="The parameter 'TableName' is required"):
        database.call("DescribeTable", {})


def test_a_description_is_the_same_after_reopening_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "music.db")
    with Database.open(path) as database:
        create(database)
        changes: dict[str, Any] = {
            "TableClass": "STANDARD_INFREQUENT_ACCESS",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            "SSESpecification": {"Enabled": True},
        }
        for name, value in changes.items():
            database.call("UpdateTable", {"TableName": "Music", name: value})
        before = database.call("DescribeTable", {"TableName": "Music"})
    with Database.open(path) as database:
        assert database.call("DescribeTable", {"TableName": "Music"}) == before

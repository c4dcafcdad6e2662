"""DescribeTable over HTTP."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .calls import error_code, index, key_schema, refused, without_metadata

# Serialization


# API_DescribeTable, TableName: a string.
@pytest.mark.parametrize("name", [5, ["x"], {"S": "x"}, False])
def test_a_name_that_is_not_a_string_is_refused(post: Any, name: Any) -> None:
    assert error_code(post("DescribeTable", {"TableName": name})) == "SerializationException"


# Validation


# Constraints, "Table names".
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.describe_table(TableName=name)


# API_DescribeTable: TableName is required; null is as good as absent.
@pytest.mark.parametrize("body", [{}, {"TableName": None}], ids=["absent", "null"])
def test_the_name_is_required(post: Any, body: dict[str, Any]) -> None:
    assert error_code(post("DescribeTable", body)) == "ValidationException"


# API_DescribeTable, Errors: ResourceNotFoundException; the message names the table.
def test_a_table_that_is_not_there_is_not_found(boto: Any, pk: str) -> None:
    with refused("ResourceNotFoundException", "Requested resource not found", pk):
        boto.describe_table(TableName=pk)


# Behaviour


# API_TableDescription: every member that a plain on-demand table has.
def test_a_table_is_described(boto: Any, plain: str) -> None:
    answer = without_metadata(boto.describe_table(TableName=plain))
    table = answer.pop("Table")
    assert answer == {}
    assert table["TableName"] == plain
    assert table["TableStatus"] == "ACTIVE"
    assert table["KeySchema"] == key_schema("pk")
    assert table["AttributeDefinitions"] == [{"AttributeName": "pk", "AttributeType": "S"}]
    summary = table["BillingModeSummary"]
    assert summary["BillingMode"] == "PAY_PER_REQUEST"
    assert summary["LastUpdateToPayPerRequestDateTime"] >= table["CreationDateTime"]
    assert re.fullmatch(rf"arn:aws:dynamodb:[\w-]+:\d{{12}}:table/{plain}", table["TableArn"])
    assert "GlobalSecondaryIndexes" not in table
    assert "LocalSecondaryIndexes" not in table
    assert "StreamSpecification" not in table
    assert "SSEDescription" not in table


# API_TableDescription, WarmThroughput: on-demand tables start at 12,000 reads and 4,000 writes a
# second ("Understanding DynamoDB warm throughput").
def test_warm_throughput_is_described(boto: Any, plain: str) -> None:
    assert boto.describe_table(TableName=plain)["Table"]["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12_000,
        "WriteUnitsPerSecond": 4_000,
        "Status": "ACTIVE",
    }


# API_TableDescription, TableSizeBytes and ItemCount; AWS brings them up to date every six hours
# or so, which a test cannot wait for: DynamoDB Local answers so at once. Sizes are by
# "DynamoDB Item sizes and formats": names and values, 2 + 1 and 1 + 2 bytes here.
def test_items_and_bytes_are_counted(boto: Any, new_table: Any) -> None:
    name = new_table("pk", GlobalSecondaryIndexes=[index("by_g", ["g"], "KEYS_ONLY")])
    boto.put_item(TableName=name, Item={"pk": {"S": "a"}, "c": {"S": "xy"}})
    boto.put_item(TableName=name, Item={"pk": {"S": "b"}, "g": {"S": "z"}})
    table = boto.describe_table(TableName=name)["Table"]
    assert table["ItemCount"] == 2
    assert table["TableSizeBytes"] == 6 + 5
    assert table["GlobalSecondaryIndexes"][0]["ItemCount"] == 1
    boto.delete_item(TableName=name, Key={"pk": {"S": "a"}})
    table = boto.describe_table(TableName=name)["Table"]
    assert table["ItemCount"] == 1
    assert table["TableSizeBytes"] == 5


# API_GlobalSecondaryIndexDescription: ACTIVE once the table is.
def test_indexes_of_an_active_table_are_active(boto: Any, indexed: str) -> None:
    table = boto.describe_table(TableName=indexed)["Table"]
    by_name = {each["IndexName"]: each for each in table["GlobalSecondaryIndexes"]}
    assert sorted(by_name) == ["by_g", "by_g_keys", "by_g_some"]
    assert {each["IndexStatus"] for each in by_name.values()} == {"ACTIVE"}
    assert all("Backfilling" not in each for each in by_name.values())
    assert by_name["by_g_some"]["Projection"]["NonKeyAttributes"] == ["a"]
    names = {each["IndexName"] for each in table["LocalSecondaryIndexes"]}
    assert names == {"by_l", "by_l_keys", "by_l_some"}


# API_DescribeTable, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, plain: str) -> None:
    table = boto.describe_table(TableName=plain)["Table"]
    assert boto.describe_table(TableName=table["TableArn"])["Table"] == table


# A table is told from another of the same name by its id, which stays.
def test_the_description_stays_the_same(boto: Any, plain: str) -> None:
    first = boto.describe_table(TableName=plain)["Table"]
    again = boto.describe_table(TableName=plain)["Table"]
    assert (again["TableId"], again["CreationDateTime"]) == (
        first["TableId"],
        first["CreationDateTime"],
    )

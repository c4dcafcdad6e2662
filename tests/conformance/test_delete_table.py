"""DeleteTable over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import definitions, error_code, key_schema, refused

# Serialization


# API_DeleteTable, TableName: a string.
@pytest.mark.parametrize("name", [5, ["x"], {"S": "x"}, True])
def test_a_name_that_is_not_a_string_is_refused(post: Any, name: Any) -> None:
    assert error_code(post("DeleteTable", {"TableName": name})) == "SerializationException"


# Validation


# Constraints, "Table names".
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.delete_table(TableName=name)


# API_DeleteTable: TableName is required.
def test_the_name_is_required(boto: Any) -> None:
    with refused("ValidationException", "TableName"):
        boto.delete_table()


# API_DeleteTable, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any, pk: str) -> None:
    with refused("ResourceNotFoundException", pk):
        boto.delete_table(TableName=pk)


# "Deletion protection": "Resource cannot be deleted as it is currently protected against
# deletion."
def test_a_protected_table_is_not_deleted(boto: Any, new_table: Any) -> None:
    name = new_table("pk", DeletionProtectionEnabled=True)
    with refused("ValidationException", "protected against deletion"):
        boto.delete_table(TableName=name)
    assert boto.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"
    boto.update_table(TableName=name, DeletionProtectionEnabled=False)
    boto.delete_table(TableName=name)


# Behaviour


# API_DeleteTable: "the table is in the DELETING state until DynamoDB completes the deletion".
def test_the_reply_says_that_the_table_is_being_deleted(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    table = boto.delete_table(TableName=name)["TableDescription"]
    assert table["TableStatus"] == "DELETING"


# API_DeleteTable, "Example" response: which table it was.
def test_the_reply_names_the_table(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    described = boto.describe_table(TableName=name)["Table"]
    table = boto.delete_table(TableName=name)["TableDescription"]
    for member in ("TableName", "TableArn", "TableId", "ItemCount", "TableSizeBytes"):
        assert table[member] == described[member]
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


# A deleted table is gone with its items; the name can be used again, also with another key.
def test_a_table_made_again_is_empty(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.put_item(TableName=name, Item={"pk": {"S": "a"}})
    boto.delete_table(TableName=name)
    boto.get_waiter("table_not_exists").wait(TableName=name)
    with refused("ResourceNotFoundException"):
        boto.get_item(TableName=name, Key={"pk": {"S": "a"}})
    boto.create_table(
        TableName=name,
        KeySchema=key_schema("pk", "n"),
        AttributeDefinitions=definitions("pk", "n"),
        BillingMode="PAY_PER_REQUEST",
    )
    boto.get_waiter("table_exists").wait(TableName=name)
    assert boto.scan(TableName=name)["Count"] == 0
    boto.delete_table(TableName=name)


# API_DeleteTable, TableName: "You can also provide the Amazon Resource Name (ARN)".
def test_the_table_may_be_named_by_its_arn(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    arn = boto.describe_table(TableName=name)["Table"]["TableArn"]
    assert boto.delete_table(TableName=arn)["TableDescription"]["TableName"] == name

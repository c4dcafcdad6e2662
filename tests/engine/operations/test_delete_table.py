"""DeleteTable."""

from __future__ import annotations

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound, ValidationError


def create(database: Database, protected: bool = False) -> None:
    database.call(
        "CreateTable",
        {
            "TableName": "Music",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": protected,
        },
    )


def test_the_reply_says_that_the_table_is_being_deleted(database: Database) -> None:
    create(database)
    described = database.call("DeleteTable", {"TableName": "Music"})["TableDescription"]
    assert described["TableStatus"] == "DELETING"
    assert described["TableName"] == "Music"
    assert "KeySchema" not in described
    assert database.call("ListTables", {}) == {"TableNames": []}


def test_a_table_of_the_same_name_starts_empty(database: Database) -> None:
    create(database)
    database.call("PutItem", {"TableName": "Music", "Item": {"pk": {"S": "a"}}})
    database.call("DeleteTable", {"TableName": "Music"})
    create(database)
    assert database.call("DescribeTable", {"TableName": "Music"})["Table"]["ItemCount"] == 0


def test_a_protected_table_is_not_deleted(database: Database) -> None:
    create(database, protected=True)
    with pytest.raises(ValidationError, match="currently protected against deletion"):
        database.call("DeleteTable", {"TableName": "Music"})
    unprotect = {"TableName": "Music", "DeletionProtectionEnabled": False}
    database.call("UpdateTable", unprotect)
    database.call("DeleteTable", {"TableName": "Music"})
    assert database.call("ListTables", {}) == {"TableNames": []}


def test_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: Music not found"):
        database.call("DeleteTable", {"TableName": "Music"})

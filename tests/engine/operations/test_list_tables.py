"""ListTables."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ValidationError

NAMES = ["Music", "albums", "beta", "zeta"]  # In the order of their bytes: capitals first.


@pytest.fixture
def filled(database: Database) -> Database:
    for name in reversed(NAMES):
        database.call(
            "CreateTable",
            {
                "TableName": name,
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
    return database


def test_names_are_sorted_and_the_last_page_has_no_key(filled: Database) -> None:
    assert filled.call("ListTables", {}) == {"TableNames": NAMES}
    assert filled.call("ListTables", {"Limit": 4}) == {"TableNames": NAMES}


def test_pages_follow_each_other(filled: Database) -> None:
    first = filled.call("ListTables", {"Limit": 3})
    assert first == {"TableNames": NAMES[:3], "LastEvaluatedTableName": "beta"}
    second = filled.call("ListTables", {"Limit": 3, "ExclusiveStartTableName": "beta"})
    assert second == {"TableNames": ["zeta"]}


def test_a_page_may_start_after_a_table_that_does_not_exist(filled: Database) -> None:
    reply = filled.call("ListTables", {"ExclusiveStartTableName": "azure"})
    assert reply == {"TableNames": ["beta", "zeta"]}


def test_a_page_after_the_last_table_is_empty(filled: Database) -> None:
    assert filled.call("ListTables", {"ExclusiveStartTableName": "zzz"}) == {"TableNames": []}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"Limit": 0}, "greater than or equal to 1"),
        ({"Limit": 101}, "less than or equal to 100"),
        ({"ExclusiveStartTableName": "ab"}, "length greater than or equal to 3"),
        ({"ExclusiveStartTableName": "a b c"}, "regular expression pattern"),
    ],
)
def test_bad_requests_are_refused(database: Database, request_: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        database.call("ListTables", request_)

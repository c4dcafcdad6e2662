"""ListTables over HTTP.

A shared endpoint has other tables: these tests look only at their own.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from .calls import error_code, refused


@pytest.fixture(scope="session")
def three(new_table: Callable[..., str]) -> list[str]:
    """The names of three tables, in order; only they begin as they do."""
    stem = f"conformance-list-{uuid.uuid4().hex}"
    return [new_table("pk", TableName=f"{stem}-{end}") for end in ("a", "b", "c")]


# Serialization


# API_ListTables, "Request Parameters", has the types.
@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("ExclusiveStartTableName", 5),
        ("ExclusiveStartTableName", ["x"]),
        ("Limit", "x"),
        ("Limit", []),
    ],
)
def test_a_member_of_the_wrong_json_type_is_refused(post: Any, member: str, value: Any) -> None:
    assert error_code(post("ListTables", {member: value})) == "SerializationException"


# Validation


# API_ListTables, Limit: "Minimum value of 1. Maximum value of 100."
@pytest.mark.parametrize("limit", [0, -1, 101])
def test_the_limit_is_from_1_to_100(boto: Any, limit: int) -> None:
    with refused("ValidationException"):
        boto.list_tables(Limit=limit)


# The same in the words of all constraints.
def test_constraints_that_fail_are_reported_together(boto: Any) -> None:
    with refused(
        "ValidationException",
        "2 validation errors detected",
        "Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or "
        "equal to 100",
        "Value 'ab' at 'exclusiveStartTableName' failed to satisfy constraint: Member must have "
        "length greater than or equal to 3",
    ):
        boto.list_tables(Limit=101, ExclusiveStartTableName="ab")


# API_ListTables, ExclusiveStartTableName: 3 to 255 of [a-zA-Z0-9_.-].
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_start_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.list_tables(ExclusiveStartTableName=name)


# Behaviour


# API_ListTables: names of tables, sorted as its pages need them to be.
def test_tables_are_listed_in_order(boto: Any, three: list[str]) -> None:
    names = boto.list_tables(ExclusiveStartTableName=three[0][:-2])["TableNames"]
    assert names[:3] == three
    assert names == sorted(names)


# API_ListTables, Limit and LastEvaluatedTableName: "use this value as the ExclusiveStartTableName
# in a new request to obtain the next page of results".
def test_pages_follow_each_other(boto: Any, three: list[str]) -> None:
    first = boto.list_tables(ExclusiveStartTableName=three[0][:-2], Limit=2)
    assert first["TableNames"] == three[:2]
    assert first["LastEvaluatedTableName"] == three[1]
    second = boto.list_tables(ExclusiveStartTableName=three[1], Limit=1)
    assert second["TableNames"] == three[2:]


# API_ListTables: "If you do not receive a LastEvaluatedTableName value in the response, this
# means that there are no more table names to be retrieved."
def test_the_last_page_has_no_last_name(boto: Any, three: list[str]) -> None:
    assert "LastEvaluatedTableName" not in boto.list_tables(ExclusiveStartTableName="zzzz")


# The start is a position in the order, not a table. DynamoDB Local answers so.
def test_a_start_need_not_exist(boto: Any, three: list[str]) -> None:
    answer = boto.list_tables(ExclusiveStartTableName=three[0] + "-", Limit=2)
    assert answer["TableNames"] == three[1:]


# A table that is deleted is listed no more.
def test_a_deleted_table_is_not_listed(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.delete_table(TableName=name)
    boto.get_waiter("table_not_exists").wait(TableName=name)
    pages = boto.get_paginator("list_tables").paginate()
    assert name not in [each for page in pages for each in page["TableNames"]]

"""DescribeTimeToLive over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from .calls import error_code, refused, without_metadata

# Serialization


# API_DescribeTimeToLive, TableName: a string.
@pytest.mark.parametrize("name", [5, ["x"], {"S": "x"}])
def test_a_name_that_is_not_a_string_is_refused(post: Any, name: Any) -> None:
    assert error_code(post("DescribeTimeToLive", {"TableName": name})) == "SerializationException"


# Validation


# Constraints, "Table names".
@pytest.mark.parametrize("name", ["", "ab", "a b c", "a" * 256])
def test_a_bad_name_is_refused(boto: Any, name: str) -> None:
    with refused("ValidationException"):
        boto.describe_time_to_live(TableName=name)


# API_DescribeTimeToLive: TableName is required.
def test_the_name_is_required(boto: Any) -> None:
    with refused("ValidationException"):
        boto.describe_time_to_live()


# API_DescribeTimeToLive, Errors: ResourceNotFoundException.
def test_a_table_that_is_not_there_is_not_found(boto: Any, pk: str) -> None:
    with refused("ResourceNotFoundException"):
        boto.describe_time_to_live(TableName=pk)


# Behaviour


# API_TimeToLiveDescription: without time to live there is a status and no attribute.
def test_a_new_table_has_none(boto: Any, plain: str) -> None:
    answer = without_metadata(boto.describe_time_to_live(TableName=plain))
    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}


# API_TimeToLiveDescription: ENABLING comes first on AWS, for up to an hour.
def test_an_enabled_one_is_described(boto: Any, new_table: Any) -> None:
    name = new_table("pk")
    boto.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"}
    )
    described = boto.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert described.pop("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    assert described == {"AttributeName": "ttl"}

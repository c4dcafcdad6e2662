"""DescribeTimeToLive."""

from __future__ import annotations

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound


def test_the_status_follows_updates(database: Database) -> None:
    database.call(
        "CreateTable",
        {
            "TableName": "Music",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    seen = []
    for enabled in (None, True, False):
        if enabled is not None:
            specification = {"Enabled": enabled, "AttributeName": "ttl"}
            request = {"TableName": "Music", "TimeToLiveSpecification": specification}
            database.call("UpdateTimeToLive", request)
        reply = database.call("DescribeTimeToLive", {"TableName": "Music"})
        seen.append(reply["TimeToLiveDescription"])
    assert seen == [
        {"TimeToLiveStatus": "DISABLED"},
        {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"},
        {"TimeToLiveStatus": "DISABLED"},
    ]


def test_a_table_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Table: Music not found"):
        database.call("DescribeTimeToLive", {"TableName": "Music"})

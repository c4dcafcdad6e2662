"""DescribeEndpoints."""

from __future__ import annotations

from tablewright.engine.database import Database


def test_there_is_one_endpoint_of_the_region(database: Database) -> None:
    assert database.call("DescribeEndpoints", {}) == {
        "Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
    }

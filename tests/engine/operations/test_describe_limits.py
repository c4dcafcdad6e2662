"""DescribeLimits."""

from __future__ import annotations

from tablewright.engine.database import Database


def test_the_limits_are_those_of_a_new_account(database: Database) -> None:
    assert database.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }

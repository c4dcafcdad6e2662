"""Traces: what is asked of whom, and how units are added up."""

from __future__ import annotations

from tablewright.stores.tracing import CallTrace, Trace, asking, consumed


def test_only_operations_that_count_are_asked() -> None:
    request = {"TableName": "t"}
    assert asking("GetItem", request) == {"TableName": "t", "ReturnConsumedCapacity": "INDEXES"}
    assert asking("DescribeTable", request) is request
    assert request == {"TableName": "t"}


def test_capacity_of_one_table_of_several_and_of_none() -> None:
    one = {"TableName": "t", "CapacityUnits": 1.0}
    assert consumed({"ConsumedCapacity": one}) == (one,)
    assert consumed({"ConsumedCapacity": [one, one]}) == (one, one)
    assert consumed({}) == ()


def test_units_are_added_by_place() -> None:
    whole = {
        "TableName": "t",
        "CapacityUnits": 6.0,
        "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 2.0}},
        "LocalSecondaryIndexes": {"l": {"CapacityUnits": 3.0}},
    }
    plain = {"TableName": "u", "CapacityUnits": 0.5}
    index_only = {
        "TableName": "t",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 0.5}},
    }
    calls = (
        CallTrace("A", {}, (whole, plain)),
        CallTrace("B", {}, (index_only,)),
        CallTrace("C", {}, ()),
    )
    trace = Trace("value", calls)
    assert [created.units for created in calls] == [6.5, 0.5, 0.0]
    assert trace.units == 7.0
    assert trace.units_by_place == {"t": 1.0, "t/g": 2.5, "t/l": 3.0, "u": 0.5}

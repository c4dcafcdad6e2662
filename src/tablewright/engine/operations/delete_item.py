"""DeleteItem: remove an item by its key, if it is there."""

from __future__ import annotations

from tablewright.engine.capacity import write_consumption
from tablewright.engine.collections import collection_metrics
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.operations.put_item import RETURN_VALUES, require_old_values_only
from tablewright.engine.requests import (
    CAPACITY,
    COLLECTION_METRICS,
    EXPRESSION,
    KEY,
    NAMES,
    ON_FAILURE,
    VALUES,
    condition,
    placeholders,
    require_no_legacy,
    returns_item_on_failure,
    wants_capacity,
)
from tablewright.engine.shapes import Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.engine.writing import Delete, run
from tablewright.values.attributes import normalise_item

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    Key=KEY,
    ReturnValues=RETURN_VALUES,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)


def parse(request: Request) -> Command:
    require_no_legacy(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    require_old_values_only(request)
    bound = placeholders(request, "ConditionExpression")
    action = Delete(
        request["TableName"],
        normalise_item(request["Key"]),
        condition(request, bound),
        returns_item_on_failure=returns_item_on_failure(request),
    )
    bound.require_all_used()
    returns_old = request.get("ReturnValues") == "ALL_OLD"
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        change = run(tx, action)
        response: Response = {}
        if returns_old and change.row is not None:
            response["Attributes"] = tx.emit(change.row.body)
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        if wants_metrics and change.row is not None:
            response.update(collection_metrics(tx, change))
        return response

    return command


OPERATION = Operation("DeleteItem", SHAPE, "write", parse)

"""PutItem: make an item, or replace it whole."""

from __future__ import annotations

from tablewright.engine.capacity import write_consumption
from tablewright.engine.collections import collection_metrics
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.requests import (
    CAPACITY,
    COLLECTION_METRICS,
    EXPRESSION,
    NAMES,
    ON_FAILURE,
    VALUES,
    condition,
    placeholders,
    require_no_legacy,
    returns_item_on_failure,
    wants_capacity,
)
from tablewright.engine.shapes import Attribute, Map, String, Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.engine.writing import Put, run
from tablewright.errors import ValidationError

RETURN_VALUES = String(choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    Item=Map(Attribute(), required=True),
    ReturnValues=RETURN_VALUES,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)
REQUIRED_FIELDS = 2  # The shape has seen to it that both are there.


def require_old_values_only(request: Request) -> None:
    """A put or delete returns what was there, or nothing."""
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("Return values set to invalid value")


def parse(request: Request) -> Command:
    if len(request) == REQUIRED_FIELDS:
        return _put_silently(Put(request["TableName"], request["Item"]))
    require_no_legacy(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    require_old_values_only(request)
    bound = placeholders(request, "ConditionExpression")
    action = Put(
        request["TableName"],
        request["Item"],
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
        if wants_metrics:
            response.update(collection_metrics(tx, change))
        return response

    return command


def _put_silently(action: Put) -> Command:
    """The commonest write of all: an item, with no wishes."""

    def command(tx: Tx) -> Response:
        run(tx, action)
        return {}

    return command


OPERATION = Operation("PutItem", SHAPE, "write", parse)

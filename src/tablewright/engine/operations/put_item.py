"""PutItem: make an item, or replace it whole."""

from __future__ import annotations

from typing import Any

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
from tablewright.engine.writing import Put, new_item, plain_item, run
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
_REQUIRED_FIELDS = 2


def require_old_values_only(request: Request) -> None:
    """A put or delete returns what was there, or nothing."""
    if request.get("ReturnValues") not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("Return values set to invalid value")


def parse(request: Request) -> Command:
    require_no_legacy(request, ("ConditionExpression",), ("Expected", "ConditionalOperator"))
    require_old_values_only(request)
    bound = placeholders(request, "ConditionExpression")
    action = Put(
        request["TableName"],
        new_item(request["Item"]),
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


def quick(request: Any) -> Command | None:
    """The commonest write of all: an item of plain ASCII scalars, with no wishes."""
    if type(request) is not dict or len(request) != _REQUIRED_FIELDS:
        return None
    name, item = request.get("TableName"), request.get("Item")
    if type(name) is not str or type(item) is not dict:
        return None
    new = plain_item(item)
    if new is None:
        return None
    action = Put(name, new)

    def command(tx: Tx) -> Response:
        if tx.catalog.find(name) is None:
            return OPERATION.prepare_fully(request)(tx)  # The name may be no name at all.
        run(tx, action)
        return {}

    return command


OPERATION = Operation("PutItem", SHAPE, "write", parse, quick)

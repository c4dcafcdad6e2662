"""UpdateItem: change some attributes of an item, or make it."""

from __future__ import annotations

from tablewright.engine.capacity import write_consumption
from tablewright.engine.collections import collection_metrics
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.operations.put_item import RETURN_VALUES
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
from tablewright.engine.shapes import Attribute, Map, String, Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.engine.writing import Change, Edit, run
from tablewright.expressions.updates import Update
from tablewright.values.attributes import Item, normalise_item

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    Key=KEY,
    AttributeUpdates=Map(
        Structure(
            named="AttributeValueUpdate",
            Value=Attribute(),
            Action=String(choices=("ADD", "PUT", "DELETE")),
        )
    ),
    ReturnValues=RETURN_VALUES,
    UpdateExpression=EXPRESSION,
    ConditionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)


def parse(request: Request) -> Command:
    require_no_legacy(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
    )
    key_item = normalise_item(request["Key"])
    bound = placeholders(request, "UpdateExpression", "ConditionExpression")
    text = request.get("UpdateExpression")
    update = None if text is None else bound.update(text)
    action = Edit(
        request["TableName"],
        key_item,
        update,
        condition(request, bound),
        returns_item_on_failure=returns_item_on_failure(request),
    )
    bound.require_all_used()
    return_values = request.get("ReturnValues") or "NONE"
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        change = run(tx, action)
        response: Response = {}
        attributes = returned(change, update, return_values)
        if attributes:
            response["Attributes"] = attributes
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        if wants_metrics and change.is_write:
            response.update(collection_metrics(tx, change))
        return response

    return command


def returned(change: Change, update: Update | None, return_values: str) -> Item | None:
    """What the reply shows of the item: all of it, or only what the update touched."""
    if return_values == "NONE":
        return None
    item = change.old if return_values.endswith("OLD") else change.new
    if item is None or return_values.startswith("ALL"):
        return item
    return None if update is None else update.touched(item)


OPERATION = Operation("UpdateItem", SHAPE, "write", parse)

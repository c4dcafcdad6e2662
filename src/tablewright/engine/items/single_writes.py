"""PutItem, UpdateItem and DeleteItem: their common shape, conditions and replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import write_consumption
from tablewright.engine.items.item_collections import collection_metrics
from tablewright.engine.items.item_writes import Action, Change, run
from tablewright.engine.requests.api_operation import Command, Request, Response
from tablewright.engine.requests.legacy_parameters import CONDITIONAL_OPERATOR, EXPECTED
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    COLLECTION_METRICS,
    EXPRESSION,
    NAMES,
    ON_FAILURE,
    VALUES,
    condition,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Shape, String, Structure, TableName
from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.conditions import Condition


def return_values(*, is_reported_alone: bool = False) -> String:
    """The shape of ReturnValues."""
    return String(
        choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
        # DynamoDB: the misspelling UPDATE_NEW is AWS's.
        current="ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE",
        is_reported_alone=is_reported_alone,
    )


# The attributes in the reply, or None.
Attributes = Callable[[Tx, Change], Any]


def write_shape(target: dict[str, Shape], **more: Shape) -> Structure:
    """The shape of a write to a `target`, the item or its key, with `more` fields."""
    fields: dict[str, Shape] = {
        "ReturnConsumedCapacity": CAPACITY,
        "TableName": TableName(),
        "ReturnItemCollectionMetrics": COLLECTION_METRICS,
        **target,
        "Expected": EXPECTED,
        "ConditionalOperator": CONDITIONAL_OPERATOR,
        "ReturnValues": return_values(),
        **more,
        "ConditionExpression": EXPRESSION,
        "ExpressionAttributeNames": NAMES,
        "ExpressionAttributeValues": VALUES,
        "ReturnValuesOnConditionCheckFailure": ON_FAILURE,
    }
    return Structure(required=False, named="", **fields)


class Conditional(TypedDict):
    """The arguments of every action besides its item."""

    condition: Condition | None
    returns_item_on_failure: bool


def conditional(request: Request, bound: Placeholders) -> Conditional:
    """The condition of a write, or of one action of a transaction."""
    return {
        "condition": condition(request, bound),
        "returns_item_on_failure": (
            request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        ),
    }


def write_command(request: Request, action: Action, attributes: Attributes) -> Command:
    """A command that runs one action and builds the reply."""
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        change = run(tx, action)
        response: Response = {}
        returned = attributes(tx, change)
        if returned:
            response["Attributes"] = returned
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        if wants_metrics and change.is_write:
            response.update(collection_metrics(tx, change))
        return response

    return command


def old_attributes(request: Request) -> Attributes:
    """The old item, if the request asks for it; raises ValidationError for other ReturnValues."""
    requested = request.get("ReturnValues")
    if requested not in (None, "NONE", "ALL_OLD"):
        raise ValidationError(
            "Return values set to invalid value", "ReturnValues can only be ALL_OLD or NONE"
        )

    def attributes(tx: Tx, change: Change) -> Any:
        return None if change.row is None or requested != "ALL_OLD" else tx.emit(change.row.body)

    return attributes

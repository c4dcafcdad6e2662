"""What PutItem, UpdateItem and DeleteItem have in common: their shape, conditions and replies."""

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


def return_values(*, tells_alone: bool = False) -> String:
    """Which of an item's attributes to return."""
    return String(
        choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
        # DynamoDB: in its current words UPDATED_NEW has lost a letter.
        current="ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE",
        tells_alone=tells_alone,
    )


# What the reply shows of the item, or None.
Attributes = Callable[[Tx, Change], Any]


def write_shape(target: dict[str, Shape], **more: Shape) -> Structure:
    """The shape of a write to a `target`, the item or its key; `more` is the operation's own."""
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
    """What every action is made with besides its item."""

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
    """A command that runs one action and replies as the request wishes."""
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        change = run(tx, action)
        response: Response = {}
        shown = attributes(tx, change)
        if shown:
            response["Attributes"] = shown
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        if wants_metrics and change.is_write:
            response.update(collection_metrics(tx, change))
        return response

    return command


def old_attributes(request: Request) -> Attributes:
    """A put or delete shows what was there, or nothing; raises ValidationError for other wishes."""
    wish = request.get("ReturnValues")
    if wish not in (None, "NONE", "ALL_OLD"):
        raise ValidationError(
            "Return values set to invalid value", "ReturnValues can only be ALL_OLD or NONE"
        )

    def attributes(tx: Tx, change: Change) -> Any:
        return None if change.row is None or wish != "ALL_OLD" else tx.emit(change.row.body)

    return attributes

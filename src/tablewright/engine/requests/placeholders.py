"""Placeholders, and shapes that several operations use. Nothing here needs a table."""

from __future__ import annotations

from typing import Any, TypeGuard

from tablewright.engine.requests.api_operation import Request
from tablewright.engine.requests.shapes import Attribute, Boolean, Map, String
from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.conditions import Condition
from tablewright.expressions.projections import Projection
from tablewright.values.attributes import Item

CAPACITY = String(choices=("INDEXES", "TOTAL", "NONE"))
COLLECTION_METRICS = String(choices=("SIZE", "NONE"))
ON_FAILURE = String(choices=("ALL_OLD", "NONE"))
EXPRESSION = String()
NAMES = Map(String())
VALUES = Map(Attribute())
KEY = Map(Attribute(), required=True)
CONSISTENT = Boolean()

# The expressions that can use ExpressionAttributeValues, in the order of the messages.
_USING_VALUES = (
    "FilterExpression",
    "KeyConditionExpression",
    "UpdateExpression",
    "ConditionExpression",
)


def placeholders(request: Request, *expressions: str) -> Placeholders:
    """The placeholders of a request whose operation has these expressions.

    Raises ValidationError if there are placeholders but no expressions.
    """
    names: Any = request.get("ExpressionAttributeNames")
    values: Any = request.get("ExpressionAttributeValues")
    if names is None and values is None:
        return Placeholders(None, None)
    users = [name for name in expressions if name in _USING_VALUES]
    if any(request.get(name) is not None for name in users):
        return Placeholders(names, values)
    if names is not None and all(request.get(name) is None for name in expressions):
        raise ValidationError(
            "ExpressionAttributeNames can only be specified when using expressions"
        )
    if values is not None:
        verb = "is" if len(users) == 1 else "are"
        message = "ExpressionAttributeValues can only be specified when using expressions"
        raise ValidationError(f"{message}: {' and '.join(users)} {verb} null", message)
    return Placeholders(names, values)


def placeholders_of_action(request: Request, *expressions: str) -> Placeholders:
    """The placeholders of an action of a transaction."""
    # DynamoDB: here placeholders without expressions are ignored; pinned by
    # test_transact_write_items.py::test_placeholders_without_an_expression_are_ignored.
    if all(request.get(name) is None for name in expressions):
        return Placeholders(None, None)
    return placeholders(request, *expressions)


def condition(
    request: Request, bound: Placeholders, name: str = "ConditionExpression"
) -> Condition | None:
    text = request.get(name)
    return None if text is None else bound.condition(text, name)


def projection(request: Request, bound: Placeholders) -> Projection | None:
    text = request.get("ProjectionExpression")
    return None if text is None else bound.projection(text)


def is_plain_key(key: Any) -> TypeGuard[Item]:
    """Whether a key has only string values; False means undecided."""
    if type(key) is not dict or "" in key:
        return False
    for value in key.values():
        if type(value) is not dict or len(value) != 1 or type(value.get("S")) is not str:
            return False
    return True


def wants_capacity(request: Request) -> str | None:
    """TOTAL or INDEXES if the reply includes consumed capacity, else None."""
    level: Any = request.get("ReturnConsumedCapacity")
    return level if level in ("TOTAL", "INDEXES") else None

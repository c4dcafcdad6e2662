"""Requests of Query and Scan: their shape, starting key, filter and projection."""

from __future__ import annotations

from tablewright.engine.items.page_reads import Window
from tablewright.engine.requests.api_operation import Request
from tablewright.engine.requests.legacy_parameters import ATTRIBUTES_TO_GET, CONDITIONAL_OPERATOR
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    CONSISTENT,
    EXPRESSION,
    NAMES,
    VALUES,
    condition,
    projection,
)
from tablewright.engine.requests.shapes import (
    Attribute,
    Integer,
    Map,
    Shape,
    String,
    Structure,
    TableName,
)
from tablewright.errors import ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.values.attributes import Item, normalise_item

INDEX_NAME = String(pattern="[a-zA-Z0-9_.-]+", length=(3, 255))
SELECT = String(
    choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
)


def page_shape(**own: Shape) -> Structure:
    """The shape of a request for a page; `own` has the operation's own fields."""
    fields: dict[str, Shape] = {
        "ReturnConsumedCapacity": CAPACITY,
        "TableName": TableName(),
        "IndexName": INDEX_NAME,
        "Select": SELECT,
        "AttributesToGet": ATTRIBUTES_TO_GET,
        "Limit": Integer(range=(1, None)),
        "ConditionalOperator": CONDITIONAL_OPERATOR,
        **own,
        "ConsistentRead": CONSISTENT,
        "ExclusiveStartKey": Map(Attribute()),
        "FilterExpression": EXPRESSION,
        "ProjectionExpression": EXPRESSION,
        "ExpressionAttributeNames": NAMES,
        "ExpressionAttributeValues": VALUES,
    }
    return Structure(required=False, named="", **fields)


def starting_key(request: Request, *, prefix: str = "") -> Item | None:
    """The ExclusiveStartKey, normalised; also validates Select, as DynamoDB does at this point.

    `prefix` precedes the message about Select.
    """
    raw = request.get("ExclusiveStartKey")
    start = None if raw is None else normalise_item(raw)
    problem = _select_problem(request)
    if problem is not None:
        raise ValidationError(prefix + problem)
    return start


def window_of(request: Request, bound: Placeholders) -> Window:
    """The limit, filter and projection of a request."""
    return Window(
        limit=request.get("Limit"),
        consistent=bool(request.get("ConsistentRead")),
        select=request.get("Select"),
        condition=condition(request, bound, "FilterExpression"),
        projection=projection(request, bound),
        is_forward=request.get("ScanIndexForward") is not False,
    )


def _select_problem(request: Request) -> str | None:
    """The message if Select and ProjectionExpression contradict each other, or None."""
    select = request.get("Select")
    has_projection = request.get("ProjectionExpression") is not None
    if select == "SPECIFIC_ATTRIBUTES" and not has_projection:
        return (
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        )
    if has_projection and select not in (None, "SPECIFIC_ATTRIBUTES"):
        selection = "only the Count" if select == "COUNT" else select
        is_legacy = request.get("AttributesToGet") is not None
        name = "AttributesToGet" if is_legacy else "ProjectionExpression"
        return f"Cannot specify the {name} when choosing to get {selection}"
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        return "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
    return None

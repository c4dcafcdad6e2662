"""Query: the items of one partition, in the order of their sort key."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.items.key_ranges import query_span
from tablewright.engine.items.page_reads import (
    Source,
    Window,
    describe_page,
    read_page,
    require_readable,
)
from tablewright.engine.items.page_requests import page_shape, starting_key, window_of
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import FILTER, rewrite_legacy_parameters
from tablewright.engine.requests.placeholders import (
    EXPRESSION,
    placeholders,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Boolean, Integer, reject_late
from tablewright.engine.requests.validation_style import ValidationStyle
from tablewright.errors import ValidationError

SHAPE = page_shape(
    Limit=Integer(),
    KeyConditions=FILTER,
    QueryFilter=FILTER,
    ScanIndexForward=Boolean(),
    KeyConditionExpression=EXPRESSION,
)
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
_LEGACY = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
# Only a global index key can have more than one attribute of each kind.
_KEY_CONDITIONS_MAX = 2
_TOO_MANY = "Conditions can be of length 1 or 2 only"


def parse(request: Request) -> Command:
    # DynamoDB: unlike Scan's; pinned by test_query_refusals.py::test_the_limit_is_positive.
    limit = request.get("Limit")
    if limit is not None and limit < 1:
        reject_late("Limit", "Member must have value greater than or equal to 1")
    request = rewrite_legacy_parameters(request, _EXPRESSIONS, _LEGACY)
    # DynamoDB: unlike in Scan, the message has the prefix of a constraint; pinned by
    # test_query_refusals.py::test_select_must_go_with_the_projection.
    start = starting_key(request, prefix="1 validation error detected: ")
    bound = placeholders(request, *_EXPRESSIONS)
    if request.get("KeyConditionExpression") is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    window = window_of(request, bound)
    key_condition = bound.key_condition(request["KeyConditionExpression"])
    capacity = wants_capacity(request)
    table_name, index_name = request["TableName"], request.get("IndexName")
    filter_name = "Filter Expression" if request.get("QueryFilter") is None else "QueryFilter"
    has_many_conditions = len(request.get("KeyConditions") or ()) > _KEY_CONDITIONS_MAX
    if has_many_conditions and index_name is None:
        raise ValidationError(_TOO_MANY)

    def command(tx: Tx) -> Response:
        source = Source(tx.table(table_name), index_name)
        if has_many_conditions and not source.key.is_multiple:
            raise ValidationError(_TOO_MANY)
        require_readable(source, window)
        _require_no_key_filter(source, window, filter_name)
        span = query_span(
            source, key_condition, start, is_forward=window.is_forward, limit=window.limit
        )
        return describe_page(source, window, read_page(tx, source, span, window), capacity)

    return command


def _require_no_key_filter(source: Source, window: Window, filter_name: str) -> None:
    """Raise ValidationError for a filter on a key attribute."""
    if window.condition is None:
        return
    for name in source.key.names:
        if name in window.condition.top_level_names:
            raise ValidationError(
                f"{filter_name} can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )


OPERATION = Operation("Query", SHAPE, "read", parse, style=ValidationStyle.CURRENT)

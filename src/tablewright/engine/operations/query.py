"""Query: the items of one partition, in the order of their sort key."""

from __future__ import annotations

from tablewright.engine.keyspans import query_span
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.page_requests import page_shape, starting_key, window_of
from tablewright.engine.reading import Source, Window, describe_page, read_page, require_readable
from tablewright.engine.requests import (
    EXPRESSION,
    placeholders,
    require_no_legacy,
    wants_capacity,
)
from tablewright.engine.shapes import Boolean
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError

SHAPE = page_shape(ScanIndexForward=Boolean(), KeyConditionExpression=EXPRESSION)
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
_LEGACY = ("AttributesToGet", "QueryFilter", "KeyConditions", "ConditionalOperator")


def parse(request: Request) -> Command:
    require_no_legacy(request, _EXPRESSIONS, _LEGACY)
    start = starting_key(request)
    bound = placeholders(request, *_EXPRESSIONS)
    if request.get("KeyConditionExpression") is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    window = window_of(request, bound)
    key_condition = bound.key_condition(request["KeyConditionExpression"])
    bound.require_all_used()
    capacity = wants_capacity(request)
    table_name, index_name = request["TableName"], request.get("IndexName")

    def command(tx: Tx) -> Response:
        source = Source(tx.table(table_name), index_name)
        require_readable(source, window)
        _require_no_key_filter(source, window)
        span = query_span(
            source, key_condition, start, is_forward=window.is_forward, limit=window.limit
        )
        return describe_page(source, window, read_page(tx, source, span, window), capacity)

    return command


def _require_no_key_filter(source: Source, window: Window) -> None:
    """The key condition is the place for conditions on the key."""
    if window.condition is None:
        return
    for name in source.key.names:
        if name in window.condition.top_level_names:
            raise ValidationError(
                "Filter Expression can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )


OPERATION = Operation("Query", SHAPE, "read", parse)

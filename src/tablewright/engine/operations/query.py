"""Query: the items of one partition, in the order of their sort key."""

from __future__ import annotations

from tablewright.engine.keyspans import query_span
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.reading import (
    Source,
    Window,
    describe_page,
    read_page,
    require_readable,
    require_select_rules,
)
from tablewright.engine.requests import (
    CAPACITY,
    CONSISTENT,
    EXPRESSION,
    NAMES,
    VALUES,
    condition,
    placeholders,
    projection,
    require_no_legacy,
    wants_capacity,
)
from tablewright.engine.shapes import Attribute, Boolean, Integer, Map, String, Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError
from tablewright.values.attributes import normalise_item

INDEX_NAME = String(pattern="[a-zA-Z0-9_.-]+", length=(3, 255))
SELECT = String(
    choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
)
LIMIT = Integer(range=(1, None))
START_KEY = Map(Attribute())

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    IndexName=INDEX_NAME,
    Select=SELECT,
    Limit=LIMIT,
    ConsistentRead=CONSISTENT,
    ScanIndexForward=Boolean(),
    ExclusiveStartKey=START_KEY,
    KeyConditionExpression=EXPRESSION,
    FilterExpression=EXPRESSION,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
    ExpressionAttributeValues=VALUES,
)
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
_LEGACY = ("AttributesToGet", "QueryFilter", "KeyConditions", "ConditionalOperator")


def parse(request: Request) -> Command:
    require_no_legacy(request, _EXPRESSIONS, _LEGACY)
    raw_start = request.get("ExclusiveStartKey")
    start = None if raw_start is None else normalise_item(raw_start)
    require_select_rules(request)
    bound = placeholders(request, *_EXPRESSIONS)
    if request.get("KeyConditionExpression") is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    window = Window(
        limit=request.get("Limit"),
        consistent=bool(request.get("ConsistentRead")),
        select=request.get("Select"),
        condition=condition(request, bound, "FilterExpression"),
        projection=projection(request, bound),
        is_forward=request.get("ScanIndexForward") is not False,
    )
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

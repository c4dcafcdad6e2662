"""GetItem: one item by key."""

from __future__ import annotations

from typing import Any

import orjson

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units
from tablewright.engine.items.item_keys import key_from_request
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import (
    ATTRIBUTES_TO_GET,
    rewrite_legacy_parameters,
)
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    CONSISTENT,
    EXPRESSION,
    KEY,
    NAMES,
    is_plain_key,
    placeholders,
    projection,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Structure, TableName
from tablewright.engine.requests.validation_style import ValidationStyle
from tablewright.values.attributes import normalise_item

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    AttributesToGet=ATTRIBUTES_TO_GET,
    Key=KEY,
    ConsistentRead=CONSISTENT,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
)

_REQUIRED_FIELDS = 2


def parse(request: Request) -> Command:
    request = rewrite_legacy_parameters(request, ("ProjectionExpression",), ("AttributesToGet",))
    bound = placeholders(request, "ProjectionExpression")
    projected = projection(request, bound)
    bound.require_all_used()
    key_item = normalise_item(request["Key"])
    name = request["TableName"]
    consistent = bool(request.get("ConsistentRead"))
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        table = tx.table(name)
        row = tx.row(table, key_from_request(table, key_item))
        response: Response = {}
        if row is not None:
            if projected is None:
                response["Item"] = tx.emit(row.body)
            else:
                response["Item"] = projected.apply(orjson.loads(row.body))
        if capacity is not None:
            units = read_units(0 if row is None else row.size, consistent=consistent)
            response["ConsumedCapacity"] = Consumption(table.name, units).describe(capacity)
        return response

    return command


def fast_path(request: Any) -> Command | None:
    """Fast path: a string key, no options."""
    if type(request) is not dict or len(request) != _REQUIRED_FIELDS:
        return None
    name, key_item = request.get("TableName"), request.get("Key")
    if type(name) is not str or not is_plain_key(key_item):
        return None

    def command(tx: Tx) -> Response:
        table = tx.catalog.find(name)
        if table is None:
            # The name may be invalid.
            return OPERATION.prepare_fully(request, tx.settings.wording)(tx)
        hash_, range_ = key_from_request(table, key_item)
        body = tx.session.body(table.number, hash_, range_)
        return {} if body is None else {"Item": tx.emit(body)}

    return command


OPERATION = Operation("GetItem", SHAPE, "read", parse, fast_path, ValidationStyle.CURRENT)

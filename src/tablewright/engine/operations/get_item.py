"""GetItem: one item by its key."""

from __future__ import annotations

import orjson

from tablewright.engine.capacity import Consumption, read_units
from tablewright.engine.item_keys import key_from_request
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.requests import (
    ATTRIBUTES_TO_GET,
    CAPACITY,
    CONSISTENT,
    EXPRESSION,
    KEY,
    NAMES,
    placeholders,
    projection,
    require_no_legacy,
    wants_capacity,
)
from tablewright.engine.shapes import Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.values.attributes import Item, normalise_item

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TableName=TableName(),
    AttributesToGet=ATTRIBUTES_TO_GET,
    Key=KEY,
    ConsistentRead=CONSISTENT,
    ProjectionExpression=EXPRESSION,
    ExpressionAttributeNames=NAMES,
)

REQUIRED_FIELDS = 2  # The shape has seen to it that both are there.


def parse(request: Request) -> Command:
    if len(request) == REQUIRED_FIELDS:
        return _get_whole(request["TableName"], normalise_item(request["Key"]))
    require_no_legacy(request, ("ProjectionExpression",), ("AttributesToGet",))
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


def _get_whole(table_name: str, key_item: Item) -> Command:
    """The commonest read of all: an item, with no wishes."""

    def command(tx: Tx) -> Response:
        table = tx.table(table_name)
        row = tx.row(table, key_from_request(table, key_item))
        return {} if row is None else {"Item": tx.emit(row.body)}

    return command


OPERATION = Operation("GetItem", SHAPE, "read", parse)

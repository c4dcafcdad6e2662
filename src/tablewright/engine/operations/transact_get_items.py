"""TransactGetItems: up to 100 items as they are at one moment."""

from __future__ import annotations

import orjson

from tablewright import limits
from tablewright.engine.capacity import Consumption, read_units
from tablewright.engine.item_keys import key_from_request
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.requests import (
    CAPACITY,
    EXPRESSION,
    KEY,
    NAMES,
    placeholders,
    projection,
    wants_capacity,
)
from tablewright.engine.shapes import List, Structure, TableName
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError
from tablewright.expressions.projections import Projection
from tablewright.values.attributes import Item, normalise_item

MULTIPLE = "Transaction request cannot include multiple operations on one item"

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    TransactItems=List(
        Structure(
            named="TransactGetItem",
            Get=Structure(
                required=True,
                named="Get",
                TableName=TableName(),
                Key=KEY,
                ProjectionExpression=EXPRESSION,
                ExpressionAttributeNames=NAMES,
            ),
        ),
        required=True,
        length=(1, limits.TRANSACT_ACTIONS_MAX),
    ),
)


def parse(request: Request) -> Command:
    gets = [_parse_get(action["Get"]) for action in request["TransactItems"]]
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        places = []
        for table_name, key_item, _ in gets:
            table = tx.table(table_name)
            places.append((table, key_from_request(table, key_item)))
        if len({(table.name, key) for table, key in places}) != len(places):
            raise ValidationError(MULTIPLE)
        tx.session.begin_snapshot()
        try:
            rows = [tx.row(table, key) for table, key in places]
        finally:
            tx.session.rollback()
        found: list[Response] = []
        consumed: dict[str, Consumption] = {}
        for (table, _), (_, _, projected), row in zip(places, gets, rows, strict=True):
            used = consumed.setdefault(table.name, Consumption(table.name))
            used.table_units += 2 * read_units(0 if row is None else row.size, consistent=True)
            if row is None:
                found.append({})
            elif projected is None:
                found.append({"Item": tx.emit(row.body)})
            else:
                found.append({"Item": projected.apply(orjson.loads(row.body))})
        response: Response = {"Responses": found}
        if capacity is not None:
            described = [used.describe(capacity, "Read") for used in consumed.values()]
            response["ConsumedCapacity"] = described
        return response

    return command


def _parse_get(get: Request) -> tuple[str, Item, Projection | None]:
    bound = placeholders(get, "ProjectionExpression")
    projected = projection(get, bound)
    bound.require_all_used()
    return get["TableName"], normalise_item(get["Key"]), projected


OPERATION = Operation("TransactGetItems", SHAPE, "read", parse)

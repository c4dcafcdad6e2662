"""TransactGetItems: up to 100 items from one snapshot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import orjson

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units
from tablewright.engine.items.item_keys import InvalidKey, key_from_request
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    EXPRESSION,
    KEY,
    NAMES,
    placeholders_of_action,
    projection,
    wants_capacity,
)
from tablewright.engine.requests.shapes import List, Structure, TableName
from tablewright.engine.tables.catalog import ItemKey, Table
from tablewright.errors import TransactionCanceled, ValidationError
from tablewright.expressions.projections import Projection
from tablewright.values.attributes import Item, normalise_item

MULTIPLE = "Transaction request cannot include multiple operations on one item"

# An item's table, and its key or the error if the key does not match the table.
ItemLocation = tuple[Table, ItemKey | InvalidKey]

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
        locations = locate(
            [
                (tx.table(table_name), partial(key_from_request, key=key_item))
                for table_name, key_item, _ in gets
            ]
        )
        located = _require_keys(locations)
        with tx.session.snapshot():
            rows = [tx.row(table, key) for table, key in located]
        require_payload(sum(row.size for row in rows if row is not None))
        responses: list[Response] = []
        consumed: dict[str, Consumption] = {}
        for (table, _), (_, _, projected), row in zip(locations, gets, rows, strict=True):
            used = consumed.setdefault(table.name, Consumption(table.name))
            used.table_units += 2 * read_units(0 if row is None else row.size, consistent=True)
            if row is None:
                responses.append({})
            elif projected is None:
                responses.append({"Item": tx.emit(row.body)})
            else:
                responses.append({"Item": projected.apply(orjson.loads(row.body))})
        response: Response = {"Responses": responses}
        if capacity is not None:
            described = [used.describe(capacity, "Read") for used in consumed.values()]
            response["ConsumedCapacity"] = described
        return response

    return command


def locate(lookups: list[tuple[Table, Callable[[Table], ItemKey]]]) -> list[ItemLocation]:
    """The locations of a transaction's items, from their tables and functions that return keys.

    Raises ValidationError for an empty key and for duplicate keys.
    """
    locations: list[ItemLocation] = []
    for table, key_of in lookups:
        try:
            locations.append((table, key_of(table)))
        except InvalidKey as error:
            locations.append((table, error))
    keys = [(table.name, key) for table, key in locations if not isinstance(key, InvalidKey)]
    if len(set(keys)) != len(keys):
        raise ValidationError(MULTIPLE)
    return locations


def require_payload(size: int) -> None:
    """Raise ValidationError if a transaction's items are too large together."""
    if size > limits.TRANSACT_BYTES_MAX:
        raise ValidationError(f"Transaction payload size cannot exceed 4MB. Payload Size: {size}")


def _require_keys(locations: list[ItemLocation]) -> list[tuple[Table, ItemKey]]:
    """Raise TransactionCanceled if a key does not match its table."""
    located = [(table, key) for table, key in locations if not isinstance(key, InvalidKey)]
    if len(located) < len(locations):
        raise TransactionCanceled(
            [
                {"Code": "ValidationError", "Message": key.message}
                if isinstance(key, InvalidKey)
                else {"Code": "None"}
                for _, key in locations
            ]
        )
    return located


def _parse_get(get: Request) -> tuple[str, Item, Projection | None]:
    bound = placeholders_of_action(get, "ProjectionExpression")
    projected = projection(get, bound)
    bound.require_all_used()
    return get["TableName"], normalise_item(get["Key"]), projected


OPERATION = Operation("TransactGetItems", SHAPE, "read", parse)

"""ExecuteTransaction: up to 100 statements that all happen, or none; all reading or all writing."""

from __future__ import annotations

from typing import Any

import orjson

from tablewright import limits
from tablewright.engine.capacity import Consumption, read_units, writes_by_table
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.operations.transact_get_items import locate, require_payload
from tablewright.engine.operations.transact_write_items import digest, write_all
from tablewright.engine.requests import CAPACITY, wants_capacity
from tablewright.engine.shapes import List, String, Structure
from tablewright.engine.statement_shapes import statement
from tablewright.engine.statements import reading, writing
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError
from tablewright.expressions.statements import Select, Statement, parse_statement

SHAPE = Structure(
    TransactStatements=List(
        statement("ParameterizedStatement"),
        required=True,
        length=(1, limits.TRANSACT_ACTIONS_MAX),
    ),
    ClientRequestToken=String(length=(1, limits.TOKEN_CHARS_MAX)),
    ReturnConsumedCapacity=CAPACITY,
)


def parse(request: Request) -> Command:
    asked = request["TransactStatements"]
    parsed = [parse_statement(one["Statement"], one.get("Parameters")) for one in asked]
    selects = [one for one in parsed if isinstance(one, Select)]
    capacity = wants_capacity(request)
    if not selects:
        return _writes(request, parsed, capacity)
    if len(selects) < len(parsed):
        raise ValidationError(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    return lambda tx: _read(tx, selects, capacity)


def _writes(request: Request, parsed: list[Statement], capacity: str | None) -> Command:
    asked, token = request["TransactStatements"], request.get("ClientRequestToken")
    payload = digest(asked) if token is not None else b""

    def command(tx: Tx) -> Response:
        actions = [
            writing(
                tx,
                one,
                wants_item=how.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD",
            ).action
            for one, how in zip(parsed, asked, strict=True)
        ]
        places = locate([(tx.table(action.table_name), action.key) for action in actions])
        changes = write_all(tx, actions, places, token, payload)
        response: Response = {"Responses": []}
        if capacity is not None:
            response["ConsumedCapacity"] = writes_by_table(
                changes or [], capacity, "Write", factor=2
            )
        return response

    return command


def _read(tx: Tx, selects: list[Select], capacity: str | None) -> Response:
    found: list[dict[str, Any]] = []
    consumed: dict[str, Consumption] = {}
    size = 0
    for at, select in enumerate(selects):
        asked = reading(tx, select, consistent=True)
        key = asked.key()
        if key is None:
            raise ValidationError(
                f"Validation failed in TransactStatements[{at}]: Select statements within "
                "ExecuteTransaction must specify the primary key in the where clause."
            )
        table = asked.source.table
        row = tx.row(table, key)
        used = consumed.setdefault(table.name, Consumption(table.name))
        used.table_units += 2 * read_units(0 if row is None else row.size, consistent=True)
        told: dict[str, Any] = {}
        if row is not None:
            size += row.size
            item = orjson.loads(row.body)
            condition, projected = asked.window.condition, asked.window.projection
            if condition is None or condition.matches(item):
                told["Item"] = item if projected is None else projected.apply(item)
        found.append(told)
    require_payload(size)
    response: Response = {"Responses": found}
    if capacity is not None:
        response["ConsumedCapacity"] = [
            used.describe(capacity, "Read") for used in consumed.values()
        ]
    return response


OPERATION = Operation("ExecuteTransaction", SHAPE, "write", parse)

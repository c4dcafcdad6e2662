"""ExecuteTransaction: up to 100 statements, all or nothing; all reads or all writes."""

from __future__ import annotations

from typing import Any

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units, writes_by_table
from tablewright.engine.operations.transact_get_items import locate, require_payload
from tablewright.engine.operations.transact_write_items import digest, replay, write_all
from tablewright.engine.partiql.statement_actions import UnsupportedStatement, statement_write
from tablewright.engine.partiql.statement_reads import read_item
from tablewright.engine.partiql.statement_shapes import parameters_of, statement_shape
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import CAPACITY, wants_capacity
from tablewright.engine.requests.shapes import List, String, Structure
from tablewright.errors import ValidationError
from tablewright.expressions.tokens import ExpressionError
from tablewright.partiql.statements import (
    Delete,
    Select,
    Statement,
    Update,
    parse_statement,
)

SHAPE = Structure(
    TransactStatements=List(
        statement_shape("ParameterizedStatement"),
        required=True,
        length=(1, limits.TRANSACT_ACTIONS_MAX),
    ),
    ClientRequestToken=String(length=(1, limits.TOKEN_CHARS_MAX)),
    ReturnConsumedCapacity=CAPACITY,
)


def parse(request: Request) -> Command:
    entries = request["TransactStatements"]
    parsed = [_statement(at, entry) for at, entry in enumerate(entries)]
    selects = [statement for statement in parsed if isinstance(statement, Select)]
    capacity = wants_capacity(request)
    if not selects:
        for at, statement in enumerate(parsed):
            if isinstance(statement, Update | Delete) and statement.returning is not None:
                raise _failed(at, "RETURNING clause is not supported in ExecuteTransaction.")
        return _writes(request, parsed, capacity)
    if len(selects) < len(parsed):
        raise ValidationError(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    for at, select in enumerate(selects):
        if select.index is not None:
            raise _failed(at, "Reads on indices are not supported within transactions.")
    return lambda tx: _read(tx, selects, capacity)


def _statement(at: int, entry: Request) -> Statement:
    parameters = parameters_of(entry)
    try:
        return parse_statement(entry["Statement"], parameters)
    except ValidationError as error:
        raise _failed(at, error.message) from None


def _failed(at: int, reason: str) -> ValidationError:
    return ValidationError(f"Validation failed in TransactStatements[{at}]: {reason}")


def _writes(request: Request, parsed: list[Statement], capacity: str | None) -> Command:
    entries, token = request["TransactStatements"], request.get("ClientRequestToken")
    payload = digest(entries) if token is not None else b""

    def command(tx: Tx) -> Response:
        actions = []
        for at, (statement, entry) in enumerate(zip(parsed, entries, strict=True)):
            wants_item = entry.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            try:
                actions.append(statement_write(tx, statement, wants_item=wants_item).action)
            except (UnsupportedStatement, ExpressionError) as error:
                raise _failed(at, error.message) from None
        locations = locate([(tx.table(action.table_name), action.key) for action in actions])
        changes = write_all(tx, actions, locations, token, payload)
        response: Response = {"Responses": []}
        if changes is None:
            response |= replay(tx, locations, capacity)
        elif capacity is not None:
            response["ConsumedCapacity"] = writes_by_table(changes, capacity, "Write", factor=2)
        return response

    return command


def _read(tx: Tx, selects: list[Select], capacity: str | None) -> Response:
    responses: list[dict[str, Any]] = []
    consumed: dict[str, Consumption] = {}
    size = 0
    for at, select in enumerate(selects):
        try:
            read = read_item(tx, select, "ExecuteTransaction", consistent=True)
        except (UnsupportedStatement, ExpressionError) as error:
            raise _failed(at, error.message) from None
        used = consumed.setdefault(read.table.name, Consumption(read.table.name))
        used.table_units += 2 * read_units(read.size, consistent=True)
        size += read.size
        responses.append({} if read.item is None else {"Item": read.item})
    require_payload(size)
    response: Response = {"Responses": responses}
    if capacity is not None:
        response["ConsumedCapacity"] = [
            used.describe(capacity, "Read") for used in consumed.values()
        ]
    return response


OPERATION = Operation("ExecuteTransaction", SHAPE, "write", parse)

"""ExecuteStatement: one statement of PartiQL."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import write_consumption
from tablewright.engine.items.item_writes import run
from tablewright.engine.partiql.statement_actions import writing
from tablewright.engine.partiql.statement_reads import (
    next_token,
    read_statement,
    read_token,
    reading,
)
from tablewright.engine.partiql.statement_shapes import PARAMETERS, STATEMENT, parsed
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    CONSISTENT,
    ON_FAILURE,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Integer, String, Structure
from tablewright.errors import ValidationError
from tablewright.partiql.statements import EXISTS_ELSEWHERE, Exists, Select, Statement

SHAPE = Structure(
    Statement=STATEMENT,
    Parameters=PARAMETERS,
    ConsistentRead=CONSISTENT,
    NextToken=String(length=(1, 32768)),
    ReturnConsumedCapacity=CAPACITY,
    Limit=Integer(range=(1, None)),
    ReturnValuesOnConditionCheckFailure=ON_FAILURE,
)


def parse(request: Request) -> Command:
    found = parsed(request)
    if isinstance(found, Exists):
        raise ValidationError(EXISTS_ELSEWHERE)
    if isinstance(found, Select):
        return _selection(request, found)
    return _write(request, found)


def _selection(request: Request, select: Select) -> Command:
    text, parameters = request["Statement"], request.get("Parameters")
    start = read_token(request.get("NextToken"), text, parameters)
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        asked = reading(
            tx,
            select,
            limit=request.get("Limit"),
            consistent=bool(request.get("ConsistentRead")),
        )
        read = read_statement(tx, asked, start)
        response: Response = {"Items": read.items}
        if read.last is not None or read.part < len(asked.parts):
            response["NextToken"] = next_token(text, parameters, read)
        if read.last is not None:
            response["LastEvaluatedKey"] = read.last
        if capacity is not None:
            response["ConsumedCapacity"] = read.consumed.describe(capacity)
        return response

    return command


def _write(request: Request, statement: Statement) -> Command:
    wants_item = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        asked = writing(tx, statement, wants_item=wants_item)
        change = run(tx, asked.action)
        shown = asked.shown(change)
        response: Response = {"Items": [shown] if shown else []}
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        return response

    return command


OPERATION = Operation("ExecuteStatement", SHAPE, "write", parse)

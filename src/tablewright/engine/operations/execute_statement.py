"""ExecuteStatement: one PartiQL statement."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import write_consumption
from tablewright.engine.items.item_writes import run
from tablewright.engine.partiql.statement_actions import statement_write
from tablewright.engine.partiql.statement_reads import (
    next_token,
    plan_select,
    read_statement,
    read_token,
)
from tablewright.engine.partiql.statement_shapes import PARAMETERS, STATEMENT, statement_of
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
    statement = statement_of(request)
    if isinstance(statement, Exists):
        raise ValidationError(EXISTS_ELSEWHERE)
    if isinstance(statement, Select):
        return _select_command(request, statement)
    return _write_command(request, statement)


def _select_command(request: Request, select: Select) -> Command:
    text, parameters = request["Statement"], request.get("Parameters")
    start = read_token(request.get("NextToken"), text, parameters)
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        plan = plan_select(
            tx,
            select,
            limit=request.get("Limit"),
            consistent=bool(request.get("ConsistentRead")),
        )
        page = read_statement(tx, plan, start)
        response: Response = {"Items": page.items}
        if page.last is not None or page.part < len(plan.parts):
            response["NextToken"] = next_token(text, parameters, page)
        if page.last is not None:
            response["LastEvaluatedKey"] = page.last
        if capacity is not None:
            response["ConsumedCapacity"] = page.consumed.describe(capacity)
        return response

    return command


def _write_command(request: Request, statement: Statement) -> Command:
    wants_item = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        write = statement_write(tx, statement, wants_item=wants_item)
        change = run(tx, write.action)
        returned = write.returned(change)
        response: Response = {"Items": [returned] if returned else []}
        if capacity is not None:
            response.update(write_consumption(change, capacity))
        return response

    return command


OPERATION = Operation("ExecuteStatement", SHAPE, "write", parse)

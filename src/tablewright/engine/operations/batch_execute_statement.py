"""BatchExecuteStatement: up to 25 single-item statements, all reads or all writes."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units, writes_by_table
from tablewright.engine.items.item_writes import Change, run
from tablewright.engine.partiql.statement_actions import batch_error, statement_write
from tablewright.engine.partiql.statement_reads import read_item
from tablewright.engine.partiql.statement_shapes import statement_of, statement_shape
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import CAPACITY, CONSISTENT, wants_capacity
from tablewright.engine.requests.shapes import List, Structure
from tablewright.errors import ServiceError, ValidationError
from tablewright.limits import BATCH_WRITE_REQUESTS_MAX
from tablewright.partiql.statements import EXISTS_ELSEWHERE, Exists, Select, Statement

SHAPE = Structure(
    Statements=List(
        statement_shape("BatchStatementRequest", ConsistentRead=CONSISTENT),
        required=True,
        length=(1, BATCH_WRITE_REQUESTS_MAX),
    ),
    ReturnConsumedCapacity=CAPACITY,
)


def parse(request: Request) -> Command:
    entries = request["Statements"]
    parsed = [_statement(entry) for entry in entries]
    kinds = {
        isinstance(statement, Select)
        for statement in parsed
        if not isinstance(statement, ServiceError)
    }
    if len(kinds) > 1:
        raise ValidationError(
            "Read and write requests together in the same batch is not supported."
        )
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        changes: list[Change] = []
        reads: dict[str, Consumption] = {}
        responses = [
            _run_statement(tx, statement, entry, changes, reads)
            for statement, entry in zip(parsed, entries, strict=True)
        ]
        response: Response = {"Responses": responses}
        if capacity is not None:
            described = [used.describe(capacity) for used in reads.values()]
            response["ConsumedCapacity"] = described or writes_by_table(changes, capacity)
        return response

    return command


def _statement(entry: Request) -> Statement | ServiceError:
    try:
        statement = statement_of(entry)
    except ValidationError as error:
        return error
    if isinstance(statement, Exists):
        return ValidationError(EXISTS_ELSEWHERE)
    return statement


def _run_statement(
    tx: Tx,
    statement: Statement | ServiceError,
    entry: Request,
    changes: list[Change],
    reads: dict[str, Consumption],
) -> dict[str, Any]:
    """The response of one statement; a failed one changes nothing and does not stop the others."""
    response: dict[str, Any] = {}
    if isinstance(statement, ServiceError):
        return {"Error": batch_error(statement)}
    try:
        if isinstance(statement, Select):
            response = _read(tx, statement, entry, reads)
        else:
            wants_item = entry.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            write = statement_write(tx, statement, wants_item=wants_item)
            response["TableName"] = write.action.table_name
            change = run(tx, write.action)
            changes.append(change)
            returned = write.returned(change)
            if returned:
                response["Item"] = returned
    except ServiceError as error:
        response["Error"] = batch_error(error)
    return response


def _read(tx: Tx, select: Select, entry: Request, reads: dict[str, Consumption]) -> dict[str, Any]:
    is_consistent = bool(entry.get("ConsistentRead"))
    read = read_item(tx, select, "BatchExecuteStatement", consistent=is_consistent)
    name = read.table.name
    used = reads.setdefault(name, Consumption(name))
    used.table_units += read_units(read.size, consistent=is_consistent)
    response: dict[str, Any] = {"TableName": name}
    if read.item is not None:
        response["Item"] = read.item
    return response


OPERATION = Operation("BatchExecuteStatement", SHAPE, "write", parse)

"""BatchExecuteStatement: up to 25 statements of one item each, all reading or all writing."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units, writes_by_table
from tablewright.engine.items.item_writes import Change, run
from tablewright.engine.partiql.statement_actions import batch_error, writing
from tablewright.engine.partiql.statement_reads import read_item
from tablewright.engine.partiql.statement_shapes import parsed, statement
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import CAPACITY, CONSISTENT, wants_capacity
from tablewright.engine.requests.shapes import List, Structure
from tablewright.errors import ServiceError, ValidationError
from tablewright.limits import BATCH_WRITE_REQUESTS_MAX
from tablewright.partiql.statements import EXISTS_ELSEWHERE, Exists, Select, Statement

SHAPE = Structure(
    Statements=List(
        statement("BatchStatementRequest", ConsistentRead=CONSISTENT),
        required=True,
        length=(1, BATCH_WRITE_REQUESTS_MAX),
    ),
    ReturnConsumedCapacity=CAPACITY,
)


def parse(request: Request) -> Command:
    asked = request["Statements"]
    found = [_statement(one) for one in asked]
    kinds = {isinstance(one, Select) for one in found if not isinstance(one, ServiceError)}
    if len(kinds) > 1:
        raise ValidationError(
            "Read and write requests together in the same batch is not supported."
        )
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        changes: list[Change] = []
        reads: dict[str, Consumption] = {}
        told = [
            _answer(tx, one, how, changes, reads) for one, how in zip(found, asked, strict=True)
        ]
        response: Response = {"Responses": told}
        if capacity is not None:
            described = [used.describe(capacity) for used in reads.values()]
            response["ConsumedCapacity"] = described or writes_by_table(changes, capacity)
        return response

    return command


def _statement(asked: Request) -> Statement | ServiceError:
    try:
        found = parsed(asked)
    except ValidationError as error:
        return error
    if isinstance(found, Exists):
        return ValidationError(EXISTS_ELSEWHERE)
    return found


def _answer(
    tx: Tx,
    found: Statement | ServiceError,
    asked: Request,
    changes: list[Change],
    reads: dict[str, Consumption],
) -> dict[str, Any]:
    """What one statement came to; one that fails changes nothing, and stops none of the others."""
    told: dict[str, Any] = {}
    if isinstance(found, ServiceError):
        return {"Error": batch_error(found)}
    try:
        if isinstance(found, Select):
            told = _read(tx, found, asked, reads)
        else:
            wants_item = asked.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            write = writing(tx, found, wants_item=wants_item)
            told["TableName"] = write.action.table_name
            change = run(tx, write.action)
            changes.append(change)
            shown = write.shown(change)
            if shown:
                told["Item"] = shown
    except ServiceError as error:
        told["Error"] = batch_error(error)
    return told


def _read(tx: Tx, select: Select, asked: Request, reads: dict[str, Consumption]) -> dict[str, Any]:
    is_consistent = bool(asked.get("ConsistentRead"))
    found = read_item(tx, select, "BatchExecuteStatement", consistent=is_consistent)
    name = found.table.name
    used = reads.setdefault(name, Consumption(name))
    used.table_units += read_units(found.size, consistent=is_consistent)
    told: dict[str, Any] = {"TableName": name}
    if found.item is not None:
        told["Item"] = found.item
    return told


OPERATION = Operation("BatchExecuteStatement", SHAPE, "write", parse)

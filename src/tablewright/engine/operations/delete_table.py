"""DeleteTable."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure, TableName
from tablewright.engine.tables.descriptions import describe_deleted
from tablewright.errors import ValidationError

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    name = request["TableName"]

    def run(tx: Tx) -> Response:
        table = tx.catalog.get(name)
        if table.schema.deletion_protection:
            raise ValidationError(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        tx.drop_table(table)
        return {"TableDescription": describe_deleted(table, tx.settings)}

    return run


OPERATION = Operation(name="DeleteTable", shape=SHAPE, mode="table", parse=parse)

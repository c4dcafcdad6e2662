"""DescribeContinuousBackups."""

from __future__ import annotations

from tablewright.engine.backups.point_in_time import describe_recovery
from tablewright.engine.backups.table_backups import require_table
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure, TableName

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    def command(tx: Tx) -> Response:
        return describe_recovery(require_table(tx, request["TableName"]), tx.now())

    return command


OPERATION = Operation("DescribeContinuousBackups", SHAPE, "read", parse)

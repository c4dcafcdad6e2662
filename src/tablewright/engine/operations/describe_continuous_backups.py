"""DescribeContinuousBackups."""

from __future__ import annotations

from tablewright.engine.backups import require_table
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.recovery import describe_recovery
from tablewright.engine.shapes import Structure, TableName
from tablewright.engine.transaction import Tx

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    def command(tx: Tx) -> Response:
        return describe_recovery(require_table(tx, request["TableName"]), tx.now())

    return command


OPERATION = Operation("DescribeContinuousBackups", SHAPE, "read", parse)

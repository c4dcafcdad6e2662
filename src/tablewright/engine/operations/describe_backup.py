"""DescribeBackup."""

from __future__ import annotations

from tablewright.engine.backups.table_backups import find_backup
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import String, Structure

SHAPE = Structure(BackupArn=String(required=True, length=(37, 1024)))


def parse(request: Request) -> Command:
    def command(tx: Tx) -> Response:
        return {"BackupDescription": find_backup(tx, request["BackupArn"]).describe(tx.settings)}

    return command


OPERATION = Operation("DescribeBackup", SHAPE, "read", parse)

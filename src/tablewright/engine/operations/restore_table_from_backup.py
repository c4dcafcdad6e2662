"""RestoreTableFromBackup: a new table with the items of a backup."""

from __future__ import annotations

from tablewright.engine.backups.restored_table import OVERRIDES, restored_schema
from tablewright.engine.backups.table_backups import find_backup, require_free, restored_description
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import String, Structure
from tablewright.engine.tables.descriptions import describe_table
from tablewright.engine.tables.table_shapes import index_name

SHAPE = Structure(
    required=False,
    named="",
    TargetTableName=index_name(),
    BackupArn=String(required=True, length=(37, 1024)),
    **OVERRIDES,
)


def parse(request: Request) -> Command:
    def command(tx: Tx) -> Response:
        backup = find_backup(tx, request["BackupArn"])
        require_free(tx, request["TargetTableName"])
        schema = restored_schema(tx, backup.schema, request)
        number = backup.row.number
        table = tx.restore_table(schema, lambda target: tx.session.copy_backup(number, target))
        described = describe_table(table, tx.settings, "CREATING")
        return restored_description(
            described, tx.settings, backup.schema.name, backup.row.created_at, backup.row.arn
        )

    return command


OPERATION = Operation("RestoreTableFromBackup", SHAPE, "table", parse)

"""CreateBackup: store a copy of a table."""

from __future__ import annotations

import orjson

from tablewright.engine.backups.table_backups import Backup, require_table
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure, TableName
from tablewright.engine.sqlite.rows import BackupRow
from tablewright.engine.tables.descriptions import table_arn
from tablewright.engine.tables.table_shapes import index_name

SHAPE = Structure(TableName=TableName(control=True), BackupName=index_name())


def parse(request: Request) -> Command:
    def command(tx: Tx) -> Response:
        table = require_table(tx, request["TableName"])
        now = tx.now()
        label = f"{int(now * 1000):014d}-{tx.new_id()[:8]}"
        row = BackupRow(
            0,
            f"{table_arn(tx.settings, table.name)}/backup/{label}",
            request["BackupName"],
            table.name,
            now,
            table.item_count,
            table.bytes,
            orjson.dumps(table.schema.to_json()).decode(),
        )
        number = tx.session.put_backup(row, table.number)
        return {"BackupDetails": Backup.of(row._replace(number=number)).details("CREATING")}

    return command


OPERATION = Operation("CreateBackup", SHAPE, "table", parse)

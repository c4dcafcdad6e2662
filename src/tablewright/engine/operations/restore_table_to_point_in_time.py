"""RestoreTableToPointInTime: a new table with the items that another had at a time."""

from __future__ import annotations

from tablewright.engine.backups import (
    OVERRIDES,
    overridden,
    require_free,
    require_table,
    restored_description,
)
from tablewright.engine.descriptions import describe_table
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.recovery import LATEST_SECONDS, require_moment
from tablewright.engine.shapes import Boolean, String, Structure, TableName, Timestamp
from tablewright.engine.table_shapes import index_name
from tablewright.engine.transaction import Tx
from tablewright.errors import ValidationError

SHAPE = Structure(
    required=False,
    named="",
    SourceTableArn=String(length=(1, 1024)),
    SourceTableName=TableName(control=True, required=False),
    TargetTableName=index_name(),
    UseLatestRestorableTime=Boolean(),
    RestoreDateTime=Timestamp(),
    **OVERRIDES,
)


def parse(request: Request) -> Command:
    source = request.get("SourceTableArn") or request.get("SourceTableName")
    if source is None:
        raise ValidationError("One of SourceTableName and SourceTableArn is required")
    at, is_latest = request.get("RestoreDateTime"), bool(request.get("UseLatestRestorableTime"))
    if (at is None) != is_latest:
        raise ValidationError("One of RestoreDateTime and UseLatestRestorableTime is required")

    def command(tx: Tx) -> Response:
        table = require_table(tx, source)
        now = tx.now()
        moment = require_moment(table, now - LATEST_SECONDS if at is None else float(at), now)
        require_free(tx, request["TargetTableName"])
        restored = tx.restore_table(
            overridden(tx, table.schema, request),
            lambda target: tx.session.copy_as_of(table.number, target, moment),
        )
        described = describe_table(restored, tx.settings, "CREATING")
        return restored_description(described, tx.settings, table.name, moment)

    return command


OPERATION = Operation("RestoreTableToPointInTime", SHAPE, "table", parse)

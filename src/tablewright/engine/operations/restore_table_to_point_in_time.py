"""RestoreTableToPointInTime: a new table with the past items of another table."""

from __future__ import annotations

from tablewright.engine.backups.point_in_time import LATEST_SECONDS, require_moment
from tablewright.engine.backups.restored_table import OVERRIDES, restored_schema
from tablewright.engine.backups.table_backups import (
    require_free,
    require_table,
    restored_description,
)
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Boolean, String, Structure, TableName, Timestamp
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.descriptions import TABLE_ARN, describe_table
from tablewright.engine.tables.table_rules import invalid_request
from tablewright.engine.tables.table_shapes import index_name
from tablewright.errors import TableNotFound, ValidationError

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
    arn, name = request.get("SourceTableArn"), request.get("SourceTableName")
    if arn is None and name is None:
        raise ValidationError(
            "The parameter 'TableName' is required but was not present in the request"
        )
    if arn is not None and name is not None:
        invalid_request("Must provide exactly one of: sourceTableArn, sourceTableName")
    if arn is not None and TABLE_ARN.fullmatch(arn) is None:
        raise ValidationError("sourceTableArn is not a valid ARN")
    at, is_latest = request.get("RestoreDateTime"), bool(request.get("UseLatestRestorableTime"))
    if at is not None and is_latest:
        invalid_request(
            "Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time "
            "restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime"
        )
    if at is None and not is_latest:
        invalid_request(
            "Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not "
            "both"
        )

    def command(tx: Tx) -> Response:
        table = (
            require_table(tx, request["SourceTableName"]) if arn is None else _source_table(tx, arn)
        )
        now = tx.now()
        moment = require_moment(table, now - LATEST_SECONDS if at is None else float(at), now)
        require_free(tx, request["TargetTableName"])
        restored = tx.restore_table(
            restored_schema(tx, table.schema, request),
            lambda target: tx.session.copy_as_of(table.number, target, moment),
        )
        described = describe_table(restored, tx.settings, "CREATING")
        return restored_description(described, tx.settings, table.name, moment)

    return command


def _source_table(tx: Tx, arn: str) -> Table:
    parts = TABLE_ARN.fullmatch(arn)
    if parts is not None and parts["account"] != tx.settings.account:
        raise ValidationError(
            "This action is only supported by accounts that match the resource owner\u2019s "
            "account."
        )
    table = tx.catalog.find(arn)
    if table is None:
        raise TableNotFound("Table not found")
    return table


OPERATION = Operation("RestoreTableToPointInTime", SHAPE, "table", parse)

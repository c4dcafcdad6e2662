"""UpdateContinuousBackups: enable or disable point-in-time recovery."""

from __future__ import annotations

from tablewright.engine.backups.point_in_time import DAYS_MAX, describe_recovery
from tablewright.engine.backups.table_backups import require_table
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Boolean, Integer, Structure, TableName
from tablewright.engine.tables.table_rules import invalid_request

SHAPE = Structure(
    TableName=TableName(control=True),
    PointInTimeRecoverySpecification=Structure(
        required=True,
        named="PointInTimeRecoverySpecification",
        PointInTimeRecoveryEnabled=Boolean(required=True),
        RecoveryPeriodInDays=Integer(range=(1, DAYS_MAX)),
    ),
)


def parse(request: Request) -> Command:
    specification = request["PointInTimeRecoverySpecification"]
    days = specification.get("RecoveryPeriodInDays") or DAYS_MAX
    if (
        not specification["PointInTimeRecoveryEnabled"]
        and specification.get("RecoveryPeriodInDays") is not None
    ):
        invalid_request(
            "Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )

    def command(tx: Tx) -> Response:
        table = require_table(tx, request["TableName"])
        current = table.schema.options.get("PointInTimeRecovery")
        recovery = None
        if specification["PointInTimeRecoveryEnabled"]:
            recovery = {"Days": days, "Since": current["Since"] if current else tx.now()}
        elif current:
            tx.session.erase_history(table.number)
        options = table.schema.options | {"PointInTimeRecovery": recovery}
        replaced = tx.replace_schema(table, table.schema.with_(options=options))
        return describe_recovery(replaced, tx.now())

    return command


OPERATION = Operation("UpdateContinuousBackups", SHAPE, "table", parse)

"""ListBackups: the backups of one table or of all, oldest first."""

from __future__ import annotations

from typing import Final

from tablewright.engine.backups.table_backups import Backup
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Integer, String, Structure, TableName, Timestamp
from tablewright.engine.tables.catalog import table_name
from tablewright.engine.tables.table_rules import invalid, invalid_request

LISTED_MAX: Final = 100

SHAPE = Structure(
    TableName=TableName(control=True, required=False),
    Limit=Integer(range=(1, LISTED_MAX)),
    TimeRangeLowerBound=Timestamp(),
    TimeRangeUpperBound=Timestamp(),
    ExclusiveStartBackupArn=String(length=(37, 1024)),
    BackupType=String(choices=("USER", "SYSTEM", "AWS_BACKUP", "ALL")),
)


def parse(request: Request) -> Command:
    limit = request.get("Limit") or LISTED_MAX
    name, after = request.get("TableName"), request.get("ExclusiveStartBackupArn")
    low = request.get("TimeRangeLowerBound") or 0
    high = request.get("TimeRangeUpperBound") or float("inf")
    if low > high:
        invalid("Time range lower bound must be less than or equal to upper bound")
    is_of_users = request.get("BackupType") in (None, "USER", "ALL")

    def command(tx: Tx) -> Response:
        if after is not None and after.split(":")[3:4] != [tx.settings.region]:
            invalid_request("The supplied ExclusiveStartBackupArn does not match the region")
        backups = [
            Backup.of(row)
            for row in tx.session.backups()
            if is_of_users
            and (name is None or row.table_name == table_name(name))
            and low <= row.created_at < high
        ]
        backups.sort(key=lambda backup: _sort_key(backup.row.arn))
        # DynamoDB: the start is a position, even if its backup has been deleted.
        if after is not None:
            backups = [backup for backup in backups if _sort_key(backup.row.arn) > _sort_key(after)]
        page = backups[:limit]
        response: Response = {"BackupSummaries": [backup.summary(tx.settings) for backup in page]}
        if limit < len(backups):
            response["LastEvaluatedBackupArn"] = page[-1].row.arn
        return response

    return command


def _sort_key(arn: str) -> str:
    """The sort key of a backup: its name, which begins with the time of creation."""
    return arn.rpartition("/")[2]


OPERATION = Operation("ListBackups", SHAPE, "read", parse)

"""Backups on demand, and tables as they were at a time. DynamoDB Local has neither.

Developer guide, "Backup and restore"; API reference of the operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.tables import make_table

from tablewright.engine.database import Database
from tablewright.errors import (
    BackupNotFound,
    InvalidRestoreTime,
    PointInTimeRecoveryUnavailable,
    TableAlreadyExists,
    TableNotFound,
    ValidationError,
)

DAY = 24 * 3600


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(clock: Clock) -> Iterator[Database]:
    with Database.open(clock=clock) as opened:
        make_table(opened, Tags=[{"Key": "k", "Value": "v"}])
        yield opened
        assert opened.check() == []


def put(database: Database, sort: str, value: int) -> None:
    item = {"pk": {"S": "a"}, "sk": {"S": sort}, "n": {"N": str(value)}, "g": {"S": "g"}}
    database.call("PutItem", {"TableName": "things", "Item": item | {"h": {"N": str(value)}}})


def delete(database: Database, sort: str) -> None:
    key = {"pk": {"S": "a"}, "sk": {"S": sort}}
    database.call("DeleteItem", {"TableName": "things", "Key": key})


def held(database: Database, table: str = "things") -> dict[str, str]:
    items = database.call("Scan", {"TableName": table})["Items"]
    return {item["sk"]["S"]: item["n"]["N"] for item in items}


def backed_up(database: Database, name: str = "nightly") -> str:
    made = database.call("CreateBackup", {"TableName": "things", "BackupName": name})
    assert made["BackupDetails"]["BackupStatus"] == "CREATING"
    return str(made["BackupDetails"]["BackupArn"])


def test_a_backup_is_a_table_as_it_was(database: Database) -> None:
    put(database, "1", 1)
    put(database, "2", 2)
    arn = backed_up(database)
    delete(database, "1")
    put(database, "3", 3)
    asked = {"BackupArn": arn, "TargetTableName": "restored"}
    told = database.call("RestoreTableFromBackup", asked)["TableDescription"]
    assert told["TableStatus"] == "CREATING"
    assert told["RestoreSummary"]["SourceBackupArn"] == arn
    assert held(database, "restored") == {"1": "1", "2": "2"}
    assert held(database) == {"2": "2", "3": "3"}
    by_g = {
        "TableName": "restored",
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "g"}},
    }
    assert database.call("Query", by_g)["Count"] == 2
    table = database.call("DescribeTable", {"TableName": "restored"})["Table"]
    assert table["ItemCount"] == 2
    arn = table["TableArn"]
    assert database.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == []


def test_a_backup_outlives_its_table_until_it_is_deleted(database: Database) -> None:
    put(database, "1", 1)
    arn = backed_up(database)
    database.call("DeleteTable", {"TableName": "things"})
    described = database.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert described["SourceTableDetails"]["ItemCount"] == 1
    assert described["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"]
    database.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "things"})
    assert held(database) == {"1": "1"}
    deleted = database.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    for operation in ("DescribeBackup", "DeleteBackup"):
        with pytest.raises(BackupNotFound, match="Backup not found"):
            database.call(operation, {"BackupArn": arn})


def test_backups_are_listed(database: Database, clock: Clock) -> None:
    made = []
    for number in range(3):
        made.append(backed_up(database, f"backup-{number}"))
        clock.now += 10
    found = []
    more: dict[str, Any] = {}
    while True:
        page = database.call("ListBackups", {"TableName": "things", "Limit": 2, **more})
        found += [one["BackupArn"] for one in page["BackupSummaries"]]
        if "LastEvaluatedBackupArn" not in page:
            break
        more = {"ExclusiveStartBackupArn": page["LastEvaluatedBackupArn"]}
    assert found == made
    late = database.call("ListBackups", {"TimeRangeLowerBound": clock.now - 15})
    assert [one["BackupName"] for one in late["BackupSummaries"]] == ["backup-2"]
    assert database.call("ListBackups", {"TableName": "others"})["BackupSummaries"] == []
    assert database.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"] == []


def test_what_cannot_be_restored_is_refused(database: Database) -> None:
    arn = backed_up(database)
    with pytest.raises(TableAlreadyExists):
        database.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "things"})
    unknown = {"BackupArn": f"{arn}0", "TargetTableName": "other"}
    with pytest.raises(BackupNotFound):
        database.call("RestoreTableFromBackup", unknown)
    with pytest.raises(TableNotFound, match="Table not found: none"):
        database.call("CreateBackup", {"TableName": "none", "BackupName": "nightly"})
    with pytest.raises(ValidationError):
        database.call("CreateBackup", {"TableName": "things", "BackupName": "no name"})


def recover(database: Database, *, enabled: bool = True, **more: Any) -> dict[str, Any]:
    asked = {"PointInTimeRecoveryEnabled": enabled, **more}
    told = database.call(
        "UpdateContinuousBackups",
        {"TableName": "things", "PointInTimeRecoverySpecification": asked},
    )
    found: dict[str, Any] = told["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return found


def test_recovery_is_described(database: Database, clock: Clock) -> None:
    told = database.call("DescribeContinuousBackups", {"TableName": "things"})
    assert told["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    enabled = recover(database, RecoveryPeriodInDays=2)
    assert enabled["RecoveryPeriodInDays"] == 2
    assert enabled["EarliestRestorableDateTime"] == clock.now
    clock.now += 3 * DAY
    again = recover(database, RecoveryPeriodInDays=2)
    assert again["EarliestRestorableDateTime"] == clock.now - 2 * DAY
    assert recover(database, enabled=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    with pytest.raises(TableNotFound):
        database.call("DescribeContinuousBackups", {"TableName": "none"})


def test_a_table_is_restored_as_it_was_at_a_time(database: Database, clock: Clock) -> None:
    put(database, "old", 1)
    recover(database)
    clock.now += 10
    put(database, "new", 2)
    put(database, "old", 3)
    then = clock.now
    clock.now += 10
    delete(database, "new")
    put(database, "later", 4)
    clock.now += 10
    asked = {"SourceTableName": "things", "TargetTableName": "then", "RestoreDateTime": then}
    told = database.call("RestoreTableToPointInTime", asked)["TableDescription"]
    assert told["RestoreSummary"]["RestoreDateTime"] == then
    assert held(database, "then") == {"old": "3", "new": "2"}
    latest = {"SourceTableName": "things", "TargetTableName": "now"}
    database.call("RestoreTableToPointInTime", latest | {"UseLatestRestorableTime": True})
    assert held(database, "now") == held(database) == {"old": "3", "later": "4"}
    items = database.items_as_of("things", then)
    assert {item["sk"]["S"]: item["n"]["N"] for item in items} == {"old": "3", "new": "2"}


def test_only_times_within_the_period_can_be_restored(database: Database, clock: Clock) -> None:
    asked = {"SourceTableName": "things", "TargetTableName": "then"}
    with pytest.raises(PointInTimeRecoveryUnavailable):
        database.call("RestoreTableToPointInTime", asked | {"UseLatestRestorableTime": True})
    recover(database, RecoveryPeriodInDays=1)
    for wrong in (clock.now - 1, clock.now + 1):
        with pytest.raises(InvalidRestoreTime):
            database.call("RestoreTableToPointInTime", asked | {"RestoreDateTime": wrong})
    for more in ({}, {"RestoreDateTime": clock.now, "UseLatestRestorableTime": True}):
        with pytest.raises(ValidationError):
            database.call("RestoreTableToPointInTime", asked | more)
    put(database, "1", 1)
    clock.now += 2 * DAY
    database.sweep_expired()
    with pytest.raises(InvalidRestoreTime):
        database.items_as_of("things", clock.now - 2 * DAY)
    assert len(database.items_as_of("things", clock.now)) == 1


CHANGES = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 9)), max_size=12)


@given(CHANGES, st.integers(0, 12))
def test_any_past_is_what_it_was(changes: list[tuple[str, int | None]], at: int) -> None:
    clock = Clock()
    with Database.open(clock=clock) as database:
        make_table(database)
        recover(database)
        states: list[dict[str, str]] = [{}]
        for sort, value in changes:
            clock.now += 1
            if value is None:
                delete(database, sort)
            else:
                put(database, sort, value)
            states.append(held(database))
        wanted = min(at, len(changes))
        then = clock.now - len(changes) + wanted
        asked = {"SourceTableName": "things", "TargetTableName": "then", "RestoreDateTime": then}
        database.call("RestoreTableToPointInTime", asked)
        assert held(database, "then") == states[wanted]
        found = database.items_as_of("things", then)
        assert {item["sk"]["S"]: item["n"]["N"] for item in found} == states[wanted]
        assert database.check() == []

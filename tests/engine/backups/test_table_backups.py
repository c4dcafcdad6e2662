"""On-demand backups and point-in-time recovery. DynamoDB Local has neither.

Developer guide, "Backup and restore"; API reference of the operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine.database import Database
from tablewright.errors import (
    AccessDenied,
    BackupNotFound,
    InvalidRestoreTime,
    PointInTimeRecoveryUnavailable,
    TableAlreadyExists,
    TableNotFound,
    ValidationError,
)
from tests.engine.sample_tables import make_table

DAY = 24 * 3600
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/things"


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
    created = database.call("CreateBackup", {"TableName": "things", "BackupName": name})
    assert created["BackupDetails"]["BackupStatus"] == "CREATING"
    return str(created["BackupDetails"]["BackupArn"])


def test_a_backup_is_a_table_as_it_was(database: Database) -> None:
    put(database, "1", 1)
    put(database, "2", 2)
    arn = backed_up(database)
    delete(database, "1")
    put(database, "3", 3)
    request = {"BackupArn": arn, "TargetTableName": "restored"}
    reply = database.call("RestoreTableFromBackup", request)["TableDescription"]
    assert reply["TableStatus"] == "CREATING"
    assert reply["RestoreSummary"]["SourceBackupArn"] == arn
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
    created = []
    for number in range(3):
        created.append(backed_up(database, f"backup-{number}"))
        clock.now += 10
    results = []
    more: dict[str, Any] = {}
    while True:
        page = database.call("ListBackups", {"TableName": "things", "Limit": 2, **more})
        results += [one["BackupArn"] for one in page["BackupSummaries"]]
        if "LastEvaluatedBackupArn" not in page:
            break
        more = {"ExclusiveStartBackupArn": page["LastEvaluatedBackupArn"]}
    assert results == created
    late = database.call("ListBackups", {"TimeRangeLowerBound": clock.now - 15})
    assert [one["BackupName"] for one in late["BackupSummaries"]] == ["backup-2"]
    assert database.call("ListBackups", {"TableName": "others"})["BackupSummaries"] == []
    database.call("DeleteBackup", {"BackupArn": created[1]})
    rest = database.call("ListBackups", {"ExclusiveStartBackupArn": created[1]})
    assert [one["BackupArn"] for one in rest["BackupSummaries"]] == created[2:]
    abroad = created[1].replace("us-east-1", "eu-west-1")
    with pytest.raises(ValidationError, match="ExclusiveStartBackupArn does not match the region"):
        database.call("ListBackups", {"ExclusiveStartBackupArn": abroad})
    with pytest.raises(ValidationError) as caught:
        database.call("ListBackups", {"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1})
    assert caught.value.message == (
        "One or more parameter values were invalid: Time range lower bound must be less than or "
        "equal to upper bound"
    )
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


@pytest.mark.parametrize("operation", ["DescribeBackup", "DeleteBackup", "RestoreTableFromBackup"])
def test_what_is_no_arn_of_a_backup_is_refused(database: Database, operation: str) -> None:
    arn = backed_up(database)
    more = {"TargetTableName": "restored"} if operation.startswith("Restore") else {}
    for wrong in (arn.partition("/backup/")[0], "x" * 48):
        with pytest.raises(ValidationError, match=r"^Invalid Backup ARN$"):
            database.call(operation, {"BackupArn": wrong, **more})
    with pytest.raises(AccessDenied, match="Access is denied"):
        database.call(operation, {"BackupArn": arn.replace("1234", "9876"), **more})


UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
BY_G = {
    "IndexName": "by_g",
    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def make_small(database: Database, *, is_provisioned: bool) -> str:
    """The ARN of a backup of a table with an index."""
    units = {"ProvisionedThroughput": UNITS} if is_provisioned else {}
    mode = {} if is_provisioned else {"BillingMode": "PAY_PER_REQUEST"}
    names = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")]
    request = {
        "TableName": "small",
        "AttributeDefinitions": names,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [BY_G | units],
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "SSESpecification": {"Enabled": True},
    }
    database.call("CreateTable", request | units | mode)
    created = database.call("CreateBackup", {"TableName": "small", "BackupName": "once"})
    return str(created["BackupDetails"]["BackupArn"])


def restored(database: Database, arn: str, **more: Any) -> dict[str, Any]:
    request = {"BackupArn": arn, "TargetTableName": "restored", **more}
    database.call("RestoreTableFromBackup", request)
    reply: dict[str, Any] = database.call("DescribeTable", {"TableName": "restored"})["Table"]
    return reply


def units_of(described: dict[str, Any]) -> tuple[int, int]:
    units = described["ProvisionedThroughput"]
    return units["ReadCapacityUnits"], units["WriteCapacityUnits"]


def test_encryption_is_restored_and_the_class_is_not(database: Database) -> None:
    arn = make_small(database, is_provisioned=False)
    reply = database.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert reply["SourceTableFeatureDetails"]["SSEDescription"]["Status"] == "ENABLED"
    table = restored(database, arn)
    assert table["SSEDescription"]["Status"] == "ENABLED"
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "TableClassSummary" not in table


def test_throughput_is_restored_or_overridden(database: Database) -> None:
    arn = make_small(database, is_provisioned=True)
    more = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}
    table = restored(database, arn, ProvisionedThroughputOverride=more)
    assert units_of(table) == (7, 8)
    assert units_of(table["GlobalSecondaryIndexes"][0]) == (5, 5)
    database.call("DeleteTable", {"TableName": "restored"})
    bounds = {"MaxReadRequestUnits": 50}
    table = restored(
        database, arn, BillingModeOverride="PAY_PER_REQUEST", OnDemandThroughputOverride=bounds
    )
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["OnDemandThroughput"] == bounds
    assert units_of(table) == units_of(table["GlobalSecondaryIndexes"][0]) == (0, 0)


def test_an_index_is_known_by_its_key_and_may_get_another_name(database: Database) -> None:
    arn = make_small(database, is_provisioned=True)
    override = BY_G | {"IndexName": "renamed", "ProvisionedThroughput": UNITS}
    table = restored(database, arn, GlobalSecondaryIndexOverride=[override])
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["renamed"]
    database.call("DeleteTable", {"TableName": "restored"})
    table = restored(database, arn, GlobalSecondaryIndexOverride=[])
    assert "GlobalSecondaryIndexes" not in table
    assert [each["AttributeName"] for each in table["AttributeDefinitions"]] == ["pk"]


@pytest.mark.parametrize(
    ("is_provisioned", "override", "words"),
    [
        (
            False,
            {"ProvisionedThroughputOverride": UNITS},
            "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
        ),
        (
            False,
            {"BillingModeOverride": "PROVISIONED"},
            "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
        ),
        (
            False,
            {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS},
            "Must specify provisioned throughput for index by_g",
        ),
        (
            False,
            {"OnDemandThroughputOverride": {"MaxWriteRequestUnits": 0}},
            "Requested MaxWriteRequestUnits for OnDemandThroughput is outside of valid range",
        ),
        (
            True,
            {"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": UNITS},
            "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
        ),
        (
            True,
            {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}},
            (
                "Cannot override MaxReadRequestUnits for OnDemandThroughput unless "
                "BillingModeOverride is PAY_PER_REQUEST"
            ),
        ),
        (
            True,
            {"GlobalSecondaryIndexOverride": [BY_G]},
            "Must specify provisioned throughput for index by_g",
        ),
        (
            True,
            {
                "BillingModeOverride": "PAY_PER_REQUEST",
                "GlobalSecondaryIndexOverride": [BY_G | {"ProvisionedThroughput": UNITS}],
            },
            (
                "Cannot override ProvisionedThroughput if BillingMode is overridden to "
                "PAY_PER_REQUEST for index by_g"
            ),
        ),
        (
            True,
            {
                "GlobalSecondaryIndexOverride": [
                    BY_G | {"Projection": {"ProjectionType": "KEYS_ONLY"}}
                ]
            },
            (
                "Index by_g does not match a secondary index that existed in the source table and "
                "cannot be created during the restore operation"
            ),
        ),
    ],
)
def test_overrides_that_do_not_fit_are_refused(
    database: Database, is_provisioned: bool, override: dict[str, Any], words: str
) -> None:
    arn = make_small(database, is_provisioned=is_provisioned)
    with pytest.raises(ValidationError) as caught:
        restored(database, arn, **override)
    assert caught.value.message == f"Invalid Request: {words}"


def recover(database: Database, *, enabled: bool = True, **more: Any) -> dict[str, Any]:
    request = {"PointInTimeRecoveryEnabled": enabled, **more}
    reply = database.call(
        "UpdateContinuousBackups",
        {"TableName": "things", "PointInTimeRecoverySpecification": request},
    )
    result: dict[str, Any] = reply["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    return result


def test_recovery_is_described(database: Database, clock: Clock) -> None:
    reply = database.call("DescribeContinuousBackups", {"TableName": "things"})
    assert reply["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    enabled = recover(database, RecoveryPeriodInDays=2)
    assert enabled["RecoveryPeriodInDays"] == 2
    assert enabled["EarliestRestorableDateTime"] == clock.now
    clock.now += 3 * DAY
    again = recover(database, RecoveryPeriodInDays=2)
    assert again["EarliestRestorableDateTime"] == clock.now - 2 * DAY
    with pytest.raises(ValidationError) as caught:
        recover(database, enabled=False, RecoveryPeriodInDays=2)
    assert caught.value.message == (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
        "recovery."
    )
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
    request = {"SourceTableName": "things", "TargetTableName": "then", "RestoreDateTime": then}
    reply = database.call("RestoreTableToPointInTime", request)["TableDescription"]
    assert reply["RestoreSummary"]["RestoreDateTime"] == then
    assert held(database, "then") == {"old": "3", "new": "2"}
    latest = {"SourceTableName": "things", "TargetTableName": "now"}
    database.call("RestoreTableToPointInTime", latest | {"UseLatestRestorableTime": True})
    assert held(database, "now") == held(database) == {"old": "3", "later": "4"}
    items = database.items_as_of("things", then)
    assert {item["sk"]["S"]: item["n"]["N"] for item in items} == {"old": "3", "new": "2"}


def test_only_times_within_the_period_can_be_restored(database: Database, clock: Clock) -> None:
    request = {"SourceTableName": "things", "TargetTableName": "then"}
    with pytest.raises(PointInTimeRecoveryUnavailable):
        database.call("RestoreTableToPointInTime", request | {"UseLatestRestorableTime": True})
    recover(database, RecoveryPeriodInDays=1)
    for wrong in (clock.now - 1, clock.now + 1, 1e30):
        with pytest.raises(InvalidRestoreTime) as caught:
            database.call("RestoreTableToPointInTime", request | {"RestoreDateTime": wrong})
        assert "' must be within EarliestRestorableDateTime '2027-01-15T08:00:00Z' and" in (
            caught.value.message
        )
    put(database, "1", 1)
    clock.now += 2 * DAY
    database.sweep_expired()
    with pytest.raises(InvalidRestoreTime):
        database.items_as_of("things", clock.now - 2 * DAY)
    assert len(database.items_as_of("things", clock.now)) == 1


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "The parameter 'TableName' is required but was not present in the request"),
        (
            {"SourceTableName": "things", "SourceTableArn": ARN},
            "Invalid Request: Must provide exactly one of: sourceTableArn, sourceTableName",
        ),
        ({"SourceTableArn": "things"}, "sourceTableArn is not a valid ARN"),
        (
            {"SourceTableName": "things"},
            (
                "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
                "specified, but not both"
            ),
        ),
        (
            {"SourceTableName": "things", "RestoreDateTime": 1, "UseLatestRestorableTime": True},
            (
                "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set "
                "for point-in-time restore request. Please specify either RestoreDateTime time or "
                "UseLatestRestorableTime"
            ),
        ),
        (
            {"SourceTableArn": ARN.replace("1234", "9876"), "UseLatestRestorableTime": True},
            (
                "This action is only supported by accounts that match the resource owner\u2019s "
                "account."
            ),
        ),
    ],
    ids=["nothing", "both", "no arn", "no time", "two times", "account"],
)
def test_what_to_restore_is_said_once(
    database: Database, asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        database.call("RestoreTableToPointInTime", {"TargetTableName": "then", **asked})
    assert caught.value.message == words


def test_a_table_may_be_restored_by_its_arn(database: Database) -> None:
    recover(database)
    request = {"TargetTableName": "then", "UseLatestRestorableTime": True}
    database.call("RestoreTableToPointInTime", request | {"SourceTableArn": ARN})
    with pytest.raises(TableNotFound, match=r"^Table not found$"):
        database.call("RestoreTableToPointInTime", request | {"SourceTableArn": f"{ARN}x"})


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
        expected = min(at, len(changes))
        then = clock.now - len(changes) + expected
        request = {"SourceTableName": "things", "TargetTableName": "then", "RestoreDateTime": then}
        database.call("RestoreTableToPointInTime", request)
        assert held(database, "then") == states[expected]
        reply = database.items_as_of("things", then)
        assert {item["sk"]["S"]: item["n"]["N"] for item in reply} == states[expected]
        assert database.check() == []

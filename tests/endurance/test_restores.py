"""Backups and restores of a table that is being written are the table at one moment.

Writers go on while a backup is taken, a table restored to now, and to a time that has passed. Each
copy has everything that was acknowledged before it, and no transaction of which a half is missing.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tests.crash.victim import create, faults_of, transaction

from .effort import Effort
from .talking import all_at_once

WRITERS = 3
MOMENTS = 3  # Of one file, each with three copies.

Json = dict[str, Any]
Acknowledged = list[tuple[str, str]]


@contextmanager
def written(path: Path) -> Iterator[tuple[Database, Acknowledged]]:
    """A database that threads write transactions into, and what it has acknowledged so far."""
    acknowledged: Acknowledged = []
    is_over = threading.Event()
    with Database.open(str(path)) as database:
        create(database)
        past = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": "pairs", "PointInTimeRecoverySpecification": past}
        database.call("UpdateContinuousBackups", request)

        def write(name: str) -> None:
            count = 0
            while not is_over.is_set():
                count += 1
                number = f"0.{name}.{count}"
                database.call("TransactWriteItems", transaction(name, number))
                acknowledged.append((name, number))

        threads = all_at_once([lambda n=n: write(f"t{n}") for n in range(WRITERS)])  # type: ignore[misc]
        try:
            yield database, acknowledged
        finally:
            is_over.set()
            for thread in threads:
                thread.join(30)
        assert database.check() == []


def restored_backup(database: Database, name: str) -> str:
    """A copy by way of a backup."""
    made = database.call("CreateBackup", {"TableName": "pairs", "BackupName": name})
    asked = {"BackupArn": made["BackupDetails"]["BackupArn"], "TargetTableName": name}
    database.call("RestoreTableFromBackup", asked)
    return name


def restored(database: Database, name: str, at: float | None = None) -> str:
    """A copy as of a time, or as of now."""
    when: Json = {"UseLatestRestorableTime": True} if at is None else {"RestoreDateTime": at}
    asked = {"SourceTableName": "pairs", "TargetTableName": name}
    database.call("RestoreTableToPointInTime", asked | when)
    return name


def copy_faults(database: Database, acknowledged: Acknowledged, number: int) -> list[str]:
    """Copy the table in three ways while it is written; returns what is wrong with the copies."""
    before = list(acknowledged)
    at = time.time()
    copies = {
        restored_backup(database, f"backup-{number}"): before,
        restored(database, f"now-{number}"): list(before),
        restored(database, f"then-{number}", at): before,
    }
    found = []
    for name, expected in copies.items():
        found += [f"{name}: {fault}" for fault in faults_of(database, name, expected)]
        database.call("DeleteTable", {"TableName": name})
    return found


@pytest.mark.trial("T18")
def test_copies_of_a_table_that_is_written_are_of_one_moment(
    tmp_path: Path, effort: Effort
) -> None:
    for number in effort.rounds("files", change=3, nightly=170, release=700):
        chance = effort.random(number)
        path = tmp_path / f"{number}.db"
        with written(path) as (database, acknowledged):
            for moment in range(MOMENTS):
                wait_for(acknowledged, len(acknowledged) + chance.randrange(5, 60))
                assert copy_faults(database, acknowledged, moment) == []
            effort.record(restores=3 * MOMENTS, acknowledged=len(acknowledged))
        path.unlink()


def wait_for(acknowledged: Acknowledged, count: int) -> None:
    end = time.monotonic() + 30
    while len(acknowledged) < count:
        assert time.monotonic() < end, "nothing is written any more"
        time.sleep(0.001)


# The checker itself is checked: a copy that is read page by page while others write is no moment.
def test_a_copy_that_is_made_piece_by_piece_is_found_out(tmp_path: Path) -> None:
    with written(tmp_path / "test.db") as (database, acknowledged):
        for _ in range(20):
            wait_for(acknowledged, len(acknowledged) + 20)
            if piecemeal_faults(database, list(acknowledged)):
                return
    raise AssertionError("no copy was found out")


def piecemeal_faults(database: Database, before: Acknowledged) -> list[str]:
    """What is wrong with a copy of scanned pages."""
    table = f"copy{random.getrandbits(32)}"
    schema = database.call("DescribeTable", {"TableName": "pairs"})["Table"]
    keys = [part["AttributeName"] for part in schema["KeySchema"]]
    request = {
        "TableName": table,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": schema["KeySchema"],
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
    }
    database.call("CreateTable", request)
    start: Json = {}
    while True:
        page = database.call("Scan", {"TableName": "pairs", "Limit": 20, **start})
        for item in page["Items"]:
            database.call("PutItem", {"TableName": table, "Item": item})
        if "LastEvaluatedKey" not in page:
            return faults_of(database, table, before)
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

"""Long jobs of the engine that are killed anywhere. Run as a process by test_kill_jobs.py.

A job runs in a fork that dies at the n-th change of a file, for a random n up to as many as the
whole job makes. Whoever opens the file then finds everything that was there before, and of the job
all or nothing; and the job can be done again.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from tablewright.engine.database import Database
from tablewright.engine.sqlite.rows import Session
from tests.engine.sample_tables import key_schema, make_table, number, text

from . import dying

ITEMS = 150
Json = dict[str, Any]


def make_template(path: str) -> None:
    """A table with items, indexes, a backup and a past."""
    with Database.open(path, durability="relaxed") as database:
        make_table(database)
        past = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": "things", "PointInTimeRecoverySpecification": past}
        database.call("UpdateContinuousBackups", request)
        for n in range(ITEMS):
            item = {"pk": text(f"p{n % 7}"), "sk": text(f"{n:04}"), "fill": text("f" * 400)}
            more = {"g": text(f"g{n % 3}"), "h": number(n), "l": number(-n)}
            database.call("PutItem", {"TableName": "things", "Item": item | more})
        database.call("CreateBackup", {"TableName": "things", "BackupName": "first"})


def make_older(path: str, version: int) -> None:
    """Turn a file into one of format 1 or 2: other hashes, other sizes, and no backups in 1."""
    with Database.open(path, durability="relaxed") as database:
        past = {"PointInTimeRecoveryEnabled": False}
        request = {"TableName": "things", "PointInTimeRecoverySpecification": past}
        database.call("UpdateContinuousBackups", request)
        for backup in database.call("ListBackups", {})["BackupSummaries"]:
            database.call("DeleteBackup", {"BackupArn": backup["BackupArn"]})
    older = sqlite3.connect(path)
    older.create_function("hashed", 1, lambda key: crc32(key[4:]).to_bytes(4, "big") + key[4:])
    tables = older.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (name,) in tables:
        if name.startswith(("items_", "index_", "expiry_")):
            older.execute(f"UPDATE {name} SET hash = hashed(hash)")
        if name.startswith("items_"):
            older.execute(f"UPDATE {name} SET size = size - 1")
        if name.startswith("index_"):
            older.execute(f"UPDATE {name} SET item_hash = hashed(item_hash)")
        if version == 1 and name in ("streams", "records", "backups", "history"):
            older.execute(f"DROP TABLE {name}")
    older.execute(f"PRAGMA user_version = {version}")
    older.commit()
    older.close()


# Jobs: what is done with an open database.


def write_the_log_back(database: Database) -> None:
    for n in range(20):
        item = {"pk": text("log"), "sk": text(f"{n:04}"), "fill": text("f" * 4000)}
        database.call("PutItem", {"TableName": "things", "Item": item})
    database.storage.writer.connection.wal_checkpoint(mode=3)


def back_up(database: Database) -> None:
    database.call("CreateBackup", {"TableName": "things", "BackupName": "second"})


def restore_a_backup(database: Database) -> None:
    [backup] = database.call("ListBackups", {})["BackupSummaries"]
    asked = {"BackupArn": backup["BackupArn"], "TargetTableName": "restored"}
    database.call("RestoreTableFromBackup", asked)


def restore_to_a_time(database: Database) -> None:
    asked = {"SourceTableName": "things", "TargetTableName": "restored"}
    database.call("RestoreTableToPointInTime", asked | {"UseLatestRestorableTime": True})


def build_an_index(database: Database) -> None:
    create = {
        "IndexName": "by_h",
        "KeySchema": key_schema("h"),
        "Projection": {"ProjectionType": "ALL"},
    }
    request = {
        "TableName": "things",
        "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "N"}],
        "GlobalSecondaryIndexUpdates": [{"Create": create}],
    }
    database.call("UpdateTable", request)


def only_open(database: Database) -> None:
    """An older file is brought to this format when it is opened."""


Job = Callable[[Database], None]
JOBS: dict[str, Job] = {
    "checkpoint": write_the_log_back,
    "backup": back_up,
    "restore from a backup": restore_a_backup,
    "restore to a time": restore_to_a_time,
    "index": build_an_index,
    "upgrade from 1": only_open,
    "upgrade from 2": only_open,
}


def in_a_fork(work: Callable[[], None]) -> int:
    """Run it in a process of its own; returns how that ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  # Nothing of it may reach the parent.
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def run_job(path: str, job: Job) -> None:
    with Database.open(path, durability="relaxed") as database:
        job(database)


def calls_of(path: str, job: Job) -> int:
    """How many changes of files the whole job makes."""
    told = Path(path).with_suffix(".count")

    def work() -> None:
        count = dying.count_calls()
        run_job(path, job)
        told.write_text(str(count()))

    assert in_a_fork(work) == 0
    return int(told.read_text())


def items_of(database: Database, table: str) -> list[Json]:
    found: list[Json] = []
    start: Json = {}
    while True:
        page = database.call("Scan", {"TableName": table, **start})
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return [item for item in found if item["pk"] != text("log")]
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def judge(path: str, job: Job, before: list[Json]) -> list[str]:
    """What is wrong with a file in which a job was killed."""
    with Database.open(path, durability="relaxed") as database:
        problems = database.check()
        tables = database.call("ListTables", {})["TableNames"]
        for table in tables:
            if items_of(database, table) != before:
                problems.append(f"lost: {table} has not what it had")
        for n, backup in enumerate(database.call("ListBackups", {})["BackupSummaries"]):
            asked = {"BackupArn": backup["BackupArn"], "TargetTableName": f"from-{n}"}
            database.call("RestoreTableFromBackup", asked)
            if items_of(database, f"from-{n}") != before:
                problems.append(f"half: backup {backup['BackupName']}")
            database.call("DeleteTable", {"TableName": f"from-{n}"})
        is_index_there = any(
            index["IndexName"] == "by_h"
            for index in database.call("DescribeTable", {"TableName": "things"})["Table"][
                "GlobalSecondaryIndexes"
            ]
        )
        is_done = "restored" in tables or is_index_there
        if not is_done:
            job(database)
        return problems + database.check()


def break_transactions() -> None:
    """The planted fault: every statement is a transaction of its own."""
    Session.begin = lambda self: None  # type: ignore[method-assign]
    Session.commit = lambda self: None  # type: ignore[method-assign]


def main(folder: str, name: str, kills: int, seed: str, is_broken: bool) -> Json:
    place, job, chance = Path(folder), JOBS[name], random.Random(seed)
    template = str(place / "template.db")
    make_template(template)
    with Database.open(template) as database:
        before = items_of(database, "things")
    if name.startswith("upgrade"):
        make_older(template, int(name[-1]))
    path = str(place / "test.db")
    shutil.copy(template, path)
    calls = calls_of(path, job)
    problems: list[str] = []
    for _ in range(kills):
        for left in place.glob("test.db*"):
            left.unlink()
        shutil.copy(template, path)
        nth = chance.randrange(1, calls + 1)

        def work(nth: int = nth) -> None:
            dying.die_at_call(nth)
            if is_broken:
                break_transactions()
            run_job(path, job)

        in_a_fork(work)
        try:
            found = judge(path, job, before)
        except Exception as error:  # noqa: BLE001  # Whatever it is, it is a fault.
            found = [f"{type(error).__name__}: {error}"]
        problems += [f"killed at change {nth} of {calls}: {problem}" for problem in found]
        if problems:
            break
    return {"problems": problems[:10], "calls": calls}


if __name__ == "__main__":
    report = main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5] == "broken")
    print(json.dumps(report))  # noqa: T201  # Read by test_kill_jobs.py.

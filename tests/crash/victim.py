"""Writers that are killed, and the look at what they left. Run as a process by test_kill.py.

Each cycle forks a victim that opens the file and writes transactions from several threads; every
acknowledged one is told through a pipe. The victim is killed: from outside at some moment, or by
itself just before or after a COMMIT, or while a checkpoint writes into the database. Then the file
is opened again and must hold every acknowledged transaction, whole, and nothing half.

One transaction of thread t, number n: item t/n, its mirror n/t, and the thread's counter + 1.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import apsw

from tablewright.engine.database import Database

from . import dying

THREADS = 4
WAYS = ("outside", "before commit", "after commit", "in a checkpoint")
CHECKPOINT_PAGES = 20  # So that there is one soon.


def create(database: Database) -> None:
    if database.tables:
        return
    keys = ("pk", "sk")
    database.call(
        "CreateTable",
        {
            "TableName": "pairs",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [
                {"AttributeName": name, "KeyType": kind}
                for name, kind in zip(keys, ("HASH", "RANGE"), strict=True)
            ],
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in (*keys, "mirror")
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "mirrors",
                    "KeySchema": [{"AttributeName": "mirror", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        },
    )


def transaction(thread: str, number: str) -> dict[str, Any]:
    def put(pk: str, sk: str) -> dict[str, Any]:
        item = {"pk": {"S": pk}, "sk": {"S": sk}, "mirror": {"S": sk}, "fill": {"S": "x" * 200}}
        return {"Put": {"TableName": "pairs", "Item": item}}

    count = {
        "TableName": "pairs",
        "Key": {"pk": {"S": thread}, "sk": {"S": "count"}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    actions = [put(thread, number), put(number, thread), {"Update": count}]
    return {"TransactItems": actions}


def write_until_killed(
    path: str, pipe: int, chance: random.Random, cycle: int, acknowledge_early: bool
) -> None:
    """What the victim does. Never returns."""
    way = WAYS[cycle % len(WAYS)]
    if way == "in a checkpoint":
        dying.die_at_call(chance.randrange(1, 60), of=Path(path).name)
    database = Database.open(path)
    if way == "in a checkpoint":
        database.storage.writer.connection.wal_autocheckpoint(CHECKPOINT_PAGES)
    elif way != "outside":
        die_at_commit(database, chance.randrange(1, 30), after=way == "after commit")
    create(database)

    def write(thread: int) -> None:
        for n in range(1_000_000):
            number = f"{cycle}.{thread}.{n}"
            told = f"t{thread} {number}\n".encode()
            if acknowledge_early:
                os.write(pipe, told)
            database.call("TransactWriteItems", transaction(f"t{thread}", number))
            if not acknowledge_early:
                os.write(pipe, told)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def die_at_commit(database: Database, nth: int, *, after: bool) -> None:
    """Die as SQLite begins the nth COMMIT, or as soon as it has ended it."""
    commits = 0

    def note(event: dict[str, Any]) -> None:
        nonlocal commits
        if event["sql"] == "COMMIT":
            commits += 1
            if commits == nth:
                os.kill(os.getpid(), signal.SIGKILL)

    moment = apsw.SQLITE_TRACE_PROFILE if after else apsw.SQLITE_TRACE_STMT
    database.storage.writer.connection.trace_v2(moment, note)


def kill_one(path: str, cycle: int, seed: int, acknowledge_early: bool) -> list[tuple[str, str]]:
    """Run and kill one victim; returns what it acknowledged."""
    way = WAYS[cycle % len(WAYS)]
    chance = random.Random(f"{seed} {cycle}")
    source, sink = os.pipe()
    victim = os.fork()
    if victim == 0:
        os.close(source)
        try:
            write_until_killed(path, sink, chance, cycle, acknowledge_early)
        finally:
            os._exit(1)
    os.close(sink)
    told = b""
    delay = chance.uniform(0.0, 0.04)
    kill_at = None
    while True:
        wait = None if kill_at is None else max(0.0, kill_at - time.monotonic())
        ready, _, _ = select.select([source], [], [], wait)
        if not ready:
            os.kill(victim, signal.SIGKILL)
            kill_at = None
            continue
        chunk = os.read(source, 65536)
        if not chunk:
            break
        if not told and way == "outside":
            kill_at = time.monotonic() + delay
        told += chunk
    os.close(source)
    _, status = os.waitpid(victim, 0)
    assert os.WIFSIGNALED(status), f"the victim of cycle {cycle} ended by itself: {status}"
    lines = told.decode().split("\n")[:-1]  # The last line may be cut.
    return [(line.split()[0], line.split()[1]) for line in lines]


def look(path: str, acknowledged: list[tuple[str, str]]) -> tuple[float, list[str]]:
    """Open what a victim left; returns how long that took and what is wrong."""
    started = time.perf_counter()
    with Database.open(path) as database:
        seconds = time.perf_counter() - started
        if not database.tables:
            return seconds, [f"lost {len(acknowledged)}"] if acknowledged else []
        return seconds, database.check() + faults_of(database, "pairs", acknowledged)


def faults_of(database: Database, table: str, acknowledged: list[tuple[str, str]]) -> list[str]:
    """What is lost of a table of pairs, or only half there."""
    rows: set[tuple[str, str]] = set()
    counters: dict[str, int] = {}
    start: dict[str, Any] = {}
    while True:
        page = database.call("Scan", {"TableName": table, **start})
        for item in page["Items"]:
            if item["sk"]["S"] == "count":
                counters[item["pk"]["S"]] = int(item["n"]["N"])
            else:
                rows.add((item["pk"]["S"], item["sk"]["S"]))
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    problems = [f"lost: {told}" for told in acknowledged if told not in rows]
    problems += [f"half: {row}" for row in rows if row[::-1] not in rows]
    for thread, count in counters.items():
        found = sum(1 for row in rows if row[0] == thread)
        if found != count:
            problems.append(f"counter of {thread} is {count}, but it has {found}")
    return problems


def main(folder: str, cycles: int, seed: int, acknowledge_early: bool) -> dict[str, Any]:
    slowest, problems = 0.0, []
    acknowledged: list[tuple[str, str]] = []
    path = str(Path(folder) / "test.db")
    for cycle in range(cycles):
        acknowledged += kill_one(path, cycle, seed, acknowledge_early)
        seconds, found = look(path, acknowledged)
        slowest = max(slowest, seconds)
        problems += [f"cycle {cycle}: {problem}" for problem in found]
        if problems:
            break
    return {"slowest_open": slowest, "problems": problems[:10], "acknowledged": len(acknowledged)}


if __name__ == "__main__":
    report = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "early")
    print(json.dumps(report))  # noqa: T201  # Read by test_kill.py.

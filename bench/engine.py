"""``./dev bench engine``: the engine beside its peers, in one run on one machine.

Over HTTP: this server with every write on disk, and in memory, against dynalite, moto, ministack,
dynoxide and DynamoDB Local, all in memory. In process: against the same bytes in bare SQLite, and
against moto; and against itself, with a hundred times as many items. Only the ratios mean anything:
machines differ from each other, and from themselves a minute ago, so contestants take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import orjson
from rich.console import Console
from rich.table import Table

import load
import peers
from tablewright import Database

ITEMS = 1000
PAGE_ITEMS = 20
TURNS = 7  # Many short ones: a slow moment of the machine spoils one of them, not the middle.
PROCESS_ITEMS = 20_000
PROCESS_ROUNDS = 15
PROCESS_TURN = 200  # So many in a row, as moto has them.
FEW_ITEMS = 10_000
MANY_ITEMS = 1_000_000
GROWTH_ROUNDS = 3000
OURS = "tablewright"
OURS_IN_MEMORY = "tablewright in memory"
ANOTHER = "value, number {m}"  # Of an item that is not what it was: see `load`.

TABLE: dict[str, Any] = {
    "TableName": "Bench",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def item(pk: str, sk: str, first: str = "value of a usual length") -> dict[str, Any]:
    """Ten attributes, about 400 bytes of JSON."""
    fields = {f"field{number}": {"S": "value of a usual length"} for number in range(6)}
    fields["field0"]["S"] = first
    return {"pk": {"S": pk}, "sk": {"S": sk}, **fields, "n": {"N": "12"}, "flag": {"BOOL": True}}


def key(n: str) -> dict[str, Any]:
    return {"pk": {"S": f"USER#{n}"}, "sk": {"S": "PROFILE"}}


def transaction(n: str) -> dict[str, Any]:
    items = [item(f"TX#{n}", str(number), ANOTHER) for number in range(3)]
    return {"TransactItems": [{"Put": {"TableName": "Bench", "Item": one}} for one in items]}


# Name, operation, request, and what the best peer's rate is to be multiplied by at least.
RACES: list[tuple[str, str, dict[str, Any], float]] = [
    ("GetItem", "GetItem", {"TableName": "Bench", "Key": key("{n}")}, 4.0),
    (
        "PutItem",
        "PutItem",
        {"TableName": "Bench", "Item": item("USER#{n}", "PROFILE", ANOTHER)},
        3.0,
    ),
    (
        f"Query {PAGE_ITEMS}",
        "Query",
        {
            "TableName": "Bench",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "PAGE"}},
        },
        3.0,
    ),
    (
        "UpdateItem ADD",
        "UpdateItem",
        {
            "TableName": "Bench",
            "Key": key("{n}"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        },
        3.0,
    ),
    ("TransactWriteItems 3", "TransactWriteItems", transaction("{n}"), 3.0),
]

Results = dict[tuple[str, int, str], load.Measured]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench engine", description=__doc__)
    parser.add_argument("--seconds", type=int, default=1, help="of each turn (1)")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 32], help="(1 32)")
    parser.add_argument("--only", choices=["http", "process", "growth"], help="one part of it")
    parser.add_argument("--json", type=Path, help="write the figures into this file as well")
    options = parser.parse_args()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
    figures: dict[str, Any] = {}
    if options.only in (None, "http"):
        results, skipped = race_over_http(options.connections, options.seconds, console)
        show_http(console, results, skipped, options.connections)
        figures["http"] = [
            {"race": race, "connections": number, "peer": peer, **vars(measured)}
            for (race, number, peer), measured in results.items()
        ]
    if options.only in (None, "process"):
        figures["process"] = race_in_process(console)
    if options.only in (None, "growth"):
        figures["growth"] = race_growth(console)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")


# Over HTTP.


def race_over_http(
    connections: list[int], seconds: int, console: Console
) -> tuple[Results, dict[str, str]]:
    """Race all servers, side by side: in every race they take turns, and the middle turn counts."""
    results: Results = {}
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder, contextlib.ExitStack() as stopping:
        contestants: dict[str, Callable[[], peers.Peer]] = {
            OURS: lambda: peers.tablewright(f"sqlite:///{folder}/bench.db", OURS),
            OURS_IN_MEMORY: lambda: peers.tablewright("sqlite://:memory:", OURS_IN_MEMORY),
            "dynalite": peers.dynalite,
            "moto": peers.moto,
            "ministack": peers.ministack,
            "dynoxide": peers.dynoxide,
            "DynamoDB Local": peers.dynamodb_local,
        }
        urls: dict[str, str] = {}
        for name, find in contestants.items():
            try:
                urls[name] = stopping.enter_context(peers.running(find()))
                set_stage(urls[name])
            except peers.Missing as reason:
                skipped[name] = str(reason)
        for race, operation, request, _ in RACES:
            shot = load.dynamodb(operation, json.dumps(request, separators=(",", ":")))
            for number in connections:
                console.print(f"racing {race} on {number} connections", style="dim")
                for name, measured in race_once(urls, shot, number, seconds).items():
                    results[race, number, name] = measured
    return results, skipped


def stage() -> list[dict[str, Any]]:
    """The items that are there before a race."""
    items = [item(f"USER#{number:06d}", "PROFILE") for number in range(ITEMS)]
    return items + [item("PAGE", f"{number:03d}") for number in range(PAGE_ITEMS)]


def set_stage(url: str) -> None:
    load.call(url, "CreateTable", TABLE)
    items = stage()
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": entry}} for entry in items[start : start + 25]]
        load.call(url, "BatchWriteItem", {"RequestItems": {"Bench": puts}})


def race_once(
    urls: dict[str, str], shot: load.Shot, connections: int, seconds: int
) -> dict[str, load.Measured]:
    turns: dict[str, list[load.Measured]] = {}
    for turn in range(-1, TURNS):  # The first is for warming up.
        for name, url in urls.items():
            load.settle()
            try:
                measured = load.measure(
                    url, shot, connections=connections, seconds=seconds, count=ITEMS
                )
            except load.Refused:  # dynalite has no transactions.
                continue
            if turn >= 0:
                turns.setdefault(name, []).append(measured)
    return {
        name: sorted(found, key=lambda measured: measured.per_second)[len(found) // 2]
        for name, found in turns.items()
    }


def show_http(
    console: Console, results: Results, skipped: dict[str, str], connections: list[int]
) -> None:
    names = list(dict.fromkeys(name for _, _, name in results))
    shown = Table("requests/s over HTTP", "conn.", title_justify="left")
    for name in (*names, "ratio to the best peer", "target"):
        shown.add_column(name, justify="right")
    for race, _, _, target in RACES:
        for number in connections:
            found = {name: results.get((race, number, name)) for name in names}
            rates = {name: one.per_second for name, one in found.items() if one is not None}
            best = max((rates[name] for name in rates if not name.startswith(OURS)), default=0.0)
            ratio = f"{rates[OURS] / best:.1f}×" if best and OURS in rates else "–"
            goal = f"≥ {target:g}×" if number >= 32 else ""
            shown.add_row(
                race, str(number), *(shown_rate(rates.get(name)) for name in names), ratio, goal
            )
    console.print(shown)
    console.print(
        f"{OURS} has every write on disk before it answers; the peers keep all in memory."
    )
    for name, reason in skipped.items():
        console.print(f"skipped {name}: {reason}", style="yellow")


def shown_rate(per_second: float | None) -> str:
    return "–" if per_second is None else f"{per_second:,.0f}"


# In process.


def race_in_process(console: Console) -> dict[str, float]:
    """Time calls in turns of a few of each kind, so that a slow moment of the machine is shared."""
    requests = {
        name: [json.loads(load.filled(json.dumps(request), n, n)) for n in range(PROCESS_ITEMS)]
        for name, request in (("GetItem", RACES[0][2]), ("PutItem", RACES[1][2]))
    }
    stored = [item(f"USER#{n:06d}", "PROFILE") for n in range(PROCESS_ITEMS)]
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder, contextlib.ExitStack() as closing:
        runners: dict[str, Callable[[int], object]] = {}
        stores = {
            "relaxed": Database.open(f"sqlite:///{folder}/relaxed.db", durability="relaxed"),
            "full": Database.open(f"sqlite:///{folder}/full.db", durability="full"),
            "memory": Database.open("sqlite://:memory:"),
        }
        for store, opened in stores.items():
            database = closing.enter_context(opened)
            database.call("CreateTable", TABLE)
            fill(database, stored)
            for name, kind in (("get", "GetItem"), ("put", "PutItem")):
                runners[f"{name} {store}"] = call_nth(database.call_json, kind, requests[kind])
        bare = closing.enter_context(contextlib.closing(BareSqlite(f"{folder}/bare.db")))
        bare.fill(stored)
        runners["sqlite get"] = lambda n: bare.get(requests["GetItem"][n])
        runners["sqlite put"] = lambda n: bare.put(requests["PutItem"][n])
        figures = median_us(runners)
    try:
        figures |= time_moto(peers.moto_python())
    except peers.Missing as reason:
        console.print(f"skipped moto in process: {reason}", style="yellow")
    show_process(console, figures)
    return figures


def race_growth(console: Console) -> dict[str, float]:
    """What calls cost in a file of few items and in one of many, which take turns."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder, contextlib.ExitStack() as closing:
        databases: dict[int, Database] = {}
        for size in (FEW_ITEMS, MANY_ITEMS):
            opened = Database.open(f"sqlite:///{folder}/{size}.db", durability="relaxed")
            databases[size] = closing.enter_context(opened)
            grow(databases[size], size)
            gc.collect()
            figures[f"MB of memory {size}"] = memory_used()
        figures |= grown_costs(databases)
    shown = Table("in process, µs at the median", title_justify="left")
    for heading in (f"{FEW_ITEMS:,} items", f"{MANY_ITEMS:,} items", "growth", "target"):
        shown.add_column(heading, justify="right")
    for name in ("GetItem", f"Query {PAGE_ITEMS}", "PutItem", "MB of memory"):
        few, many = figures[f"{name} {FEW_ITEMS}"], figures[f"{name} {MANY_ITEMS}"]
        goal = "" if name.startswith("MB") else "≤ 1.5×"
        shown.add_row(name, f"{few:,.1f}", f"{many:,.1f}", f"{many / few:.1f}×", goal)
    console.print(shown)
    return figures


def memory_used() -> float:
    """The MB that this process has in memory; where the system does not tell, the most it had."""
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
        return pages * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def grow(database: Database, size: int) -> None:
    """Fill a new database with so many items."""
    database.call("CreateTable", TABLE)
    for start in range(0, size, FEW_ITEMS):  # A million at once would count as memory, too.
        numbers = range(start, start + FEW_ITEMS)
        fill(database, [item(f"USER#{n // PAGE_ITEMS:06d}", f"{n:07d}") for n in numbers])


def grown_costs(databases: dict[int, Database]) -> dict[str, float]:
    """The median cost of calls for random items, by their kind and the number of items."""
    chance = random.Random(2)
    running = count()

    def place(size: int) -> tuple[str, str]:
        n = chance.randrange(size)
        return f"USER#{n // PAGE_ITEMS:06d}", f"{n:07d}"

    def get(size: int) -> dict[str, Any]:
        pk, sk = place(size)
        return {"TableName": "Bench", "Key": {"pk": {"S": pk}, "sk": {"S": sk}}}

    def query(size: int) -> dict[str, Any]:
        return RACES[2][2] | {"ExpressionAttributeValues": {":p": {"S": place(size)[0]}}}

    def put(size: int) -> dict[str, Any]:
        return {
            "TableName": "Bench",
            "Item": item(*place(size), load.filled(ANOTHER, 0, next(running))),
        }

    makers = {"GetItem": get, f"Query {PAGE_ITEMS}": query, "PutItem": put}
    costs: dict[str, list[int]] = {}
    for _ in range(GROWTH_ROUNDS):
        for size, database in databases.items():
            for name, make in makers.items():
                request = make(size)
                started = time.perf_counter_ns()
                database.call_json(name.split()[0], request)
                spent = time.perf_counter_ns() - started
                costs.setdefault(f"{name} {size}", []).append(spent)
    return {name: sorted(spent)[len(spent) // 2] / 1000 for name, spent in costs.items()}


def fill(database: Database, items: list[dict[str, Any]]) -> None:
    for at in range(0, len(items), 25):
        batch = [{"PutRequest": {"Item": entry}} for entry in items[at : at + 25]]
        database.call("BatchWriteItem", {"RequestItems": {"Bench": batch}})


def call_nth(
    call: Callable[[str, Any], object], kind: str, requests: list[Any]
) -> Callable[[int], object]:
    return lambda n: call(kind, requests[n])


def median_us(runners: dict[str, Callable[[int], object]]) -> dict[str, float]:
    """The median cost of each runner, on random items."""
    chance = random.Random(1)
    spent: dict[str, list[int]] = {name: [] for name in runners}
    gc.disable()
    for _ in range(PROCESS_ROUNDS):
        for name, run in runners.items():
            for _ in range(PROCESS_TURN):
                n = chance.randrange(PROCESS_ITEMS)
                started = time.perf_counter_ns()
                run(n)
                spent[name].append(time.perf_counter_ns() - started)
    gc.enable()
    return {name: sorted(times)[len(times) // 2] / 1000 for name, times in spent.items()}


def show_process(console: Console, figures: dict[str, float]) -> None:
    shown = Table("in process, µs at the median", title_justify="left")
    for name in (
        "tablewright",
        "bare SQLite",
        "times bare",
        "target",
        "moto",
        "times faster",
        "target",
    ):
        shown.add_column(name, justify="right")
    for row, ours, bare, moto, target in (
        ("GetItem", "get relaxed", "sqlite get", "moto get", "≤ 2.5×"),
        ("PutItem, relaxed", "put relaxed", "sqlite put", "moto put", "≤ 1.6×"),
        ("PutItem, full", "put full", "", "moto put", ""),
        ("GetItem, in memory as moto's", "get memory", "", "moto get", ""),
        ("PutItem, in memory as moto's", "put memory", "", "moto put", ""),
    ):
        cost, floor, peer = figures[ours], figures.get(bare), figures.get(moto)
        shown.add_row(
            row,
            f"{cost:,.1f}",
            f"{floor:,.1f}" if floor else "",
            f"{cost / floor:.1f}×" if floor else "",
            target,
            f"{peer:,.0f}" if peer else "–",
            f"{peer / cost:,.0f}×" if peer else "–",
            "≥ 100×" if target else "",
        )
    console.print(shown)


class BareSqlite:
    """The floor: the same bytes under the same key, each put a transaction, nothing checked."""

    def __init__(self, path: str) -> None:
        self._connection = apsw.Connection(path)
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "off")
        self._connection.execute(
            "CREATE TABLE items (h BLOB, r BLOB, body BLOB, PRIMARY KEY (h, r)) WITHOUT ROWID"
        )
        self.close = self._connection.close

    def fill(self, items: list[dict[str, Any]]) -> None:
        with self._connection:
            for entry in items:
                self._write(entry)

    def get(self, request: dict[str, Any]) -> object:
        key = request["Key"]
        place = (key["pk"]["S"].encode(), key["sk"]["S"].encode())
        return self._connection.execute(
            "SELECT body FROM items WHERE h = ? AND r = ?", place
        ).fetchone()

    def put(self, request: dict[str, Any]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._write(request["Item"])
        self._connection.execute("COMMIT")

    def _write(self, entry: dict[str, Any]) -> None:
        row = (entry["pk"]["S"].encode(), entry["sk"]["S"].encode(), orjson.dumps(entry))
        self._connection.execute(
            "INSERT INTO items VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET body = ?3", row
        )


MOTO_PROGRAM = """
import json, sys, time
import boto3
from moto import mock_aws
table, item, key, calls = json.loads(sys.argv[1])
def p50(call):
    spent = []
    for _ in range(calls):
        started = time.perf_counter_ns(); call(); spent.append(time.perf_counter_ns() - started)
    return sorted(spent)[calls // 2] / 1000
with mock_aws():
    client = boto3.client("dynamodb", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    client.create_table(**table)
    put = p50(lambda: client.put_item(TableName="Bench", Item=item))
    get = p50(lambda: client.get_item(TableName="Bench", Key=key))
print(json.dumps({"moto get": get, "moto put": put}))
"""


def time_moto(python: Path) -> dict[str, float]:
    argument = json.dumps([TABLE, item("USER#000001", "PROFILE"), key("000001"), PROCESS_TURN])
    done = subprocess.run(
        [str(python), "-c", MOTO_PROGRAM, argument], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise peers.Missing(done.stderr.strip().splitlines()[-1])
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()

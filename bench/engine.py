"""``./dev bench engine``: the engine beside its peers, in one run on one machine.

Over HTTP: this server with every write on disk, and in memory, against dynalite, moto and DynamoDB
Local, all in memory. In process: against the same bytes in bare SQLite, and against moto. Only the
ratios mean anything: machines differ, and the peers run one after the other on this one.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
from rich.console import Console
from rich.table import Table

import load
import peers
from tablewright import Database
from tablewright.engine.storage import Durability

ITEMS = 1000
PAGE_ITEMS = 20
OURS = "tablewright"
OURS_IN_MEMORY = "tablewright in memory"

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


def item(pk: str, sk: str) -> dict[str, Any]:
    """Ten attributes, about 400 bytes of JSON."""
    fields = {f"field{number}": {"S": "value of a usual length"} for number in range(6)}
    return {"pk": {"S": pk}, "sk": {"S": sk}, **fields, "n": {"N": "12"}, "flag": {"BOOL": True}}


def key(n: str) -> dict[str, Any]:
    return {"pk": {"S": f"USER#{n}"}, "sk": {"S": "PROFILE"}}


def transaction(n: str) -> dict[str, Any]:
    puts = [{"Put": {"TableName": "Bench", "Item": item(f"TX#{n}", str(i))}} for i in range(3)]
    return {"TransactItems": puts}


# Name, operation, request, and what the best peer's rate is to be multiplied by at least.
RACES: list[tuple[str, str, dict[str, Any], float]] = [
    ("GetItem", "GetItem", {"TableName": "Bench", "Key": key("{n}")}, 4.0),
    ("PutItem", "PutItem", {"TableName": "Bench", "Item": item("USER#{n}", "PROFILE")}, 3.0),
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
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement (3)")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 32], help="(1 32)")
    parser.add_argument("--only", choices=["http", "process"], help="one half of it")
    parser.add_argument("--json", type=Path, help="write the figures into this file as well")
    options = parser.parse_args()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
    figures: dict[str, Any] = {}
    if options.only != "process":
        results, skipped = race_over_http(options.connections, options.seconds, console)
        show_http(console, results, skipped, options.connections)
        figures["http"] = [
            {"race": race, "connections": number, "peer": peer, **vars(measured)}
            for (race, number, peer), measured in results.items()
        ]
    if options.only != "http":
        figures["process"] = race_in_process(console)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")


# Over HTTP.


def race_over_http(
    connections: list[int], seconds: float, console: Console
) -> tuple[Results, dict[str, str]]:
    results: Results = {}
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder:
        contestants: dict[str, Callable[[], peers.Peer]] = {
            OURS: lambda: peers.tablewright(f"sqlite:///{folder}/bench.db", OURS),
            OURS_IN_MEMORY: lambda: peers.tablewright("sqlite://:memory:", OURS_IN_MEMORY),
            "dynalite": peers.dynalite,
            "moto": peers.moto,
            "DynamoDB Local": peers.dynamodb_local,
        }
        for name, find in contestants.items():
            try:
                with peers.running(find()) as url:
                    console.print(f"racing {name}", style="dim")
                    results |= race_one(name, url, connections, seconds)
            except peers.Missing as reason:
                skipped[name] = str(reason)
    return results, skipped


def race_one(name: str, url: str, connections: list[int], seconds: float) -> Results:
    load.call(url, "CreateTable", TABLE)
    items = [item(f"USER#{number:06d}", "PROFILE") for number in range(ITEMS)]
    items += [item("PAGE", f"{number:03d}") for number in range(PAGE_ITEMS)]
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": entry}} for entry in items[start : start + 25]]
        load.call(url, "BatchWriteItem", {"RequestItems": {"Bench": puts}})
    results: Results = {}
    for race, operation, request, _ in RACES:
        body = json.dumps(request, separators=(",", ":"))
        for number in connections:
            try:
                load.measure(url, operation, body, connections=number, seconds=1, count=ITEMS)
                results[race, number, name] = load.measure(
                    url, operation, body, connections=number, seconds=seconds, count=ITEMS
                )
            except load.Refused:  # dynalite has no transactions.
                break
    return results


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
    gets, puts = RACES[0][2], RACES[1][2]
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=peers.CACHE) as folder:
        figures["sqlite get"], figures["sqlite put"] = time_bare_sqlite(f"{folder}/bare.db")
        choices: tuple[Durability, ...] = ("relaxed", "full")
        for durability in choices:
            with Database.open(f"sqlite:///{folder}/{durability}.db", durability=durability) as db:
                db.call("CreateTable", TABLE)
                for n in numbers():
                    db.call("PutItem", substitute(puts, n))
                figures[f"get {durability}"] = p50_us(db.call_json, "GetItem", gets)
                figures[f"put {durability}"] = p50_us(db.call_json, "PutItem", puts)
    try:
        figures |= time_moto(peers.moto_python())
    except peers.Missing as reason:
        console.print(f"skipped moto in process: {reason}", style="yellow")
    show_process(console, figures)
    return figures


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


def numbers() -> list[str]:
    return [f"{number:06d}" for number in range(ITEMS)]


def substitute(request: dict[str, Any], n: str) -> Any:
    return json.loads(json.dumps(request).replace("{n}", n))


def p50_us(call: Callable[[str, Any], object], operation: str, request: dict[str, Any]) -> float:
    requests = [substitute(request, n) for n in numbers()]
    return median_us([partial(call, operation, one) for one in requests])


def median_us(calls: list[Callable[[], object]], rounds: int = 5) -> float:
    """The median over all calls; each runs once a round."""
    spent = []
    gc.disable()
    for _ in range(rounds):
        for run in calls:
            started = time.perf_counter_ns()
            run()
            spent.append(time.perf_counter_ns() - started)
    gc.enable()
    return sorted(spent)[len(spent) // 2] / 1000


def time_bare_sqlite(path: str) -> tuple[float, float]:
    """The floor: the same bytes under the same key, one prepared statement, one commit a put."""
    connection = apsw.Connection(path)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "off")
    connection.execute(
        "CREATE TABLE items (h BLOB, r BLOB, body BLOB, PRIMARY KEY (h, r)) WITHOUT ROWID"
    )

    def execute(sql: str, bindings: tuple[bytes, ...]) -> list[Any]:
        return connection.execute(sql, bindings).fetchall()

    rows = [
        (f"USER#{n}".encode(), b"PROFILE", json.dumps(item(f"USER#{n}", "PROFILE")).encode())
        for n in numbers()
    ]
    put, get = "REPLACE INTO items VALUES (?, ?, ?)", "SELECT body FROM items WHERE h = ? AND r = ?"
    puts = median_us([partial(execute, put, row) for row in rows])
    gets = median_us([partial(execute, get, row[:2]) for row in rows])
    connection.close()
    return gets, puts


MOTO_PROGRAM = """
import json, sys, time
import boto3
from moto import mock_aws
table, item, key = json.loads(sys.argv[1])
def p50(call):
    spent = []
    for _ in range(200):
        started = time.perf_counter_ns(); call(); spent.append(time.perf_counter_ns() - started)
    return sorted(spent)[100] / 1000
with mock_aws():
    client = boto3.client("dynamodb", "us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    client.create_table(**table)
    put = p50(lambda: client.put_item(TableName="Bench", Item=item))
    get = p50(lambda: client.get_item(TableName="Bench", Key=key))
print(json.dumps({"moto get": get, "moto put": put}))
"""


def time_moto(python: Path) -> dict[str, float]:
    argument = json.dumps([TABLE, item("USER#000001", "PROFILE"), key("000001")])
    done = subprocess.run(
        [str(python), "-c", MOTO_PROGRAM, argument], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise peers.Missing(done.stderr.strip().splitlines()[-1])
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()

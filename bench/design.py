"""``./dev bench design``: what the design layer costs, beside what people write without it.

In process: one access pattern through the design layer against the same request on the bare
engine. Over HTTP, on one server: the same get, put and query of 20 by hand on boto3, by boto3's
resource, PynamoDB, pydynox, and this library. Processor time of this process is what counts there:
the server and the wire are the same for all. Runs take turns, so a slow moment is shared.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Shown

import peers
from tablewright import Design, Get, Model, Moment, Query, Table, open_store, pattern, put, served

ENTRIES = 20
ROUNDS = 40
IN_PROCESS_TURN = 50
HTTP_TURN = 25
GET_TARGET_US = 40
ITEM_TARGET_US = 15
CPU_TARGET = 3.0
NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
REGION = "us-east-1"
KEYS = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}

T = Table("Bench")


@T.entity("USER#{userId}", "ENTRY#{createdAt}#{entryId}")
class Entry(Model):
    """Ten fields, about 400 bytes."""

    user_id: str
    entry_id: str
    created_at: Moment
    updated_at: Moment
    title: str
    body: str
    minutes: int
    intensity: int
    is_shared: bool
    version: int = 1


class Journal(Design, tables=[T]):
    @pattern()
    def entry(self, user_id: str, created_at: datetime, entry_id: str) -> Get[Entry]:
        return served()

    @pattern()
    def entries(self, user_id: str) -> Query[Entry]:
        return served()


P = Journal()


def entry(number: int) -> Entry:
    return Entry(
        user_id="ann",
        entry_id=f"{number:06d}",
        created_at=NOW + timedelta(minutes=number),
        updated_at=NOW,
        title="An entry of a usual length",
        body="What was done, what went well, what to try next. " * 3,
        minutes=60,
        intensity=7,
        is_shared=True,
    )


Runners = dict[str, Callable[[], object]]


def turns(runners: Runners, turn: int, clock: Callable[[], int]) -> dict[str, float]:
    """The median microseconds of each runner, all of them taking turns."""
    spent: dict[str, list[float]] = {name: [] for name in runners}
    for run in runners.values():
        run()
    gc.disable()
    for _ in range(ROUNDS):
        for name, run in runners.items():
            started = clock()
            for _ in range(turn):
                run()
            spent[name].append((clock() - started) / turn / 1000)
    gc.enable()
    return {name: sorted(times)[len(times) // 2] for name, times in spent.items()}


# In process.


def race_in_process(console: Console) -> dict[str, float]:
    with open_store("sqlite://:memory:") as store:
        store.ensure_tables([T])
        for number in range(ENTRIES):
            store.run(put(entry(number)))
        get, query = P.entry("ann", NOW, "000000").request, P.entries("ann").request
        figures = turns(
            {
                "engine get": lambda: store.call("GetItem", get),
                "design get": lambda: store.run(P.entry("ann", NOW, "000000")),
                "engine query": lambda: store.call("Query", query),
                "design query": lambda: store.run(P.entries("ann")),
            },
            IN_PROCESS_TURN,
            time.perf_counter_ns,
        )
    shown = Shown("in process, µs at the median", title_justify="left")
    for name in ("bare engine", "design layer", "above the engine", "target"):
        shown.add_column(name, justify="right")
    above = figures["design get"] - figures["engine get"]
    each = (figures["design query"] - figures["engine query"]) / ENTRIES
    shown.add_row(
        "get, 10 fields",
        f"{figures['engine get']:.1f}",
        f"{figures['design get']:.1f}",
        f"{above:.1f}",
        f"≤ {GET_TARGET_US}",
    )
    shown.add_row(
        f"query, {ENTRIES} items",
        f"{figures['engine query']:.1f}",
        f"{figures['design query']:.1f}",
        f"{each:.1f} an item",
        f"≤ {ITEM_TARGET_US}",
    )
    console.print(shown)
    return {"get above": above, "item above": each, **figures}


# Over HTTP.


def race_over_http(console: Console) -> dict[str, dict[str, float]]:
    server = peers.tablewright("sqlite://:memory:", "tablewright")
    with peers.running(server) as url:
        store_url = url.replace("http://", "dynamodb+http://")
        with open_store(store_url) as store:
            store.ensure_tables([T])
            for number in range(ENTRIES):
                store.run(put(entry(number)))
            makers = {
                "boto3 by hand": by_hand,
                "boto3 resource": by_resource,
                "PynamoDB": by_pynamodb,
                "pydynox": by_pydynox,
            }
            kinds: dict[str, Runners] = {"get": {}, "put": {}, f"query {ENTRIES}": {}}
            for name, make in makers.items():
                for kind, run in zip(kinds, make(url), strict=True):
                    kinds[kind][name] = run
            ours: tuple[Callable[[], object], ...] = (
                lambda: store.run(P.entry("ann", NOW, "000000")),
                lambda: store.run(put(entry(0))),
                lambda: store.run(P.entries("ann")),
            )
            for kind, run in zip(kinds, ours, strict=True):
                kinds[kind]["tablewright"] = run
            results = {
                kind: turns(runners, HTTP_TURN, time.process_time_ns)
                for kind, runners in kinds.items()
            }
    show_http(console, results)
    return results


def show_http(console: Console, results: dict[str, dict[str, float]]) -> None:
    names = list(next(iter(results.values())))
    shown = Shown("over HTTP, µs of processor time", title_justify="left")
    others = ["boto3 resource", "PynamoDB", "pydynox"]
    for name in (*names, *(f"{other}, times" for other in others)):
        shown.add_column(name, justify="right")
    for kind, found in results.items():
        ratios = [f"{found[other] / found['tablewright']:.1f}×" for other in others]
        shown.add_row(kind, *(f"{found[name]:,.0f}" for name in names), *ratios)
    goal = f"≥ {CPU_TARGET:g}×"
    shown.add_row("target", *([""] * len(names)), goal, goal, "> 1×")
    console.print(shown)


Asked = tuple[Callable[[], object], Callable[[], object], Callable[[], object]]


def by_hand(url: str) -> Asked:
    """What one writes without any library: low-level calls, and models made of the replies."""
    import boto3

    client: Any = boto3.client("dynamodb", endpoint_url=url, region_name=REGION, **KEYS)  # type: ignore[call-overload]
    sort = "ENTRY#2026-03-01T10:00:00.000Z#000000"
    key = {"PK": {"S": "USER#ann"}, "SK": {"S": sort}}
    condition = {
        "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)",
        "ExpressionAttributeValues": {":p": {"S": "USER#ann"}, ":s": {"S": "ENTRY#"}},
    }

    def made(item: dict[str, Any]) -> Entry:
        plain = {name: next(iter(value.values())) for name, value in item.items()}
        return Entry.model_validate(plain)

    def written() -> object:
        new = entry(0).model_dump(mode="json", by_alias=True)
        item = {
            name: {"BOOL": v}
            if isinstance(v, bool)
            else {"N": str(v)}
            if isinstance(v, int)
            else {"S": v}
            for name, v in new.items()
        }
        return client.put_item(TableName="Bench", Item=item | key)

    return (
        lambda: made(client.get_item(TableName="Bench", Key=key, ConsistentRead=True)["Item"]),
        written,
        lambda: [made(item) for item in client.query(TableName="Bench", **condition)["Items"]],
    )


def by_resource(url: str) -> Asked:
    import boto3
    from boto3.dynamodb.conditions import Key

    resource: Any = boto3.resource("dynamodb", endpoint_url=url, region_name=REGION, **KEYS)  # type: ignore[call-overload]
    table = resource.Table("Bench")
    key = {"PK": "USER#ann", "SK": "ENTRY#2026-03-01T10:00:00.000Z#000000"}

    def written() -> object:
        new = entry(0).model_dump(mode="json", by_alias=True)
        return table.put_item(Item=new | key)

    def queried() -> object:
        condition = Key("PK").eq("USER#ann") & Key("SK").begins_with("ENTRY#")
        return [
            Entry.model_validate(item)
            for item in table.query(KeyConditionExpression=condition)["Items"]
        ]

    return (
        lambda: Entry.model_validate(table.get_item(Key=key, ConsistentRead=True)["Item"]),
        written,
        queried,
    )


def by_pynamodb(url: str) -> Asked:
    from pynamodb.attributes import (
        BooleanAttribute,
        NumberAttribute,
        UnicodeAttribute,
    )
    from pynamodb.models import Model as PynamoModel

    class Row(PynamoModel):
        class Meta:
            table_name = "Bench"
            host = url
            region = REGION
            aws_access_key_id = "any"
            aws_secret_access_key = "any"

        pk = UnicodeAttribute(hash_key=True, attr_name="PK")
        sk = UnicodeAttribute(range_key=True, attr_name="SK")
        user_id = UnicodeAttribute(attr_name="userId")
        entry_id = UnicodeAttribute(attr_name="entryId")
        created_at = UnicodeAttribute(attr_name="createdAt")
        updated_at = UnicodeAttribute(attr_name="updatedAt")
        title = UnicodeAttribute()
        body = UnicodeAttribute()
        minutes = NumberAttribute()
        intensity = NumberAttribute()
        is_shared = BooleanAttribute(attr_name="isShared")
        version = NumberAttribute()
        entity_type = UnicodeAttribute(attr_name="entityType", default="ENTRY")

    sort = "ENTRY#2026-03-01T10:00:00.000Z#000000"
    return (
        lambda: Row.get("USER#ann", sort, consistent_read=True),
        lambda: Row("USER#ann", sort, **plain_fields()).save(),
        lambda: list(Row.query("USER#ann", Row.sk.startswith("ENTRY#"))),
    )


def by_pydynox(url: str) -> Asked:
    from pydynox import DynamoDBClient, ModelConfig
    from pydynox import Model as DynoxModel
    from pydynox.attributes import BooleanAttribute, NumberAttribute, StringAttribute

    client = DynamoDBClient(region=REGION, access_key="any", secret_key="any", endpoint_url=url)

    class Row(DynoxModel):
        model_config = ModelConfig(table="Bench", client=client)
        PK = StringAttribute(partition_key=True)
        SK = StringAttribute(sort_key=True)
        userId = StringAttribute()  # noqa: N815 (the attribute's name on disk)
        entryId = StringAttribute()  # noqa: N815 (as above)
        createdAt = StringAttribute()  # noqa: N815 (as above)
        updatedAt = StringAttribute()  # noqa: N815 (as above)
        title = StringAttribute()
        body = StringAttribute()
        minutes = NumberAttribute()
        intensity = NumberAttribute()
        isShared = BooleanAttribute()  # noqa: N815 (as above)
        version = NumberAttribute()
        entityType = StringAttribute()  # noqa: N815 (as above)

    sort = "ENTRY#2026-03-01T10:00:00.000Z#000000"

    def written() -> object:
        new = entry(0).model_dump(mode="json", by_alias=True)
        return Row(PK="USER#ann", SK=sort, entityType="ENTRY", **new).sync_save()

    return (
        lambda: Row.sync_get(PK="USER#ann", SK=sort),
        written,
        lambda: list(
            Row.sync_query(
                partition_key="USER#ann", sort_key_condition=Row.SK.begins_with("ENTRY#")
            )
        ),
    )


def plain_fields() -> dict[str, Any]:
    return entry(0).model_dump(mode="json")


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench design", description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    arguments = parser.parse_args()
    console = Console()
    console.print(f"Python {platform.python_version()}, {platform.machine()}")
    figures = {"in process": race_in_process(console), "over HTTP": race_over_http(console)}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(figures, indent=2), "utf-8")


if __name__ == "__main__":
    main()

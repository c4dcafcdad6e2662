"""Capacity: partitions, heat and limits on known items, and every part of the page over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tablewright.stores.async_store import AsyncStore
from tablewright.stores.tracing import CallTrace
from tablewright.stores.urls import open_async_store
from tablewright.studio.capacity.heat import PARTITIONS_A_MINUTE, Heat, heat_view
from tablewright.studio.capacity.item_limits import limits_view
from tablewright.studio.capacity.partition_sizes import (
    PartitionsView,
    partitions_view,
    place_of,
    sample_of,
)
from tablewright.studio.shell.mount import system_designs
from tablewright.studio.shell.request_log import LoggedStore
from tablewright.systems.registry import PACKAGES
from tests.studio.studios import Visitor, opened, roll_model

SUBJECT = roll_model()
TABLE = "RollModel"
PARTS = ["", "?view=partitions", "?view=heat", "?view=limits", "?calls=10G"]
PLANTED = '<script>alert("x")</script>'


def stored(items: list[dict[str, Any]], work: Callable[[AsyncStore], Awaitable[Any]]) -> Any:
    """What work on a store with these items returns."""

    async def run() -> Any:
        async with await open_async_store("sqlite://:memory:") as store:
            await store.ensure_tables(SUBJECT.tables)
            for item in items:
                await store.call("PutItem", {"TableName": TABLE, "Item": item})
            return await work(store)

    return asyncio.run(run())


def item(partition: str, sort: str, text: str = "") -> dict[str, Any]:
    return {"PK": {"S": partition}, "SK": {"S": sort}, "text": {"S": text}}


def people(counts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        item(f"USER#{name}", f"ATHLETE#{n:04}")
        for name, count in counts.items()
        for n in range(count)
    ]


async def looked_at(store: AsyncStore, start: str = "") -> PartitionsView:
    place = place_of(SUBJECT, "", "")
    sample = await sample_of(LoggedStore(store), place, start)
    return partitions_view(SUBJECT, sample, start, {})


# Partitions.


def test_a_partition_is_compared_with_the_median_of_its_kind() -> None:
    counts = {"a": 2, "b": 2, "c": 2, "d": 6, "e": 20}
    view = stored([*people(counts), item("ENTRY#x", "META")], looked_at)
    by_key = {
        "".join(s.text for s in partition.segments): partition for partition in view.partitions
    }
    assert {key: partition.items for key, partition in by_key.items()} == {
        **{f"USER#{name}": count for name, count in counts.items()},
        "ENTRY#x": 1,
    }
    assert [by_key[f"USER#{name}"].level for name in "ade"] == ["", "warn", "bad"]
    assert by_key["USER#e"].skew == 10.0
    assert by_key["ENTRY#x"].skew == 0.0  # One of a kind has no median.
    assert view.is_all
    assert view.notes == (
        ("warn", "2 of 6 partitions are far larger than others of the same template."),
    )
    assert [partition.size for partition in view.partitions] == sorted(
        (partition.size for partition in view.partitions), reverse=True
    )


def test_few_partitions_that_hold_everything_are_told() -> None:
    view = stored(people({"a": 60, "b": 60}), looked_at)
    assert view.items == 120
    assert view.notes[0] == (
        "warn",
        "Only 2 partitions hold all 120 items: more traffic cannot be spread further.",
    )


def test_a_large_partition_is_counted_up_to_a_bound_and_says_so() -> None:
    view = stored(people({"a": 510, "b": 500}), looked_at)
    by_key = {
        "".join(s.text for s in partition.segments): partition for partition in view.partitions
    }
    assert (by_key["USER#a"].items, by_key["USER#a"].is_whole) == (500, False)
    assert (by_key["USER#b"].items, by_key["USER#b"].is_whole) == (500, False)
    exact = 500 * (len("PK") + len("USER#b") + len("SK") + len("ATHLETE#0000") + len("text"))
    # What is only counted is known to the 8 KB that a unit reads.
    assert exact <= by_key["USER#b"].size <= exact + 8192


def test_the_next_partitions_go_on_where_the_first_ended() -> None:
    async def work(store: AsyncStore) -> tuple[PartitionsView, PartitionsView]:
        first = await looked_at(store)
        return first, await looked_at(store, first.next)

    first, second = stored(people({f"u{n}": 1 for n in range(55)}), work)
    assert len(first.partitions) == 40
    assert len(second.partitions) == 15
    assert not first.is_all
    assert not second.next
    keys = {partition.key for view in (first, second) for partition in view.partitions}
    assert len(keys) == 55


def test_a_table_that_is_missing_and_one_that_is_empty_are_told_apart() -> None:
    async def missing(store: AsyncStore) -> PartitionsView:
        await store.call("DeleteTable", {"TableName": TABLE})
        return await looked_at(store)

    assert stored([], looked_at).is_there
    assert not stored([], missing).is_there


# Limits.


def test_limits_are_measured_on_the_largest_things_there_are() -> None:
    async def work(store: AsyncStore) -> Any:
        sample = await sample_of(LoggedStore(store), place_of(SUBJECT, "", ""))
        return limits_view(SUBJECT, [sample])

    large = item("USER#" + "k" * 95, "ENTRY#1", "x" * (300 * 1024))
    view = stored([item("USER#a", "s" * 512), large], work)
    meters = {meter.name: meter for meter in view.meters}
    assert meters["Largest item"].level == "warn"
    assert meters["Largest item"].percent == pytest.approx(75, abs=0.1)
    assert meters["Longest partition key"].used == "100 B"
    assert (meters["Longest sort key"].used, meters["Longest sort key"].level) == ("512 B", "warn")
    assert meters["Largest write, actions"].what == "save.Entry"
    assert meters["Largest write, actions"].used == "99"
    assert meters["Largest query result"].what == "list_own_entries"
    assert view.is_all


def test_a_design_without_items_is_measured_all_the_same() -> None:
    view = limits_view(SUBJECT, [])
    assert view.items == 0
    assert [meter.name for meter in view.meters] == [
        "Largest write, actions",
        "Largest write, bytes",
        "Largest query result",
    ]


# Heat.


class Watch:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 60_000.0

    def __call__(self) -> float:
        return self.now


def call_trace(
    operation: str, request: dict[str, Any], units: float, **indexes: float
) -> CallTrace:
    index_capacities = {
        name: {"CapacityUnits": index_units} for name, index_units in indexes.items()
    }
    table = {"CapacityUnits": units}
    whole = units + sum(indexes.values())
    capacity = {"TableName": request.get("TableName", TABLE), "CapacityUnits": whole}
    return CallTrace(
        operation,
        request,
        (capacity | {"Table": table, "GlobalSecondaryIndexes": index_capacities},),
    )


def key(partition: str) -> dict[str, Any]:
    return {"PK": {"S": partition}, "SK": {"S": "x"}}


QUERY = {
    "TableName": TABLE,
    "KeyConditionExpression": "#p = :p AND begins_with(#s, :s)",
    "ExpressionAttributeNames": {"#p": "PK", "#s": "SK"},
    "ExpressionAttributeValues": {":p": {"S": "Q"}, ":s": {"S": "x"}},
}
REQUESTS: list[tuple[str, dict[str, Any], dict[str, float]]] = [
    ("GetItem", {"TableName": TABLE, "Key": key("A")}, {"A": 4.0}),
    ("PutItem", {"TableName": TABLE, "Item": key("A")}, {"A": 4.0}),
    ("Query", QUERY, {"Q": 4.0}),
    ("Scan", {"TableName": TABLE}, {"": 4.0}),
    (
        "BatchGetItem",
        {"RequestItems": {TABLE: {"Keys": [key("A"), key("A"), key("B"), key("C")]}}},
        {"A": 2.0, "B": 1.0, "C": 1.0},
    ),
    (
        "BatchWriteItem",
        {
            "RequestItems": {
                TABLE: [{"PutRequest": {"Item": key("A")}}, {"DeleteRequest": {"Key": key("B")}}]
            }
        },
        {"A": 2.0, "B": 2.0},
    ),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": TABLE, "Item": key("A")}},
                {"Update": {"TableName": TABLE, "Key": key("B")}},
            ]
        },
        {"A": 2.0, "B": 2.0},
    ),
]


@pytest.mark.parametrize(
    ("operation", "request_", "expected"), REQUESTS, ids=[case[0] for case in REQUESTS]
)
def test_units_go_to_the_partitions_that_a_request_names(
    operation: str, request_: dict[str, Any], expected: dict[str, float]
) -> None:
    heat = Heat(SUBJECT.tables, Watch())
    heat.watch(call_trace(operation, request_, 4.0))
    view = heat_view(heat, SUBJECT.tables, "all")
    assert {row.partition: row.reads + row.writes for row in view.rows} == expected
    is_read = operation in ("GetItem", "Query", "Scan", "BatchGetItem")
    assert (view.reads, view.writes) == ((4.0, 0.0) if is_read else (0.0, 4.0))


def test_an_index_is_heated_where_a_put_names_its_key_and_as_a_whole_elsewhere() -> None:
    [design] = system_designs(["hold-that-thought"])
    heat = Heat(design.tables, Watch())
    name = design.tables[0].name
    whole = key("A") | {"GSI1PK": {"S": "LETTERS"}, "GSI1SK": {"S": "1"}}
    heat.watch(call_trace("PutItem", {"TableName": name, "Item": whole}, 1.0, GSI1=2.0))
    heat.watch(call_trace("UpdateItem", {"TableName": name, "Key": key("A")}, 1.0, GSI1=3.0))
    rows = heat_view(heat, design.tables, "all").rows
    assert {(row.index, row.partition): row.writes for row in rows} == {
        ("", "A"): 2.0,
        ("GSI1", "LETTERS"): 2.0,
        ("GSI1", ""): 3.0,
    }


def test_minutes_pass_and_after_an_hour_are_forgotten() -> None:
    clock = Watch()
    heat = Heat(SUBJECT.tables, clock)
    get = call_trace("GetItem", {"TableName": TABLE, "Key": key("A")}, 1.0)
    heat.watch(get)
    clock.now += 59 * 60
    heat.watch(get)
    heat.watch(get)
    [row] = heat_view(heat, SUBJECT.tables, "read").rows
    assert (row.reads, row.peak, row.peak_ago) == (3.0, 2.0, 0)
    assert len(row.cells) == 2
    assert heat.units() == {(TABLE, "A"): 3.0}
    clock.now += 60
    assert heat.units() == {(TABLE, "A"): 2.0}
    assert heat_view(heat, SUBJECT.tables, "write").rows == ()
    clock.now += 3600
    assert heat_view(heat, SUBJECT.tables, "all").rows == ()


def test_memory_is_bounded_and_what_does_not_fit_is_kept_as_a_sum() -> None:
    heat = Heat(SUBJECT.tables, Watch())
    count = PARTITIONS_A_MINUTE + 50
    for n in range(count):
        heat.watch(call_trace("GetItem", {"TableName": TABLE, "Key": key(f"{n}-{'x' * 900}")}, 1.0))
    view = heat_view(heat, SUBJECT.tables, "all")
    assert view.partitions == PARTITIONS_A_MINUTE + 1
    assert view.reads == count
    assert view.rows[0].label == "other partitions"
    assert not any(row.is_whole for row in view.rows)


def test_a_minute_beyond_what_a_partition_takes_is_hot() -> None:
    heat = Heat(SUBJECT.tables, Watch())
    heat.watch(call_trace("PutItem", {"TableName": TABLE, "Item": key("A")}, 60_001.0))
    heat.watch(call_trace("GetItem", {"TableName": TABLE, "Key": key("B")}, 60_001.0))
    rows = {row.partition: row for row in heat_view(heat, SUBJECT.tables, "all").rows}
    assert rows["A"].is_hot
    assert rows["A"].cells[0].step == 6
    assert not rows["B"].is_hot
    assert rows["B"].cells[0].step == 5


def test_heat_of_another_design_is_not_shown() -> None:
    designs = system_designs(["roll-model", "stayon"])
    heat = Heat([table for design in designs for table in design.tables], Watch())
    heat.watch(call_trace("GetItem", {"TableName": TABLE, "Key": key("A")}, 1.0))
    assert heat_view(heat, designs[0].tables, "all").rows
    assert not heat_view(heat, designs[1].tables, "all").rows


# Over HTTP.


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with opened(*system_designs(PACKAGES)) as visitor:
        yield visitor


@pytest.mark.parametrize("system", list(PACKAGES))
@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_every_system_is_shown_with_its_twin(
    visitor: Visitor, system: str, part: str
) -> None:
    answer = visitor.get(f"/{system}/capacity{part}")
    assert answer.status_code == 200
    assert "<h1>Capacity</h1>" in answer.text
    assert "style=" not in answer.text
    view = visitor.json(f"/{system}/capacity.json{part}")
    filled = [name for name, value in view.items() if name != "part" and value is not None]
    assert filled == [view["part"]]


def test_numbers_of_the_address_change_what_follows(visitor: Visitor) -> None:
    path = "/hold-that-thought/capacity.json"
    usual = visitor.json(path)["whatif"]
    more = visitor.json(f"{path}?calls=100M&peak=1&skew=1&c.list_letters=0")["whatif"]
    assert usual["calls"] == "1 million"
    assert more["calls"] == "100 million"
    letters = next(line for line in more["reads"] if line["name"] == "list_letters")
    assert letters["dollars"] == "$0.00"
    assert "LETTERS" in usual["verdicts"][1]["title"]
    assert usual["verdicts"] != more["verdicts"]


def test_the_size_of_a_mix_is_a_link_that_keeps_its_numbers(visitor: Visitor) -> None:
    path = "/roll-model/capacity.json?calls=1M&c.get_profile=500000&peak=7"
    preset = visitor.json(path)["whatif"]["presets"][2]
    assert preset[:2] == ["100 million", "a success"]
    view = visitor.json(f"/roll-model/capacity.json?{preset[2]}")["whatif"]
    fields = {field["name"]: field["text"] for field in view["fields"]}
    assert fields["peak"] == "7"
    profile = next(line for line in view["reads"] if line["name"] == "get_profile")
    assert profile["calls"]["text"] == "50000000"
    assert view["presets"][2][3]


def test_a_number_that_is_none_is_told_at_its_field_and_the_rule_holds(visitor: Visitor) -> None:
    shape = quote("n.RollModel USER#{}")
    path = f"/roll-model/capacity.json?calls={quote(PLANTED)}&peak=0&{shape}=0"
    view = visitor.json(path)["whatif"]
    assert len(view["errors"]) == 3
    wrong = [field["name"] for field in (*view["fields"], *view["keys"]) if field["error"]]
    assert wrong == ["calls", "peak", "n.RollModel USER#{}"]
    assert view["calls"] == "1 million"
    text = visitor.get(path.replace(".json", "")).text
    assert "<script>alert" not in text
    assert "The default was used instead." in text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("?view=partitions&table=Nothing", 404),
        ("?view=partitions&index=nothing", 404),
        ("?view=partitions&start=%21", 400),
        ("?view=nothing", 200),
        ("?view=heat&units=nothing", 200),
    ],
)
def test_what_is_not_there_is_told(visitor: Visitor, path: str, status: int) -> None:
    assert visitor.get(f"/roll-model/capacity{path}").status_code == status


def test_nothing_is_scanned_further_than_one_item_at_a_time(visitor: Visitor) -> None:
    for part in ("view=partitions", "view=limits"):
        requests = visitor.get(f"/roll-model/capacity.json?{part}").json()["requests"]
        assert all(request["units"] <= 1 for request in requests if request["operation"] == "Scan")
        assert len(requests) <= 3 * 40 + 1
    whatif = visitor.get("/roll-model/capacity.json").json()["requests"]
    assert [request["operation"] for request in whatif] == ["DescribeTable"]


def test_every_index_can_be_looked_at(visitor: Visitor) -> None:
    for place in visitor.json("/funkedupshift/capacity.json?view=partitions")["partitions"][
        "places"
    ]:
        query = f"view=partitions&table={quote(place['table'])}&index={quote(place['index'])}"
        view = visitor.json(f"/funkedupshift/capacity.json?{query}")["partitions"]
        assert view["index"] == place["index"]


def test_heat_shows_runs_but_not_what_the_studio_reads_for_itself() -> None:
    with opened(roll_model()) as alone:
        path = "/roll-model/capacity.json?view=heat"
        assert alone.json(path)["heat"]["rows"] == []
        alone.get("/roll-model/collections")
        alone.get("/roll-model/capacity?view=partitions")
        assert alone.json(path)["heat"]["rows"] == []
        run = "/roll-model/patterns/list_own_entries?athlete_id=abc&run=1"
        assert alone.get(run).status_code == 200
        [row] = alone.json(path)["heat"]["rows"]
        assert (row["partition"], row["reads"]) == ("USER#abc", 1.0)
        text = alone.get("/roll-model/capacity?view=heat").text
        assert text.count("USER#abc") >= 2
        partitions = alone.json("/roll-model/capacity.json?view=partitions")["partitions"]
        assert [
            partition["units"] for partition in partitions["partitions"] if partition["units"]
        ] == [1.0]


def test_keys_of_items_are_never_markup() -> None:
    with opened(roll_model()) as alone:
        planted = item(f"USER#{PLANTED}", PLANTED)
        store = alone.server.services.store
        alone.server.loop.run(store.call("PutItem", {"TableName": TABLE, "Item": planted}))
        alone.get("/roll-model/capacity?view=heat")
        run = f"/roll-model/patterns/list_own_entries?athlete_id={quote(PLANTED)}&run=1"
        alone.get(run)
        for part in PARTS:
            assert "<script>alert" not in alone.get(f"/roll-model/capacity{part}").text

"""What all stores for event loops promise, on each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.errors import ConditionalCheckFailed, Conflict, DesignError, ResourceNotFound
from tablewright.stores.async_store import AsyncStore
from tablewright.stores.tracing import CallTrace

from .notes import NOTES, Note
from .operations import Ask, Partition, Things, get, key, key_schema, number, put, thing

Run = Callable[[Callable[[AsyncStore], Any]], Any]


def test_what_is_put_is_read(astore: Run) -> None:
    async def scenario(store: AsyncStore) -> None:
        await store.ensure_tables([Things()])
        await store.run(put(thing("p", n=number(7))))
        assert (await store.run(get(key("p"))))["Item"] == thing("p", n=number(7))
        with pytest.raises(ResourceNotFound):
            await store.run(get(key("p"), table="nothing-here"))
        with pytest.raises(ConditionalCheckFailed):
            await store.run(put(thing("p"), ConditionExpression="attribute_not_exists(pk)"))

    astore(scenario)


def test_iterating_and_tracing(astore: Run) -> None:
    async def scenario(store: AsyncStore) -> None:
        await store.ensure_tables([Things()])
        for n in range(5):
            await store.run(put(thing("p", f"{n}")))
        result = [item["sk"]["S"] async for item in store.iterate(Partition("p"))]
        assert result == ["0", "1", "2", "3", "4"]
        trace = await store.trace(get(key("p", "0")))
        assert trace.value["Item"] == thing("p", "0")
        assert trace.units_by_place == {"things": 1.0}

    astore(scenario)


def test_a_watcher_is_told_what_operations_send_and_took(astore: Run) -> None:
    async def scenario(store: AsyncStore) -> None:
        await store.ensure_tables([Things()])
        seen: list[CallTrace] = []
        store.watcher = seen.append
        await store.run(put(thing("p", "1")))
        trace = await store.trace(get(key("p", "1")))
        assert [item["sk"]["S"] async for item in store.iterate(Partition("p"))] == ["1"]
        assert trace.value["Item"] == thing("p", "1")
        assert [created.operation for created in seen[:2]] == ["PutItem", "GetItem"]
        assert {created.operation for created in seen[2:]} == {"Query"}
        assert [created.units for created in seen[:2]] == [1.0, 1.0]
        count = len(seen)
        await store.call("GetItem", {"TableName": "things", "Key": key("p", "1")})
        store.watcher = None
        await store.run(get(key("p", "1")))
        assert len(seen) == count

    astore(scenario)


def test_writes_at_the_same_time_all_happen(astore: Run) -> None:
    add = {
        "TableName": "things",
        "Key": key("p"),
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": number(1)},
    }
    transaction = {"TransactItems": [{"Update": {**add, "Key": key("q")}}]}

    async def scenario(store: AsyncStore) -> None:
        await store.ensure_tables([Things()])
        await asyncio.gather(*(store.run(Ask("UpdateItem", add)) for _ in range(30)))
        for _ in range(5):
            await store.run(Ask("TransactWriteItems", transaction))
        assert (await store.run(get(key("p"))))["Item"]["n"] == number(30)
        assert (await store.run(get(key("q"))))["Item"]["n"] == number(5)

    astore(scenario)


def test_tables_are_made_and_compared(astore: Run) -> None:
    async def scenario(store: AsyncStore) -> None:
        assert await store.ensure_tables([Things(ttl="until")]) == ["things"]
        assert await store.ensure_tables([Things(ttl="until")]) == []
        with pytest.raises(DesignError, match="has the key"):
            await store.ensure_tables([Things(KeySchema=key_schema("pk"))])

    astore(scenario)


def test_a_unit_is_made_when_its_block_ends(astore: Run) -> None:
    async def scenario(store: AsyncStore) -> None:
        await store.ensure_tables([NOTES])
        async with store.unit() as unit:
            unit.create(Note(id="a"))
            unit.create(Note(id="b"))
        assert unit.result is not None
        with pytest.raises(Conflict):
            async with store.unit() as unit:
                unit.create(Note(id="a"))
        with pytest.raises(ZeroDivisionError):
            async with store.unit() as unit:
                unit.create(Note(id="c")).create(Note(id=f"{1 // 0}"))
        scanned = await store.call("Scan", {"TableName": "notes"})
        assert scanned["Count"] == 2

    astore(scenario)

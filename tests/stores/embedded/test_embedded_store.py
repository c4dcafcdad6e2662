"""Stores in process: commits that are shared, callers that go away, two kinds on one database."""

from __future__ import annotations

import asyncio

import pytest

from tablewright.engine.command_context import Settings
from tablewright.engine.database import Database
from tablewright.errors import StoreUnavailable, ValidationError
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore, EmbeddedStore
from tests.stores.operations import Things, get, key, number, put, thing


@pytest.fixture
def commits(database: Database) -> list[int]:
    """How many items each commit wrote; the database has a table of things."""
    EmbeddedStore(database).ensure_tables([Things()])
    seen: list[int] = []
    connection = database.storage.writer.connection
    before = connection.total_changes()

    def note() -> bool:
        # Each commit also writes the count of its table.
        seen.append(connection.total_changes() - before - sum(seen) - len(seen) - 1)
        return False  # SQLite goes on.

    connection.set_commit_hook(note)
    return seen


def test_writes_at_the_same_time_share_a_commit(database: Database, commits: list[int]) -> None:
    async def main() -> None:
        async with AsyncEmbeddedStore(database) as store:
            await asyncio.gather(*(store.run(put(thing(f"{n}"))) for n in range(50)))

    asyncio.run(main())
    assert commits == [50]


def test_both_kinds_share_a_database(database: Database) -> None:
    blocking = EmbeddedStore(database)

    async def main() -> None:
        async with AsyncEmbeddedStore(database) as store:
            await store.ensure_tables([Things()])
            await store.run(put(thing("p", n=number(1))))
            assert blocking.run(get(key("p")))["Item"]["n"] == number(1)
            await asyncio.to_thread(blocking.run, put(thing("p", n=number(2))))
            assert (await store.run(get(key("p"))))["Item"]["n"] == number(2)

    asyncio.run(main())
    assert blocking.run(get(key("p")))["Item"]["n"] == number(2)


def test_a_cancelled_write_harms_nobody_and_is_still_made(
    database: Database, commits: list[int]
) -> None:
    async def main() -> None:
        store = AsyncEmbeddedStore(database)
        tasks = [asyncio.ensure_future(store.run(put(thing(f"{n}")))) for n in range(4)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(result) for result in results] == [dict, asyncio.CancelledError, dict, dict]
        await store.close()

    asyncio.run(main())
    blocking = EmbeddedStore(database)
    assert all("Item" in blocking.run(get(key(f"{n}"))) for n in range(4))


def test_closing_waits_for_writes_whose_callers_are_gone(
    database: Database, commits: list[int]
) -> None:
    async def main() -> None:
        store = AsyncEmbeddedStore(database)
        task = asyncio.ensure_future(store.run(put(thing("p"))))
        await asyncio.sleep(0)
        task.cancel()
        await store.close()
        assert commits == [1]
        with pytest.raises(StoreUnavailable, match="closed"):
            await store.run(put(thing("q")))

    asyncio.run(main())
    assert "Item" in EmbeddedStore(database).run(get(key("p")))


def test_errors_reach_their_own_callers(database: Database, commits: list[int]) -> None:
    async def main() -> None:
        async with AsyncEmbeddedStore(database) as store:
            results = await asyncio.gather(
                store.run(put(thing("p"))),
                store.run(put(key("p") | {"g": number(1)})),
                store.run(put({"pk": number(1)})),
                return_exceptions=True,
            )
        assert isinstance(results[0], dict)
        assert isinstance(results[1], ValidationError)
        assert isinstance(results[2], ValidationError)

    asyncio.run(main())


def test_a_store_serves_one_loop_after_another(database: Database, commits: list[int]) -> None:
    store = AsyncEmbeddedStore(database)

    async def main(n: int) -> None:
        await store.run(put(thing(f"{n}")))

    for n in range(3):
        asyncio.run(main(n))
    asyncio.run(store.close())
    assert commits == [1, 1, 1]


def test_a_store_is_not_used_by_two_loops_at_once(database: Database, commits: list[int]) -> None:
    store = AsyncEmbeddedStore(database)

    async def main() -> None:
        await store.run(put(thing("p")))
        with pytest.raises(StoreUnavailable, match="another event loop"):
            await asyncio.to_thread(asyncio.run, store.run(put(thing("q"))))
        await store.close()

    asyncio.run(main())


def test_refusals_have_the_words_that_the_database_has() -> None:
    with Database.open(settings=Settings(wording="current")) as database:
        request = {"TableName": "things", "Key": {"pk": {"N": ""}}}
        with pytest.raises(ValidationError, match="cannot be converted to a numeric value: $"):
            asyncio.run(AsyncEmbeddedStore(database).call("GetItem", request))

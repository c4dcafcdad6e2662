"""Group commit: which jobs share a commit, what a failure rolls back, and what is published."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from tablewright.engine.command_context import Tx
from tablewright.engine.commits import GROUP_JOBS_MAX, LOOP_WAIT_SECONDS_MAX, Job, LoopWriter
from tablewright.engine.database import Database
from tablewright.engine.operations import find_operation
from tablewright.errors import InternalError, ValidationError
from tests.engine.sample_tables import make_plain_table, text


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Database]:
    """A database in a file, with one plain table."""
    yield from opened(str(tmp_path / "test.db"))


@pytest.fixture(params=["file", "memory"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """The same, and one in memory."""
    yield from opened(str(tmp_path / "test.db") if request.param == "file" else ":memory:")


def opened(path: str) -> Iterator[Database]:
    with Database.open(path) as database:
        make_plain_table(database)
        yield database
        assert database.check() == []


def put(key: str) -> Job:
    request = {"TableName": "plain", "Item": {"p": text(key)}}
    return Job(find_operation("PutItem").prepare(request), orjson.loads)


def refuse(tx: Tx) -> None:
    raise ValidationError("no")


def break_after_writing(tx: Tx) -> None:
    tx.session.put(tx.table("plain").number, b"ghost", b"", 1, b"{}")
    raise RuntimeError("a bug")


def keys_of(database: Database) -> set[str]:
    return {item["p"]["S"] for item in database.call("Scan", {"TableName": "plain"})["Items"]}


@pytest.fixture
def commits(stored: Database) -> list[None]:
    """One entry for every commit from here on."""
    created: list[None] = []

    def note() -> bool:
        created.append(None)
        return False  # SQLite goes on.

    stored.storage.writer.connection.set_commit_hook(note)
    return created


def test_jobs_that_wait_together_share_one_commit(stored: Database, commits: list[None]) -> None:
    jobs = [put(f"k{n}") for n in range(20)]
    stored.writer.queue.extend(jobs[1:])
    stored.writer.run(jobs[0])
    assert len(commits) == 1
    assert all(job.is_done for job in jobs)
    assert len(keys_of(stored)) == 20


def test_a_refused_job_leaves_the_others_of_its_group_alone(stored: Database) -> None:
    first, refused, last = put("a"), Job(refuse, orjson.loads), put("b")
    stored.writer.queue.extend([first, refused])
    stored.writer.run(last)
    assert isinstance(refused.error, ValidationError)
    assert keys_of(stored) == {"a", "b"}


def test_a_job_that_breaks_is_undone_and_the_others_run_again(
    stored: Database, caplog: pytest.LogCaptureFixture
) -> None:
    first, broken, last = put("a"), Job(break_after_writing, orjson.loads), put("b")
    stored.writer.queue.extend([first, broken])
    stored.writer.run(last)
    assert isinstance(broken.error, InternalError)
    assert first.error is None
    assert keys_of(stored) == {"a", "b"}
    assert "a bug" in caplog.text


def test_a_commit_that_fails_acknowledges_nothing(
    stored: Database, caplog: pytest.LogCaptureFixture
) -> None:
    from apsw import FullError

    def fail() -> bool:
        raise FullError("disk full")

    connection = stored.storage.writer.connection
    connection.set_commit_hook(fail)
    with pytest.raises(InternalError):
        stored.writer.run(put("a"))
    connection.set_commit_hook(None)
    assert keys_of(stored) == set()
    assert stored.tables[0].item_count == 0
    stored.writer.run(put("b"))
    assert keys_of(stored) == {"b"}


def test_a_thread_that_is_ended_does_not_leave_others_waiting(stored: Database) -> None:
    def interrupt(tx: Tx) -> None:
        tx.session.put(tx.table("plain").number, b"ghost", b"", 1, b"{}")
        raise KeyboardInterrupt

    other = put("a")
    stored.writer.queue.append(other)
    with pytest.raises(KeyboardInterrupt):
        stored.writer.run(Job(interrupt, orjson.loads))
    assert other.is_done
    assert isinstance(other.error, InternalError)
    assert keys_of(stored) == set()


def test_a_table_command_has_a_commit_of_its_own(stored: Database) -> None:
    drop = find_operation("DeleteTable").prepare({"TableName": "plain"})
    jobs = [put("a"), Job(drop, orjson.loads, changes_tables=True), put("b")]
    stored.writer.queue.extend(jobs[:2])
    with pytest.raises(Exception, match="Requested resource not found"):
        stored.writer.run(jobs[2])
    assert jobs[0].error is None
    assert jobs[1].error is None
    assert stored.tables == []


def test_many_threads_lose_no_update(stored: Database) -> None:
    def add(_: int) -> None:
        stored.call(
            "UpdateItem",
            {
                "TableName": "plain",
                "Key": {"p": text("counter")},
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            },
        )

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(400)))
    item = stored.call("GetItem", {"TableName": "plain", "Key": {"p": text("counter")}})["Item"]
    assert item["n"] == {"N": "400"}


def test_readers_see_no_write_before_its_commit(stored: Database) -> None:
    seen: list[set[str]] = []

    def look_from_elsewhere(tx: Tx) -> None:
        tx.session.put(tx.table("plain").number, b"abcdx", b"", 1, b'{"p":{"S":"x"}}')
        reader = threading.Thread(target=lambda: seen.append(keys_of(stored)))
        reader.start()
        reader.join()
        raise ValidationError("undo")

    with pytest.raises(ValidationError):
        stored.writer.run(Job(look_from_elsewhere, orjson.loads))
    assert seen == [set()]


@pytest.mark.parametrize("commit_seconds", [0.0, 60.0], ids=["quick disk", "slow disk"])
def test_a_loop_runs_jobs_and_hears_of_them_after_the_commit(
    either: Database, commit_seconds: float
) -> None:
    either.writer.commit_seconds = commit_seconds

    async def story() -> list[Any]:
        loop = asyncio.get_running_loop()
        writer = LoopWriter(either.writer, loop)
        answers: list[Any] = []
        done = asyncio.Event()

        def answer(result: Any, error: Exception | None) -> None:
            assert threading.current_thread() is threading.main_thread()
            answers.append(error or keys_of(either))
            if len(answers) == 3:
                done.set()

        for job in (put("a"), Job(refuse, orjson.loads), put("b")):
            writer.submit(Job(job.command, job.emit, done=answer))
        await asyncio.wait_for(done.wait(), 10)
        # Nothing is left locked: another thread can read.
        await asyncio.wait_for(asyncio.to_thread(keys_of, either), 10)
        writer.close()
        return answers

    first, refused, last = asyncio.run(story())
    assert first == {"a", "b"}  # Both are on disk before either is answered.
    assert isinstance(refused, ValidationError)
    assert last == {"a", "b"}


@pytest.mark.parametrize("commit_seconds", [0.0, 60.0], ids=["quick disk", "slow disk"])
def test_a_loop_and_threads_share_the_writer(either: Database, commit_seconds: float) -> None:
    either.writer.commit_seconds = commit_seconds

    async def story() -> None:
        loop = asyncio.get_running_loop()
        writer = LoopWriter(either.writer, loop)
        answered: list[Exception | None] = []
        done = asyncio.Event()

        def answer(_: Any, error: Exception | None) -> None:
            answered.append(error)
            if len(answered) == 100:
                done.set()

        with ThreadPoolExecutor(2) as threads:
            others = [threads.submit(either.writer.run, put(f"t{n}")) for n in range(100)]
            for n in range(100):
                job = put(f"l{n}")
                writer.submit(Job(job.command, job.emit, done=answer))
                await asyncio.sleep(0)
            await asyncio.wait_for(done.wait(), 30)
            for other in others:
                other.result()
        writer.close()
        assert answered == [None] * 100

    asyncio.run(story())
    assert either.tables[0].item_count == 200


@pytest.mark.parametrize(
    ("jobs", "expected"), [(3, 1), (GROUP_JOBS_MAX + 1, 2)], ids=["a few", "too many for one"]
)
def test_a_loop_gathers_jobs_as_long_as_every_turn_brings_more(
    stored: Database, commits: list[None], jobs: int, expected: int
) -> None:
    async def story() -> None:
        writer = LoopWriter(stored.writer, asyncio.get_running_loop())
        answered = 0
        done = asyncio.Event()

        def answer(_: Any, error: Exception | None) -> None:
            nonlocal answered
            assert error is None
            answered += 1
            if answered == jobs:
                done.set()

        for n in range(jobs):
            job = put(f"k{n}")
            writer.submit(Job(job.command, job.emit, done=answer))
            await asyncio.sleep(0)
        await asyncio.wait_for(done.wait(), 30)
        writer.close()

    asyncio.run(story())
    assert len(commits) == expected
    assert len(keys_of(stored)) == jobs


def test_a_loop_stops_waiting_for_a_disk_that_has_become_slow(
    stored: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def slow_clock() -> float:
        nonlocal now
        now += 0.05  # Every commit seems to take this long.
        return now

    monkeypatch.setattr("tablewright.engine.commits.time.perf_counter", slow_clock)
    stored.writer.run(put("a"))
    assert stored.writer.commit_seconds > LOOP_WAIT_SECONDS_MAX
    monkeypatch.undo()
    for n in range(100):
        stored.writer.run(put(str(n)))
    assert stored.writer.commit_seconds < 0.05

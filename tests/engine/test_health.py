"""Writes to a missing file or a full disk, and the health that the database reports."""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from tablewright.engine.database import Database
from tablewright.errors import InternalError, StorageError, StorageFull, StorageGone
from tablewright.stores.embedded.embedded_store import AsyncEmbeddedStore
from tests.engine.sample_tables import make_plain_table, text


def put(database: Database, name: str) -> None:
    database.call("PutItem", {"TableName": "plain", "Item": {"p": text(name)}})


def names(database: Database) -> set[str]:
    return {item["p"]["S"] for item in database.call("Scan", {"TableName": "plain"})["Items"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


@pytest.fixture
def database(path: Path) -> Any:
    with Database.open(str(path)) as database:
        make_plain_table(database)
        put(database, "first")
        names(database)  # A reader is open.
        yield database


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_writes_to_a_deleted_file_are_refused_and_reads_go_on(
    database: Database, path: Path, suffix: str, caplog: pytest.LogCaptureFixture
) -> None:
    Path(f"{path}{suffix}").unlink()
    for name in ("second", "third", "fourth"):
        with pytest.raises(StorageGone, match="deleted or replaced"):
            put(database, name)
    assert "first" in names(database)
    assert not {"third", "fourth"} & names(database)
    assert [record.message for record in caplog.records] == [
        f"{path}: the file was deleted or replaced; writes are rejected"
    ]
    assert not Path(f"{path}{suffix}").exists()


def test_a_deleted_file_is_not_made_again_by_a_reader(database: Database, path: Path) -> None:
    while database.storage._readers:
        database.storage._readers.pop().connection.close()
    path.unlink()
    with pytest.raises(StorageError, match="deleted or replaced"):
        names(database)
    assert not path.exists()


def test_a_file_that_was_moved_away_has_everything_that_was_acknowledged(
    database: Database, path: Path
) -> None:
    away = path.with_name("away.db")
    path.rename(away)
    with pytest.raises(StorageGone):
        put(database, "second")
    database.close()
    with Database.open(str(away)) as moved:
        assert "first" in names(moved)
        assert moved.check() == []


def test_a_file_that_was_moved_away_is_complete(database: Database, path: Path) -> None:
    away = path.with_name("away.db")
    path.rename(away)
    database.close()
    with Database.open(str(away)) as moved:
        assert "first" in names(moved)
        assert moved.check() == []


def test_a_file_that_takes_the_place_of_an_open_one_is_left_as_it_is(
    database: Database, path: Path
) -> None:
    other = path.with_name("other.db")
    with Database.open(str(other)) as replacement:
        make_plain_table(replacement)
        put(replacement, "another")
    other.replace(path)
    with pytest.raises(StorageGone):
        put(database, "second")
    # As after a kill: nothing has been closed.
    copy = path.with_name("copy")
    copy.mkdir()
    for file in path.parent.glob("app.db*"):
        shutil.copy(file, copy)
    for file in (copy / "app.db", path):
        if file == path:
            database.close()
        with Database.open(str(file)) as opened:
            assert names(opened) == {"another"}
            assert opened.check() == []


def test_writes_work_again_when_the_file_is_put_back(
    database: Database, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = path.with_name("away.db")
    path.rename(away)
    with pytest.raises(StorageGone):
        put(database, "second")
    away.rename(path)
    put(database, "third")
    assert {"first", "third"} <= names(database)
    assert caplog.records[-1].message == f"{path}: writes work again"


def test_a_file_can_be_created_again_after_it_was_deleted(database: Database, path: Path) -> None:
    path.unlink()
    with pytest.raises(StorageGone):
        put(database, "second")
    database.close()
    with Database.open(str(path)) as made:
        assert made.tables == []
        assert made.check() == []


class Full:
    """Replaces a commit while the disk is full."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        session = type(database.storage.writer)
        monkeypatch.setattr(session, "commit", self.refuse)

    def refuse(self, *_: object) -> None:
        raise apsw.FullError("database or disk is full")


@pytest.mark.plain
def test_a_full_disk_is_an_error_of_its_own_and_logged_once(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patched:
        Full(database, patched)
        for _ in range(3):
            with pytest.raises(StorageFull, match="disk") as refused:
                put(database, "second")
            assert isinstance(refused.value, (InternalError, StorageError))
        assert not database.health().is_writable
    assert names(database) == {"first"}
    put(database, "second")
    assert [(record.levelno, bool(record.exc_info)) for record in caplog.records] == [
        (logging.ERROR, False),
        (logging.WARNING, False),
    ]


def test_a_database_says_that_it_can_be_written(database: Database) -> None:
    health = database.health()
    assert health.is_writable
    assert health.problem == ""
    assert health.is_recovered
    assert health.wal_bytes > 0
    assert health.seconds_since_commit is not None
    assert 0 <= health.seconds_since_commit < 60


@pytest.mark.plain
def test_a_database_that_was_full_says_so_until_there_is_room(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        Full(database, patched)
        with pytest.raises(StorageFull):
            put(database, "second")
        assert "full" in database.health().problem
    assert database.health().is_writable  # Without a write of anybody else.


def test_a_database_whose_file_is_gone_says_so_before_anybody_writes(
    database: Database, path: Path
) -> None:
    path.unlink()
    health = database.health()
    assert not health.is_writable
    assert "deleted or replaced" in health.problem


def test_a_database_in_memory_and_one_for_reading_have_a_health(
    database: Database, path: Path
) -> None:
    with Database.open() as memory:
        assert memory.health().is_writable
        assert memory.health().seconds_since_commit is None
    database.close()
    with Database.open(str(path), read_only=True) as reading:
        assert not reading.health().is_writable
        assert reading.health().problem == "opened for reading only"


def test_a_store_on_an_event_loop_has_the_health_of_its_database(database: Database) -> None:
    store = AsyncEmbeddedStore(database)
    assert asyncio.run(store.health()).is_writable

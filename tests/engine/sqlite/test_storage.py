"""Storage: which files open, which are rejected, and what survives closing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import apsw
import pytest

from tablewright.engine.database import Database, storage_path
from tablewright.engine.sqlite.storage import Storage, is_safe, sqlite_version
from tablewright.errors import InternalError, StorageError
from tests.engine.sample_tables import make_plain_table, make_table, number, text


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "test.db")


def test_the_sqlite_in_use_is_not_one_that_can_corrupt_its_log() -> None:
    assert is_safe(sqlite_version())


def test_a_commit_waits_for_the_disk_unless_durability_is_relaxed(path: str) -> None:
    for durability, synchronous in (("full", 2), ("relaxed", 0)):
        storage = Storage(path, durability)  # type: ignore[arg-type]
        assert storage.writer.connection.pragma("journal_mode") == "wal"
        assert storage.writer.connection.pragma("synchronous") == synchronous
        storage.close()


def test_a_statement_is_prepared_once_whatever_values_it_is_given() -> None:
    requests: list[int] = []

    def allow(operation: int, *_: str | None) -> int:  # SQLite asks while it prepares statements.
        requests.append(operation)
        return apsw.SQLITE_OK

    def query(value: str) -> None:
        for name, index in ("pk", {}), ("g", {"IndexName": "by_g"}):
            request = {
                "TableName": "things",
                "KeyConditionExpression": f"{name} = :v",
                "ExpressionAttributeValues": {":v": text(value)},
                **index,
            }
            database.call("Query", request)

    with Database.open() as database:
        make_table(database)
        database.storage.writer.connection.authorizer = allow
        query("a")
        assert requests
        requests.clear()
        query("b")
        assert not requests


def test_a_file_keeps_tables_items_and_counts(path: str) -> None:
    with Database.open(path) as database:
        make_table(database)
        item = {"pk": text("a"), "sk": text("b"), "g": text("x"), "h": number(1), "l": number(2)}
        database.call("PutItem", {"TableName": "things", "Item": item})
        before = database.call("DescribeTable", {"TableName": "things"})
    with Database.open(path) as database:
        assert database.call("DescribeTable", {"TableName": "things"}) == before
        assert before["Table"]["ItemCount"] == 1
        assert database.call("Scan", {"TableName": "things"})["Items"] == [item]
        assert database.check() == []


def test_counts_are_counted_again_after_a_crash(path: str, tmp_path: Path) -> None:
    crashed = str(tmp_path / "crashed.db")
    with Database.open(path) as database:
        make_table(database)
        item = {"pk": text("a"), "sk": text("b"), "l": number(2)}
        database.call("PutItem", {"TableName": "things", "Item": item})
        for suffix in ("", "-wal"):  # The files as a killed process leaves them.
            Path(crashed + suffix).write_bytes(Path(path + suffix).read_bytes())
    with Database.open(crashed) as database:
        assert database.tables[0].item_count == 1
        assert database.tables[0].index_stats("by_l")[0] == 1
        assert database.check() == []


def test_a_second_opening_is_refused_and_names_the_owner(path: str) -> None:
    with Database.open(path):
        with pytest.raises(StorageError, match="already open in this process"):
            Database.open(path)
        attempt = (
            "import sys; from tablewright.engine.database import Database as D; D.open(sys.argv[1])"
        )
        other = subprocess.run(
            [sys.executable, "-c", attempt, path], capture_output=True, text=True, check=False
        )
        assert f"already open in process {os.getpid()}" in other.stderr
    Database.open(path).close()


def test_a_read_only_database_locks_the_file_and_changes_nothing(path: str) -> None:
    with Database.open(path) as database:
        make_plain_table(database)
        with pytest.raises(StorageError, match="already open"):
            Database.open(path, read_only=True)
    before = Path(path).read_bytes()
    with Database.open(path, read_only=True) as reader:
        assert [table.name for table in reader.tables] == ["plain"]
        assert reader.check() == []
        with pytest.raises(InternalError):
            reader.call("PutItem", {"TableName": "plain", "Item": {"p": text("a")}})
    assert Path(path).read_bytes() == before


def test_a_read_only_database_creates_no_file(path: str) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        Database.open(path, read_only=True)
    assert not Path(path).exists()


def test_a_file_that_is_no_database_is_refused(path: str) -> None:
    Path(path).write_bytes(b"hello, world. " * 1000)
    with pytest.raises(StorageError, match="not an SQLite database"):
        Database.open(path)


def test_another_programs_database_is_refused_and_left_alone(path: str) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes(text)")
    other.close()
    before = Path(path).read_bytes()
    with pytest.raises(StorageError, match="of another program"):
        Database.open(path)
    assert Path(path).read_bytes() == before


def test_a_newer_format_is_refused(path: str) -> None:
    Database.open(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(StorageError, match="newer Tablewright"):
        Database.open(path)


def test_a_file_of_an_older_format_gets_the_hashes_and_sizes_of_this_one(path: str) -> None:
    keys = [{"pk": text("a"), "sk": text(sort)} for sort in "12"]
    with Database.open(path) as database:
        make_table(database)
        ttl = {"Enabled": True, "AttributeName": "expires"}
        database.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": ttl})
        for key in keys:
            item = {**key, "g": text("x"), "h": number(1), "l": number(1), "expires": number(2**32)}
            database.call("PutItem", {"TableName": "things", "Item": item})
    other = sqlite3.connect(path)
    other.create_function("hashed", 1, lambda key: crc32(key[4:]).to_bytes(4, "big") + key[4:])
    tables = other.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    hashed = [name for (name,) in tables if name.startswith(("items_", "index_", "expiry_"))]
    for name in hashed:
        other.execute(f"UPDATE {name} SET hash = hashed(hash)")
        if name.startswith("items_"):
            other.execute(f"UPDATE {name} SET size = size - 1")
        if name.startswith("index_"):
            other.execute(f"UPDATE {name} SET item_hash = hashed(item_hash)")
    other.execute("PRAGMA user_version = 2")
    other.commit()
    other.close()
    with pytest.raises(StorageError, match="older Tablewright"):
        Database.open(path, read_only=True)
    with Database.open(path) as database:
        assert database.check() == []
        assert database.call("GetItem", {"TableName": "things", "Key": keys[0]})["Item"]
    Database.open(path, read_only=True).close()
    assert len(hashed) > 2


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="directory does not exist"):
        Database.open(str(tmp_path / "none" / "test.db"))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///app.db", "app.db"),
        ("sqlite:////var/app.db", "/var/app.db"),
        ("app.db", "app.db"),
        ("sqlite://:memory:", None),
        (":memory:", None),
    ],
)
def test_a_url_names_a_file(url: str, path: str | None) -> None:
    assert storage_path(url) == path


@pytest.mark.parametrize("url", ["postgres://x", "sqlite:///", "sqlite://x"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(StorageError):
        storage_path(url)


def test_a_damaged_item_prevents_writing_but_not_reading(path: str) -> None:
    with Database.open(path) as database:
        make_plain_table(database)
        database.call("PutItem", {"TableName": "plain", "Item": {"p": text("a")}})
        database.storage.writer.connection.execute("UPDATE items_1 SET body = 'x'")
        database.storage.writer.connection.execute("PRAGMA wal_checkpoint")
    other = sqlite3.connect(path)
    other.execute("DELETE FROM counts")  # As after a crash.
    other.commit()
    other.close()
    with pytest.raises(StorageError, match="cannot be read"):
        Database.open(path)
    with Database.open(path, read_only=True) as database:
        assert any("is unreadable" in problem for problem in database.check())


def test_sqlite_versions_with_the_wal_reset_bug_are_called_unsafe() -> None:
    assert [is_safe(v) for v in [(3, 51, 2), (3, 50, 6), (3, 44, 5), (3, 40, 1)]] == [False] * 4
    assert [is_safe(v) for v in [(3, 51, 3), (3, 50, 7), (3, 44, 6), (3, 54, 1)]] == [True] * 4


# Counts are kept with what they count.


@pytest.mark.plain
def test_a_file_that_was_not_closed_is_opened_without_counting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database.open(str(tmp_path / "test.db")) as original:
        make_table(original)
        for number_ in range(5):
            item = {"pk": text("a"), "sk": text(str(number_)), "g": text("x")}
            original.call("PutItem", {"TableName": "things", "Item": item})
        original.call(
            "DeleteItem", {"TableName": "things", "Key": {"pk": text("a"), "sk": text("0")}}
        )
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for name in ("test.db", "test.db-wal"):
            shutil.copy(tmp_path / name, crashed / name)
        expected = {table.name: table.counts.rows for table in original.tables}

    def refuse(*_: object) -> None:
        pytest.fail("the rows were counted")

    monkeypatch.setattr("tablewright.engine.database.count_rows", refuse)
    with Database.open(str(crashed / "test.db")) as database:
        assert {table.name: table.counts.rows for table in database.tables} == expected
        assert database.tables[0].item_count == 4
        assert database.check() == []


def test_a_file_without_counts_is_counted_once(tmp_path: Path) -> None:
    path = str(tmp_path / "test.db")
    with Database.open(path) as database:
        make_table(database)
        item = {"pk": text("a"), "sk": text("0"), "g": text("x")}
        database.call("PutItem", {"TableName": "things", "Item": item})
        database.storage.writer.connection.execute("DELETE FROM counts")
    for _ in range(2):
        with Database.open(path) as database:
            assert database.tables[0].item_count == 1
            assert database.check() == []
            stored = database.storage.writer.counts(database.tables[0].number)
            assert stored == database.tables[0].counts.rows


def test_a_check_finds_counts_of_the_file_that_are_wrong(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "test.db")) as database:
        make_table(database)
        database.storage.writer.connection.execute("UPDATE counts SET items = 7")
        assert any("different counts" in problem for problem in database.check())

"""Past states of a database: changes, transactions, versions, and copies of past tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.backups.point_in_time import Version
from tablewright.engine.database import Database
from tablewright.errors import (
    InvalidRestoreTime,
    LimitExceeded,
    PointInTimeRecoveryUnavailable,
)
from tests.engine.sample_tables import make_table

START = 1_800_000_000.0
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
KEPT = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}


@pytest.fixture(params=["memory", "file"])
def database(request: Any, tmp_path: Path) -> Iterator[Database]:
    """Two tables with streams and recovery; the clock advances a second at every call."""
    ticks = count()
    url = ":memory:" if request.param == "memory" else str(tmp_path / "past.db")
    with Database.open(url, clock=lambda: START + next(ticks)) as opened:
        for name in ("things", "others"):
            make_table(opened, name, StreamSpecification=STREAM)
            opened.call("UpdateContinuousBackups", {"TableName": name, **KEPT})
        yield opened
        assert opened.check() == []


def item(sort: str, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": "a"}, "sk": {"S": sort}, **more}


def put(database: Database, sort: str, table: str = "things", **more: Any) -> float:
    """Put an item; returns a time after that."""
    database.call("PutItem", {"TableName": table, "Item": item(sort, **more)})
    return database.now()


def transact(database: Database, *places: tuple[str, str]) -> None:
    puts = [{"Put": {"TableName": table, "Item": item(sort)}} for table, sort in places]
    database.call("TransactWriteItems", {"TransactItems": puts})


def told(database: Database, table: str) -> list[dict[str, Any]]:
    """The records of a table's stream."""
    arn = database.call("ListStreams", {"TableName": table})["Streams"][0]["StreamArn"]
    described = database.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    shard = described["Shards"][0]["ShardId"]
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = database.call("GetShardIterator", request)["ShardIterator"]
    reply: list[dict[str, Any]] = database.call("GetRecords", {"ShardIterator": iterator})[
        "Records"
    ]
    return reply


def test_changes_of_a_transaction_have_one_id_and_one_moment(database: Database) -> None:
    transact(database, ("things", "1"), ("others", "2"), ("things", "3"))
    transact(database, ("things", "4"), ("things", "5"))
    reply = database.recorded_after(["things", "others"], 0, 10)
    assert [one.table_name for one in reply] == ["things", "others", *["things"] * 3]
    ids = [one.transaction for one in reply]
    assert all(ids)
    assert len(set(ids[:3])) == len(set(ids[3:])) == 1
    assert ids[0] != ids[3]
    assert len({one.at for one in reply[:3]}) == 1
    assert reply[3].at > reply[0].at


def test_get_records_omits_transactions(database: Database) -> None:
    put(database, "0")
    transact(database, ("things", "1"), ("things", "2"))
    alone, *together = told(database, "things")
    assert len(together) == 2
    assert all(record.keys() == alone.keys() for record in together)
    assert [one.record for one in database.recorded_after(["things"], 0, 10)] == [alone, *together]


def test_a_change_by_itself_is_of_no_transaction(database: Database) -> None:
    put(database, "1")
    [one] = database.recorded_after(["things"], 0, 10)
    assert one.transaction == ""
    assert one.record["eventName"] == "INSERT"


def test_changes_of_several_tables_come_in_the_order_they_happened(database: Database) -> None:
    for sort, table in enumerate(["things", "others", "others", "things"]):
        put(database, str(sort), table)
    both = ["things", "others"]

    def sorts(found: list[Any]) -> list[str]:
        return [one.record["dynamodb"]["Keys"]["sk"]["S"] for one in found]

    after = database.recorded_after(both, 0, 3)
    assert sorts(after) == ["0", "1", "2"]
    assert sorts(database.recorded_after(both, after[-1].sequence, 3)) == ["3"]
    before = database.recorded_before(both, 1 << 62, 3)
    assert sorts(before) == ["3", "2", "1"]
    assert sorts(database.recorded_before(both, before[-1].sequence, 3)) == ["0"]
    assert sorts(database.recorded_after(["others"], 0, 9)) == ["1", "2"]


def test_a_copy_has_tables_as_they_were_with_their_indexes(database: Database) -> None:
    put(database, "1", g={"S": "red"}, h={"N": "1"})
    put(database, "2")
    put(database, "9", "others")
    then = database.now()
    put(database, "1", g={"S": "blue"}, h={"N": "1"})
    database.call("DeleteItem", {"TableName": "things", "Key": item("2")})
    put(database, "3")
    with database.as_of(["things", "others"], then, 10) as past:
        assert past.check() == []
        assert past.now() == then
        request = {"TableName": "things", "IndexName": "by_g"}
        request |= {"KeyConditionExpression": "g = :g"}
        red = past.call("Query", request | {"ExpressionAttributeValues": {":g": {"S": "red"}}})
        assert red["Items"] == [item("1", g={"S": "red"}, h={"N": "1"})]
        blue = past.call("Query", request | {"ExpressionAttributeValues": {":g": {"S": "blue"}}})
        assert blue["Items"] == []
        described = past.call("DescribeTable", {"TableName": "things"})["Table"]
        assert described["ItemCount"] == 2
        assert "StreamSpecification" not in described
        assert past.call("Scan", {"TableName": "others"})["Count"] == 1
    assert database.call("Scan", {"TableName": "things"})["Count"] == 2


def test_a_copy_never_has_half_of_a_transaction(database: Database) -> None:
    transact(database, ("things", "1"), ("things", "2"), ("others", "3"))
    [first, *_] = database.recorded_after(["things"], 0, 1)
    for moment, expected in ((first.at - 0.000001, 0), (first.at, 3)):
        with database.as_of(["things", "others"], moment, 10) as past:
            counts = [past.call("Scan", {"TableName": n})["Count"] for n in ("things", "others")]
            assert sum(counts) == expected


def test_a_copy_that_would_be_too_large_is_refused(database: Database) -> None:
    put(database, "1")
    put(database, "2")
    then = put(database, "3", "others")
    with pytest.raises(LimitExceeded, match="more than 2 items"):
        database.as_of(["things", "others"], then, 2)
    with database.as_of(["things", "others"], then, 3) as past:
        assert past.check() == []


def test_a_copy_of_an_unknown_past_is_refused(database: Database) -> None:
    with pytest.raises(InvalidRestoreTime):
        database.as_of(["things"], START - 1, 10)
    make_table(database, "plain")
    assert database.restorable_since("plain") is None
    with pytest.raises(PointInTimeRecoveryUnavailable):
        database.as_of(["plain"], database.now(), 10)


def test_the_versions_of_an_item_are_known_newest_first(database: Database) -> None:
    put(database, "1", v={"N": "1"})
    put(database, "1", v={"N": "2"})
    put(database, "2")
    database.call("DeleteItem", {"TableName": "things", "Key": item("1")})
    reply = database.versions("things", item("1"), 10)
    assert [version.item for version in reply] == [
        None,
        item("1", v={"N": "2"}),
        item("1", v={"N": "1"}),
        None,
    ]
    times = [version.since or 0.0 for version in reply[:-1]]
    assert times == sorted(times, reverse=True)
    assert reply[-1] == Version(None, None)
    assert len(database.versions("things", item("1"), 2)) == 2


def test_a_table_without_recovery_knows_no_versions(database: Database) -> None:
    make_table(database, "plain")
    put(database, "1", "plain")
    assert database.versions("plain", item("1"), 10) == []


def test_an_item_older_than_its_history_has_a_version_without_a_time(database: Database) -> None:
    make_table(database, "late")
    put(database, "1", "late")
    database.call("UpdateContinuousBackups", {"TableName": "late", **KEPT})
    assert database.versions("late", item("1"), 10) == [Version(None, item("1"))]

"""Streams in process: time, expiry, and a file of an older format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from tablewright.engine.database import Database
from tablewright.engine.sqlite.storage import APPLICATION_ID
from tablewright.errors import (
    ExpiredIterator,
    ResourceNotFound,
    TrimmedDataAccess,
    ValidationError,
)
from tests.engine.sample_tables import make_table

DAY = 24 * 3600
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(clock: Clock) -> Any:
    with Database.open(clock=clock) as opened:
        make_table(opened, StreamSpecification=STREAM)
        yield opened
        assert opened.check() == []


def arn(database: Database) -> str:
    return str(database.call("ListStreams", {})["Streams"][0]["StreamArn"])


def shard(database: Database) -> dict[str, Any]:
    reply = database.call("DescribeStream", {"StreamArn": arn(database)})["StreamDescription"]
    result: dict[str, Any] = reply["Shards"][0]
    return result


def iterator(database: Database, kind: str = "TRIM_HORIZON", **more: Any) -> str:
    request = {"StreamArn": arn(database), "ShardId": shard(database)["ShardId"]}
    created = database.call("GetShardIterator", {**request, "ShardIteratorType": kind, **more})
    return str(created["ShardIterator"])


def records(database: Database) -> list[dict[str, Any]]:
    reply = database.call("GetRecords", {"ShardIterator": iterator(database)})["Records"]
    return list(reply)


def put(database: Database, sort: str, **more: Any) -> None:
    item = {"pk": {"S": "a"}, "sk": {"S": sort}, **more}
    database.call("PutItem", {"TableName": "things", "Item": item})


def test_what_expires_is_removed_by_the_service(database: Database, clock: Clock) -> None:
    enabled = {"Enabled": True, "AttributeName": "ttl"}
    database.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": enabled})
    put(database, "1", ttl={"N": str(int(clock.now) + 10)})
    put(database, "2")
    clock.now += 11
    assert database.sweep_expired() == 1
    database.call(
        "DeleteItem", {"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "2"}}}
    )
    removed = [record for record in records(database) if record["eventName"] == "REMOVE"]
    assert removed[0]["userIdentity"] == {
        "PrincipalId": "dynamodb.amazonaws.com",
        "Type": "Service",
    }
    assert "userIdentity" not in removed[1]


def test_records_are_kept_for_a_day(database: Database, clock: Clock) -> None:
    put(database, "1")
    first = records(database)[0]["dynamodb"]["SequenceNumber"]
    clock.now += DAY - 1
    put(database, "2")
    assert len(records(database)) == 2
    clock.now += 1
    assert len(records(database)) == 1  # Gone before it is swept.
    with pytest.raises(TrimmedDataAccess):
        iterator(database, "AT_SEQUENCE_NUMBER", SequenceNumber=first)
    database.sweep_expired()
    assert len(records(database)) == 1
    put(database, "3")
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records(database)]
    assert numbers == sorted(numbers)
    assert numbers[0] > int(first)


def test_an_iterator_is_good_for_a_quarter_of_an_hour(database: Database, clock: Clock) -> None:
    held = iterator(database)
    clock.now += 15 * 60
    database.call("GetRecords", {"ShardIterator": held})
    clock.now += 1
    with pytest.raises(ExpiredIterator):
        database.call("GetRecords", {"ShardIterator": held})


def test_a_closed_stream_is_kept_for_a_day(database: Database, clock: Clock) -> None:
    put(database, "1")
    name = arn(database)
    database.call("DeleteTable", {"TableName": "things"})
    clock.now += DAY - 1
    assert database.call("ListStreams", {})["Streams"] != []
    clock.now += 1
    assert database.call("ListStreams", {})["Streams"] == []
    with pytest.raises(ResourceNotFound):
        database.call("DescribeStream", {"StreamArn": name})
    database.sweep_expired()
    assert database.storage.writer.streams() == []
    make_table(database, StreamSpecification=STREAM)


def test_a_write_that_fails_leaves_no_record(database: Database) -> None:
    put(database, "1")
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    taken = {"TableName": "things", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
    fresh = {"TableName": "things", "Item": item | {"sk": {"S": "2"}}}
    with pytest.raises(Exception, match="cancelled"):
        database.call("TransactWriteItems", {"TransactItems": [{"Put": fresh}, {"Put": taken}]})
    assert len(records(database)) == 1


def test_records_survive_with_their_items(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/app.db"
    with Database.open(url) as database:
        make_table(database, StreamSpecification=STREAM)
        put(database, "1")
    with Database.open(url) as database:
        put(database, "2")
        assert len(records(database)) == 2
        assert database.check() == []


def test_a_file_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Database.open(f"sqlite:///{path}") as database:
        make_table(database)
        put(database, "1")
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE streams; DROP TABLE records; DROP TABLE backups")
    connection.execute("DROP TABLE history")
    connection.pragma("user_version", 1)
    assert connection.pragma("application_id") == APPLICATION_ID
    connection.close()
    with Database.open(f"sqlite:///{path}") as database:
        database.call("UpdateTable", {"TableName": "things", "StreamSpecification": STREAM})
        put(database, "2")
        assert len(records(database)) == 1
        assert database.check() == []


def test_long_records_come_in_pages_of_a_megabyte(database: Database) -> None:
    for number in range(4):
        put(database, str(number), text={"S": "x" * 300_000})
    page = database.call("GetRecords", {"ShardIterator": iterator(database)})
    assert len(page["Records"]) == 3
    rest = database.call("GetRecords", {"ShardIterator": page["NextShardIterator"]})
    assert len(rest["Records"]) == 1


def test_an_iterator_may_begin_at_a_time(database: Database, clock: Clock) -> None:
    for sort in ("1", "2", "3"):
        put(database, sort)
        clock.now += 10

    def sorts_from(seconds_ago: float) -> list[str]:
        text = iterator(database, "AT_TIMESTAMP", Timestamp=clock.now - seconds_ago)
        reply = database.call("GetRecords", {"ShardIterator": text})["Records"]
        return [record["dynamodb"]["Keys"]["sk"]["S"] for record in reply]

    assert sorts_from(30) == ["1", "2", "3"]
    assert sorts_from(25) == ["2", "3"]
    assert sorts_from(20) == ["2", "3"]
    assert sorts_from(0) == []
    assert sorts_from(3 * DAY) == ["1", "2", "3"]
    for wrong in ({"Timestamp": clock.now + 1}, {}):
        with pytest.raises(ValidationError):
            iterator(database, "AT_TIMESTAMP", **wrong)
    with pytest.raises(ValidationError):
        iterator(database, "LATEST", Timestamp=clock.now)


def test_no_shard_has_children(database: Database) -> None:
    request = {"StreamArn": arn(database), "ShardFilter": {"Type": "CHILD_SHARDS"}}
    assert database.call("DescribeStream", request)["StreamDescription"]["Shards"] == []

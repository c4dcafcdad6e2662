"""Streams over HTTP: what is recorded, in which order, and how it is read.

Developer guide, "Change data capture for DynamoDB Streams"; API reference of the streams service.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from .calls import key_schema, number, refused, text

VIEWS = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
NO_SHARD = "shardId-00000000000000000000-00000000"


class Streamed:
    """A table with a stream, and what is done with both."""

    def __init__(self, boto: Any, streams: Any, table: str) -> None:
        self.boto = boto
        self.streams = streams
        self.table = table
        described = boto.describe_table(TableName=table)["Table"]
        self.arn: str = described["LatestStreamArn"]

    def put(self, sort: str = "1", **attributes: Any) -> None:
        item = {"pk": text("a"), "sk": text(sort), **attributes}
        self.boto.put_item(TableName=self.table, Item=item)

    def delete(self, sort: str = "1") -> None:
        key = {"pk": text("a"), "sk": text(sort)}
        self.boto.delete_item(TableName=self.table, Key=key)

    def describe(self, **more: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.streams.describe_stream(StreamArn=self.arn, **more)
        return result["StreamDescription"]  # type: ignore[no-any-return]

    @property
    def shard(self) -> str:
        return str(self.describe()["Shards"][0]["ShardId"])

    def iterator(self, kind: str = "TRIM_HORIZON", **more: Any) -> str:
        created = self.streams.get_shard_iterator(
            StreamArn=self.arn, ShardId=self.shard, ShardIteratorType=kind, **more
        )
        return str(created["ShardIterator"])

    def records(self, kind: str = "TRIM_HORIZON", **more: Any) -> list[dict[str, Any]]:
        result = self.streams.get_records(ShardIterator=self.iterator(kind, **more))
        return list(result["Records"])


@pytest.fixture
def streamed(boto: Any, streams: Any, new_table: Callable[..., str]) -> Callable[[str], Streamed]:
    """Makes a table with a stream of a view type."""

    def make(view: str = "NEW_AND_OLD_IMAGES") -> Streamed:
        specification = {"StreamEnabled": True, "StreamViewType": view}
        return Streamed(boto, streams, new_table("pk", "sk", StreamSpecification=specification))

    return make


def names(records: list[dict[str, Any]]) -> list[str]:
    return [record["eventName"] for record in records]


# API_streams_Record: INSERT, MODIFY, REMOVE.
def test_every_change_is_recorded_in_its_order(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    table.put(n=number(1))
    table.put(n=number(2))
    table.boto.update_item(
        TableName=table.table,
        Key={"pk": text("a"), "sk": text("1")},
        UpdateExpression="SET n = n + :one",
        ExpressionAttributeValues={":one": number(1)},
    )
    table.delete()
    table.boto.batch_write_item(
        RequestItems={table.table: [{"PutRequest": {"Item": {"pk": text("a"), "sk": text("2")}}}]}
    )
    put = {"TableName": table.table, "Item": {"pk": text("a"), "sk": text("3")}}
    table.boto.transact_write_items(TransactItems=[{"Put": put}])
    records = table.records()
    assert names(records) == ["INSERT", "MODIFY", "MODIFY", "REMOVE", "INSERT", "INSERT"]
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert numbers == sorted(numbers, key=int)
    assert len(set(numbers)) == len(numbers)
    assert len({record["eventID"] for record in records}) == len(records)
    for record in records:
        assert (record["eventVersion"], record["eventSource"]) == ("1.1", "aws:dynamodb")
        assert "userIdentity" not in record


# "If you perform a PutItem or UpdateItem that does not change any data in an item, DynamoDB
# Streams does not write a stream record."
def test_what_changes_nothing_is_not_recorded(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    table.put(s={"SS": ["x", "y"]})
    table.put(s={"SS": ["x", "y"]})
    key = {"pk": text("a"), "sk": text("1")}
    table.boto.update_item(TableName=table.table, Key=key, UpdateExpression="REMOVE gone")
    table.boto.update_item(
        TableName=table.table,
        Key=key,
        UpdateExpression="ADD s :x",
        ExpressionAttributeValues={":x": {"SS": ["x"]}},
    )
    table.delete("2")
    with refused("ConditionalCheckFailedException"):
        table.boto.put_item(
            TableName=table.table, Item=key, ConditionExpression="attribute_not_exists(pk)"
        )
    assert names(table.records()) == ["INSERT"]


# API_StreamSpecification, StreamViewType.
@pytest.mark.parametrize("view", VIEWS)
def test_a_record_holds_what_its_view_says(streamed: Callable[..., Streamed], view: str) -> None:
    table = streamed(view)
    table.put(n=number(1))
    table.put(n=number(22))
    table.delete()
    key = {"pk": text("a"), "sk": text("1")}
    one, two = key | {"n": number(1)}, key | {"n": number(22)}
    images = [(None, one), (one, two), (two, None)]
    sizes = {"KEYS_ONLY": (6, 6, 6), "NEW_IMAGE": (15, 15, 6), "OLD_IMAGE": (6, 15, 15)}
    records = table.records()
    for at, (record, (old, new)) in enumerate(zip(records, images, strict=True)):
        reply = record["dynamodb"]
        assert reply["Keys"] == key
        assert reply["StreamViewType"] == view
        assert reply.get("NewImage") == (new if view in ("NEW_IMAGE", VIEWS[3]) else None)
        assert reply.get("OldImage") == (old if view in ("OLD_IMAGE", VIEWS[3]) else None)
        assert reply["SizeBytes"] == sizes.get(view, (15, 24, 15))[at]


def test_a_stream_is_described(streamed: Callable[..., Streamed]) -> None:
    table = streamed("NEW_IMAGE")
    described = table.describe()
    assert described["StreamArn"] == table.arn
    assert table.arn.endswith(f"table/{table.table}/stream/{described['StreamLabel']}")
    assert described["StreamStatus"] == "ENABLED"
    assert described["StreamViewType"] == "NEW_IMAGE"
    assert described["TableName"] == table.table
    assert described["KeySchema"] == key_schema("pk", "sk")
    [shard] = described["Shards"]
    assert "EndingSequenceNumber" not in shard["SequenceNumberRange"]
    assert table.describe(ExclusiveStartShardId=shard["ShardId"])["Shards"] == []
    assert table.describe(Limit=1)["Shards"] == [shard]


def test_streams_are_listed(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    [found] = table.streams.list_streams(TableName=table.table)["Streams"]
    assert (found["StreamArn"], found["TableName"]) == (table.arn, table.table)
    assert table.streams.list_streams(TableName=f"none-{uuid.uuid4().hex}")["Streams"] == []
    other = streamed()
    listed = []
    after: dict[str, Any] = {}
    while True:
        page = table.streams.list_streams(Limit=1, **after)
        listed += [stream["StreamArn"] for stream in page["Streams"]]
        if "LastEvaluatedStreamArn" not in page:
            break
        after = {"ExclusiveStartStreamArn": page["LastEvaluatedStreamArn"]}
    assert {table.arn, other.arn} <= set(listed)
    assert len(set(listed)) == len(listed)


# API_streams_GetShardIterator, ShardIteratorType.
def test_reading_begins_where_the_iterator_says(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    latest = table.iterator("LATEST")
    for sort in ("1", "2", "3"):
        table.put(sort)
    numbers = [record["dynamodb"]["SequenceNumber"] for record in table.records()]
    second = {"SequenceNumber": numbers[1]}
    assert len(table.records("AT_SEQUENCE_NUMBER", **second)) == 2
    assert len(table.records("AFTER_SEQUENCE_NUMBER", **second)) == 1
    assert table.records("LATEST") == []
    assert len(table.streams.get_records(ShardIterator=latest)["Records"]) == 3


def test_pages_go_on_with_the_next_iterator(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    for sort in range(5):
        table.put(str(sort))
    results: list[str] = []
    iterator = table.iterator()
    while len(results) < 5:
        page = table.streams.get_records(ShardIterator=iterator, Limit=2)
        assert len(page["Records"]) <= 2
        results += [record["dynamodb"]["Keys"]["sk"]["S"] for record in page["Records"]]
        iterator = page["NextShardIterator"]
    assert results == ["0", "1", "2", "3", "4"]
    assert table.streams.get_records(ShardIterator=iterator)["Records"] == []


def test_a_stream_that_is_disabled_ends_and_can_be_read(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    table.put()
    disabled = {"StreamEnabled": False}
    table.boto.update_table(TableName=table.table, StreamSpecification=disabled)
    table.put("2")
    described = table.describe()
    assert described["StreamStatus"] == "DISABLED"
    assert "EndingSequenceNumber" in described["Shards"][0]["SequenceNumberRange"]
    page = table.streams.get_records(ShardIterator=table.iterator())
    assert names(page["Records"]) == ["INSERT"]
    assert "NextShardIterator" not in page
    table.boto.update_table(
        TableName=table.table,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    again = Streamed(table.boto, table.streams, table.table)
    assert again.arn != table.arn
    again.put("3")
    assert [record["dynamodb"]["Keys"]["sk"] for record in again.records()] == [text("3")]


def test_the_stream_of_a_deleted_table_can_be_read(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    table.put()
    table.boto.delete_table(TableName=table.table)
    assert table.describe()["StreamStatus"] == "DISABLED"
    assert names(table.records())[0] == "INSERT"


@pytest.mark.parametrize(
    ("kind", "more", "words"),
    [
        ("AT_SEQUENCE_NUMBER", {}, "Invalid SequenceNumber"),
        ("AT_SEQUENCE_NUMBER", {"SequenceNumber": "1"}, "length greater than or equal to 21"),
        ("LATEST", {"SequenceNumber": "0" * 21}, "should not be passed for this iterator type"),
    ],
)
def test_sequence_numbers_go_with_their_types(
    streamed: Callable[..., Streamed], kind: str, more: dict[str, str], words: str
) -> None:
    with refused("ValidationException", words):
        streamed().iterator(kind, **more)


def test_what_does_not_exist_is_not_found(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    other = table.arn[:-12] + "00:00:00.001"
    with refused("ResourceNotFoundException", f"Stream: {other} not found"):
        table.streams.describe_stream(StreamArn=other)
    for arn, shard, words in (
        (other, table.shard, "Stream does not exist"),
        (table.arn, NO_SHARD, "Shard does not exist"),
    ):
        with refused("ResourceNotFoundException", words):
            table.streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST"
            )
    for iterator in ("x", table.arn, f"{table.arn}|1|e30="):
        with refused("ValidationException", "Invalid ShardIterator"):
            table.streams.get_records(ShardIterator=iterator)


# AWS refuses what can be no stream's ARN before it looks for the stream.
def test_what_is_no_arn_of_a_stream_is_refused(streamed: Callable[..., Streamed]) -> None:
    table = streamed()
    for arn in ("x" * 40, table.arn.partition("/stream/")[0]):
        with refused("ValidationException"):
            table.streams.describe_stream(StreamArn=arn)
        with refused("ValidationException"):
            table.streams.get_shard_iterator(
                StreamArn=arn, ShardId=table.shard, ShardIteratorType="LATEST"
            )
        with refused("ValidationException"):
            table.streams.list_streams(ExclusiveStartStreamArn=arn)


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_has_one_to_a_thousand_records(
    streamed: Callable[..., Streamed], limit: int
) -> None:
    table = streamed()
    with refused("ValidationException"):
        table.streams.get_records(ShardIterator=table.iterator(), Limit=limit)


# Each service knows its own operations alone.
def test_streams_are_a_service_of_their_own(post: Any) -> None:
    status, body = post("ListStreams", {})
    assert status == 400
    assert body["__type"].endswith("#UnknownOperationException")

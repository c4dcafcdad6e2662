"""Streams: a record of every change of a table's items, written in the change's own transaction.

A stream opens when a table's StreamSpecification is enabled, and closes when it is disabled or the
table is deleted; it stays readable for a day after that, as each record does. It has one shard,
which is open as long as the stream. `items.item_writes` calls `write_record`.

    {"eventID": "…", "eventName": "MODIFY", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
     "awsRegion": "us-east-1", "dynamodb": {"Keys": {…}, "NewImage": {…}, "OldImage": {…},
     "SequenceNumber": "000000000000000000042", "SizeBytes": 59, …}}

Changes of one transaction are stored with its id under "transaction". DynamoDB's records do not
contain it, so `GetRecords` omits it; `recorded_after` and `recorded_before` return it.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

import orjson

from tablewright.engine.sqlite.rows import StreamRow
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.descriptions import table_arn
from tablewright.errors import ResourceNotFound
from tablewright.limits import STREAM_SECONDS
from tablewright.values.attributes import Item, equal
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.engine.command_context import Settings, Tx
    from tablewright.engine.items.item_writes import Change, Moment

__all__ = [
    "Recorded",
    "Stream",
    "find_stream",
    "live_streams",
    "read_record",
    "recorded_after",
    "recorded_before",
    "sequence_text",
    "trim",
    "write_record",
]

_SEQUENCE_DIGITS: Final = 21
# DynamoDB: deletes expired items; developer guide, "DynamoDB Streams and Time to Live".
_SERVICE: Final = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
_TRIM_BATCH: Final = 10_000
_TRANSACTION: Final = "transaction"  # Stored, but not returned by GetRecords.


def sequence_text(sequence: int) -> str:
    """A sequence number as clients see it: texts that sort in the order of the changes."""
    return f"{sequence:0{_SEQUENCE_DIGITS}d}"


class Stream(NamedTuple):
    """A stream that can be read."""

    number: int
    table_name: str
    label: str
    created_at: float
    closed_at: float | None
    first: int  # The sequence number of its first record, even if there is none yet.
    last: int | None  # Of its last record, once it is closed.
    view_type: str
    key_schema: list[dict[str, str]]

    @classmethod
    def of(cls, row: StreamRow) -> Stream:
        number, name, label, created_at, closed_at, first, last, description = row
        table = orjson.loads(description)
        return cls(
            number,
            name,
            label,
            created_at,
            closed_at,
            first,
            last,
            table["StreamViewType"],
            table["KeySchema"],
        )

    def arn(self, settings: Settings) -> str:
        return f"{table_arn(settings, self.table_name)}/stream/{self.label}"

    @property
    def shard_id(self) -> str:
        checked = crc32(f"{self.table_name} {self.label}".encode())
        return f"shardId-{int(self.created_at * 1000):020d}-{checked:08x}"

    def is_gone(self, now: float) -> bool:
        return self.closed_at is not None and self.closed_at <= now - STREAM_SECONDS

    def describe_shard(self) -> dict[str, Any]:
        numbers = {"StartingSequenceNumber": sequence_text(self.first)}
        if self.last is not None:
            numbers["EndingSequenceNumber"] = sequence_text(max(self.last, self.first))
        return {"ShardId": self.shard_id, "SequenceNumberRange": numbers}


def live_streams(tx: Tx, name: str | None = None) -> list[Stream]:
    """The streams that can be read, of one table or of all, oldest first."""
    rows = map(Stream.of, tx.session.streams())
    now = tx.now()
    return [
        stream
        for stream in rows
        if not stream.is_gone(now) and (name is None or stream.table_name == name)
    ]


def find_stream(tx: Tx, arn: str, message: str) -> Stream:
    """The stream of an ARN; raises ResourceNotFound with this message."""
    for stream in live_streams(tx):
        if stream.arn(tx.settings) == arn:
            return stream
    raise ResourceNotFound(message)


# Records.


def write_record(tx: Tx, table: Table, change: Change, moment: Moment) -> None:
    """Record a change of an item, unless the item stays the same."""
    assert table.stream is not None
    number, view = table.stream
    old, new = change.old, change.new
    if old is not None and new is not None and _is_same(old, new):
        return
    item = new if new is not None else old
    assert item is not None, "a change has an item before or after"
    keys = {name: item[name] for name in table.key.names}
    size = item_size(keys)
    details: dict[str, Any] = {"ApproximateCreationDateTime": int(moment.at), "Keys": keys}
    if new is not None and view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        details["NewImage"] = orjson.Fragment(change.new_body)
        size += change.new_size
    if change.row is not None and view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        details["OldImage"] = orjson.Fragment(change.row.body)
        size += change.old_size
    details |= {"SizeBytes": size, "StreamViewType": view}
    record: dict[str, Any] = {
        "eventID": uuid.uuid4().hex,
        "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": tx.settings.region,
        "dynamodb": details,
    }
    if change.by_service:
        record["userIdentity"] = _SERVICE
    if moment.transaction:
        record[_TRANSACTION] = moment.transaction
    tx.session.put_record(number, moment.at, orjson.dumps(record))


def read_record(sequence: int, body: bytes) -> tuple[dict[str, Any], str]:
    """A stored record as GetRecords returns it, and its transaction."""
    record = orjson.loads(body)
    record["dynamodb"]["SequenceNumber"] = sequence_text(sequence)
    return record, record.pop(_TRANSACTION, "")


class Recorded(NamedTuple):
    """A recorded change, with what `GetRecords` omits: the exact time and the transaction."""

    sequence: int
    at: float
    transaction: str  # Empty for a single write.
    table_name: str
    record: dict[str, Any]


def recorded_after(tx: Tx, names: Collection[str], after: int, limit: int) -> list[Recorded]:
    """The next changes of these tables after a sequence number, oldest first."""
    oldest = tx.now() - STREAM_SECONDS
    changes = (
        _recorded(stream, tx.session.records(stream.number, after + 1, oldest, limit))
        for stream in live_streams(tx)
        if stream.table_name in names
    )
    return list(islice(merge(*changes, key=_sequence), limit))


def recorded_before(tx: Tx, names: Collection[str], before: int, limit: int) -> list[Recorded]:
    """The last changes of these tables before a sequence number, newest first."""
    oldest = tx.now() - STREAM_SECONDS
    changes = (
        _recorded(stream, tx.session.records_before(stream.number, before, oldest, limit))
        for stream in live_streams(tx)
        if stream.table_name in names
    )
    return list(islice(merge(*changes, key=_sequence, reverse=True), limit))


def _sequence(change: Recorded) -> int:
    return change.sequence


def _recorded(stream: Stream, rows: Iterable[tuple[int, float, bytes]]) -> Iterator[Recorded]:
    # Fetch all rows first: merging alternates between streams on one connection.
    for sequence, at, body in list(rows):
        record, transaction = read_record(sequence, body)
        yield Recorded(sequence, at, transaction, stream.table_name, record)


def _is_same(old: Item, new: Item) -> bool:
    """DynamoDB: a write that changes nothing is not recorded; the order of a set is ignored."""
    return old == new or (
        old.keys() == new.keys() and all(equal(value, new[name]) for name, value in old.items())
    )


def trim(tx: Tx) -> int:
    """Delete expired records and streams; returns the number of records."""
    oldest = tx.now() - STREAM_SECONDS
    return tx.session.trim_streams(oldest, _TRIM_BATCH)

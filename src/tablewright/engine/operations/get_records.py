"""GetRecords: the next records of a shard."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Integer, String, Structure
from tablewright.engine.streams.shard_iterators import ShardIterator
from tablewright.engine.streams.stream_records import Stream, find_stream, read_record
from tablewright.errors import ResourceNotFound
from tablewright.limits import STREAM_PAGE_BYTES_MAX, STREAM_PAGE_RECORDS_MAX, STREAM_SECONDS

SHAPE = Structure(
    ShardIterator=String(required=True, length=(1, 2048)),
    Limit=Integer(range=(1, STREAM_PAGE_RECORDS_MAX)),
)


def parse(request: Request) -> Command:
    iterator = ShardIterator.read(request["ShardIterator"])
    limit = request.get("Limit") or STREAM_PAGE_RECORDS_MAX

    def command(tx: Tx) -> Response:
        stream = find_stream(tx, iterator.arn, "Stream does not exist")
        if stream.shard_id != iterator.shard_id:
            raise ResourceNotFound("Shard does not exist")
        iterator.require_fresh(tx.now())
        records, after = _read(tx, stream, iterator.sequence, limit)
        response: Response = {"Records": records}
        if stream.last is None or after <= stream.last:
            following = iterator._replace(sequence=after, made_at=tx.now())
            response["NextShardIterator"] = following.text()
        return response

    return command


def _read(tx: Tx, stream: Stream, first: int, limit: int) -> tuple[list[dict[str, Any]], int]:
    """Records up to 1 MB, and the sequence number after them."""
    records: list[dict[str, Any]] = []
    size = 0
    oldest = tx.now() - STREAM_SECONDS
    for sequence, _, body in tx.session.records(stream.number, first, oldest, limit):
        size += len(body)
        if records and size > STREAM_PAGE_BYTES_MAX:
            break
        records.append(read_record(sequence, body)[0])
        first = sequence + 1
    return records, first


OPERATION = Operation("GetRecords", SHAPE, "read", parse)

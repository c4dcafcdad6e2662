"""GetShardIterator: an iterator for a position in a shard."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import String, Structure, Timestamp
from tablewright.engine.streams.shard_iterators import ShardIterator
from tablewright.engine.streams.stream_records import Stream, find_stream
from tablewright.engine.streams.stream_shapes import require_stream_arn, shard_id, stream_arn
from tablewright.errors import ResourceNotFound, TrimmedDataAccess, ValidationError
from tablewright.limits import STREAM_SECONDS

_INVALID = "One or more parameter values were invalid: "
_NUMBERED = ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER")

SHAPE = Structure(
    StreamArn=stream_arn(),
    ShardId=shard_id(),
    ShardIteratorType=String(
        required=True,
        choices=(
            "AFTER_SEQUENCE_NUMBER",
            "LATEST",
            "AT_SEQUENCE_NUMBER",
            "TRIM_HORIZON",
            "AT_TIMESTAMP",
        ),
    ),
    SequenceNumber=String(length=(21, 40)),
    Timestamp=Timestamp(),
)


def parse(request: Request) -> Command:
    kind, sequence_number = request["ShardIteratorType"], request.get("SequenceNumber")
    if kind in _NUMBERED:
        if sequence_number is None or not (sequence_number.isascii() and sequence_number.isdigit()):
            raise ValidationError(_INVALID + "Invalid SequenceNumber")
    elif sequence_number is not None:
        raise ValidationError(
            _INVALID + "SequenceNumber should not be passed for this iterator type"
        )
    at = request.get("Timestamp")
    if (at is None) == (kind == "AT_TIMESTAMP"):
        raise ValidationError(_INVALID + "Timestamp goes with the iterator type AT_TIMESTAMP")
    arn, shard = request["StreamArn"], request["ShardId"]
    require_stream_arn(arn)

    def command(tx: Tx) -> Response:
        stream = find_stream(tx, arn, "Stream does not exist")
        if stream.shard_id != shard:
            raise ResourceNotFound("Shard does not exist")
        first = (
            _first(tx, stream, kind, sequence_number) if at is None else _first_at(tx, stream, at)
        )
        return {"ShardIterator": ShardIterator(arn, shard, first, tx.now()).text()}

    return command


def _first(tx: Tx, stream: Stream, kind: str, sequence_number: str | None) -> int:
    """The sequence number of the first record to read."""
    if kind == "LATEST":
        return tx.session.next_sequence()
    if kind == "TRIM_HORIZON" or sequence_number is None:
        return stream.first
    sequence = int(sequence_number)
    last = tx.session.next_sequence() - 1 if stream.last is None else stream.last
    if sequence < stream.first or sequence > max(last, stream.first):
        raise ValidationError(_INVALID + "Invalid SequenceNumber")
    oldest = tx.now() - STREAM_SECONDS
    oldest_record = next(iter(tx.session.records(stream.number, stream.first, oldest, 1)), None)
    if oldest_record is not None and sequence < oldest_record[0]:
        raise TrimmedDataAccess(
            "The operation attempted to read past the oldest stream record in a shard."
        )
    return sequence + (kind == "AFTER_SEQUENCE_NUMBER")


def _first_at(tx: Tx, stream: Stream, at: float) -> int:
    """The sequence number of the first record at or after a time, or of the next record."""
    if at > tx.now():
        raise ValidationError(_INVALID + "Timestamp is in the future")
    # Records have whole seconds.
    sequence = tx.session.first_record(stream.number, max(int(at), tx.now() - STREAM_SECONDS))
    return tx.session.next_sequence() if sequence is None else sequence


OPERATION = Operation("GetShardIterator", SHAPE, "read", parse)

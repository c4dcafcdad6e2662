"""DescribeStream: a stream's view type and shards."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Integer, String, Structure
from tablewright.engine.streams.stream_records import find_stream
from tablewright.engine.streams.stream_shapes import require_stream_arn, shard_id, stream_arn
from tablewright.limits import STREAMS_LISTED_MAX

SHAPE = Structure(
    StreamArn=stream_arn(),
    Limit=Integer(range=(1, STREAMS_LISTED_MAX)),
    ExclusiveStartShardId=shard_id(required=False),
    ShardFilter=Structure(
        named="ShardFilter",
        Type=String(choices=("CHILD_SHARDS",)),
        ShardId=shard_id(required=False),
    ),
)


def parse(request: Request) -> Command:
    arn, after = request["StreamArn"], request.get("ExclusiveStartShardId")
    require_stream_arn(arn)
    asks_for_children = request.get("ShardFilter") is not None

    def command(tx: Tx) -> Response:
        missing = f"Requested resource not found: Stream: {arn} not found"
        stream = find_stream(tx, arn, missing)
        # A stream has one shard, so Limit has no effect and no shard has children.
        is_past = asks_for_children or (after is not None and after >= stream.shard_id)
        shards = [] if is_past else [stream.describe_shard()]
        described: dict[str, Any] = {
            "StreamArn": arn,
            "StreamLabel": stream.label,
            "StreamStatus": "ENABLED" if stream.closed_at is None else "DISABLED",
            "StreamViewType": stream.view_type,
            "CreationRequestDateTime": round(stream.created_at, 3),
            "TableName": stream.table_name,
            "KeySchema": stream.key_schema,
            "Shards": shards,
        }
        return {"StreamDescription": described}

    return command


OPERATION = Operation("DescribeStream", SHAPE, "read", parse)

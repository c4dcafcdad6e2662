"""ListStreams: the readable streams of one table or of all."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Integer, Structure
from tablewright.engine.streams.stream_records import live_streams
from tablewright.engine.streams.stream_shapes import require_stream_arn, stream_arn
from tablewright.engine.tables.table_shapes import index_name
from tablewright.limits import STREAMS_LISTED_MAX

SHAPE = Structure(
    TableName=index_name(required=False),
    Limit=Integer(range=(1, STREAMS_LISTED_MAX)),
    ExclusiveStartStreamArn=stream_arn(required=False),
)


def parse(request: Request) -> Command:
    limit = request.get("Limit") or STREAMS_LISTED_MAX
    after = request.get("ExclusiveStartStreamArn")
    if after is not None:
        require_stream_arn(after)
    name = request.get("TableName")

    def command(tx: Tx) -> Response:
        streams = sorted(live_streams(tx, name), key=lambda stream: stream.arn(tx.settings))
        if after is not None:
            streams = [stream for stream in streams if stream.arn(tx.settings) > after]
        page = streams[:limit]
        response: Response = {
            "Streams": [
                {
                    "StreamArn": stream.arn(tx.settings),
                    "TableName": stream.table_name,
                    "StreamLabel": stream.label,
                }
                for stream in page
            ]
        }
        if len(streams) > limit:
            response["LastEvaluatedStreamArn"] = page[-1].arn(tx.settings)
        return response

    return command


OPERATION = Operation("ListStreams", SHAPE, "read", parse)

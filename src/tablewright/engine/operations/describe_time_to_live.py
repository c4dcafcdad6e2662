"""DescribeTimeToLive."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure, TableName

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    name = request["TableName"]

    def run(tx: Tx) -> Response:
        attribute = tx.catalog.get(name).schema.ttl_attribute
        if attribute is None:
            return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
        return {
            "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}
        }

    return run


OPERATION = Operation(name="DescribeTimeToLive", shape=SHAPE, mode="read", parse=parse)

"""DescribeEndpoints."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure

SHAPE = Structure()
_CACHE_MINUTES = 1440  # AWS's reply in every region.


def parse(_request: Request) -> Command:
    return _run


def _run(tx: Tx) -> Response:
    address = f"dynamodb.{tx.settings.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": _CACHE_MINUTES}]}


OPERATION = Operation(name="DescribeEndpoints", shape=SHAPE, mode="read", parse=parse)

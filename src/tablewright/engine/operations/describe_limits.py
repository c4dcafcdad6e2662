"""DescribeLimits."""

from __future__ import annotations

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure

SHAPE = Structure()


def parse(_request: Request) -> Command:
    return _run


def _run(_tx: Tx) -> Response:
    return {
        "AccountMaxReadCapacityUnits": limits.ACCOUNT_UNITS_MAX,
        "AccountMaxWriteCapacityUnits": limits.ACCOUNT_UNITS_MAX,
        "TableMaxReadCapacityUnits": limits.TABLE_UNITS_MAX,
        "TableMaxWriteCapacityUnits": limits.TABLE_UNITS_MAX,
    }


OPERATION = Operation(name="DescribeLimits", shape=SHAPE, mode="read", parse=parse)

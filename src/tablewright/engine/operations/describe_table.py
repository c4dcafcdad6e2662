"""DescribeTable."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Structure, TableName
from tablewright.engine.tables.descriptions import describe_table

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    name = request["TableName"]

    def run(tx: Tx) -> Response:
        return {"Table": describe_table(tx.catalog.get(name), tx.settings)}

    return run


OPERATION = Operation(name="DescribeTable", shape=SHAPE, mode="read", parse=parse)

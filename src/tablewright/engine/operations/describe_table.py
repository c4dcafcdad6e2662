"""DescribeTable."""

from __future__ import annotations

from tablewright.engine.descriptions import describe_table
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.shapes import Structure, TableName
from tablewright.engine.transaction import Tx

SHAPE = Structure(TableName=TableName(control=True))


def parse(request: Request) -> Command:
    name = request["TableName"]

    def run(tx: Tx) -> Response:
        return {"Table": describe_table(tx.catalog.get(name), tx.settings)}

    return run


OPERATION = Operation(name="DescribeTable", shape=SHAPE, mode="read", parse=parse)

"""ListTables."""

from __future__ import annotations

from bisect import bisect_right

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Integer, Structure
from tablewright.engine.tables.table_shapes import index_name

SHAPE = Structure(
    ExclusiveStartTableName=index_name(required=False),
    Limit=Integer(range=(1, limits.LIST_TABLES_MAX)),
)


def parse(request: Request) -> Command:
    start = request.get("ExclusiveStartTableName")
    limit = request.get("Limit") or limits.LIST_TABLES_MAX

    def run(tx: Tx) -> Response:
        names = tx.catalog.names()
        first = 0 if start is None else bisect_right(names, start)
        page = names[first : first + limit]
        response: Response = {"TableNames": page}
        if first + limit < len(names):
            response["LastEvaluatedTableName"] = page[-1]
        return response

    return run


OPERATION = Operation(name="ListTables", shape=SHAPE, mode="read", parse=parse)

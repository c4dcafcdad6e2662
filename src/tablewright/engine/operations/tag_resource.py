"""TagResource: add tags to a table, replacing those with the same keys."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import String, Structure
from tablewright.engine.tables.table_shapes import tags
from tablewright.engine.tables.tags import (
    require_arn,
    require_tags,
    tagged_table,
    tags_of,
    with_tags,
)
from tablewright.errors import ValidationError

SHAPE = Structure(
    ResourceArn=String(required=True, length=(1, 1283)),
    Tags=tags(required=True),
)


def parse(request: Request) -> Command:
    require_arn(request["ResourceArn"])
    tags = request["Tags"]
    if not tags:
        raise ValidationError("Atleast one Tag needs to be provided as Input.")
    require_tags(tags)

    def command(tx: Tx) -> Response:
        table = tagged_table(tx, request["ResourceArn"])
        with_tags(tx, table, tags_of(table) | {tag["Key"]: tag["Value"] for tag in tags})
        return {}

    return command


OPERATION = Operation("TagResource", SHAPE, "table", parse, is_silent=True)

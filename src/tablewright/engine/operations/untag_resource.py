"""UntagResource: remove tags from a table; unknown keys are ignored."""

from __future__ import annotations

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import List, String, Structure
from tablewright.engine.tables.tags import (
    require_arn,
    require_tag_keys,
    tagged_table,
    tags_of,
    with_tags,
)
from tablewright.errors import ValidationError

SHAPE = Structure(
    ResourceArn=String(required=True, length=(1, 1283)),
    TagKeys=List(String(), required=True),
)


def parse(request: Request) -> Command:
    require_arn(request["ResourceArn"])
    keys = request["TagKeys"]
    if not keys:
        raise ValidationError("Atleast one Tag Key needs to be provided as Input.")
    require_tag_keys(keys)

    def command(tx: Tx) -> Response:
        table = tagged_table(tx, request["ResourceArn"])
        remaining = {key: value for key, value in tags_of(table).items() if key not in keys}
        with_tags(tx, table, remaining)
        return {}

    return command


OPERATION = Operation("UntagResource", SHAPE, "table", parse, is_silent=True)

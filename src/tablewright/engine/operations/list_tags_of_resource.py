"""ListTagsOfResource: the tags of a table, ten at a time."""

from __future__ import annotations

import re
from typing import Final

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import String, Structure
from tablewright.engine.tables.tags import tagged_table, tags_of

PAGE: Final = 10
_TOKEN: Final = re.compile(r"[0-9]{1,9}")

SHAPE = Structure(ResourceArn=String(required=True, length=(1, 1283)), NextToken=String())


def parse(request: Request) -> Command:
    # DynamoDB: an invalid token is ignored.
    token = request.get("NextToken") or ""
    start = int(token) if _TOKEN.fullmatch(token) else 0

    def command(tx: Tx) -> Response:
        tags = list(tags_of(tagged_table(tx, request["ResourceArn"])).items())
        page = tags[start : start + PAGE]
        response: Response = {"Tags": [{"Key": key, "Value": value} for key, value in page]}
        if start + PAGE < len(tags):
            response["NextToken"] = str(start + PAGE)
        return response

    return command


OPERATION = Operation("ListTagsOfResource", SHAPE, "read", parse)

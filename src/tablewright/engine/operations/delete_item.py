"""DeleteItem: delete an item by key, if it exists."""

from __future__ import annotations

from tablewright.engine.items.item_writes import Delete
from tablewright.engine.items.single_writes import (
    conditional,
    old_attributes,
    write_command,
    write_shape,
)
from tablewright.engine.requests.api_operation import Command, Operation, Request
from tablewright.engine.requests.legacy_parameters import rewrite_legacy_parameters
from tablewright.engine.requests.placeholders import KEY, placeholders
from tablewright.engine.requests.validation_style import ValidationStyle
from tablewright.values.attributes import normalise_item

SHAPE = write_shape({"Key": KEY})


def parse(request: Request) -> Command:
    request = rewrite_legacy_parameters(
        request, ("ConditionExpression",), ("Expected", "ConditionalOperator")
    )
    attributes = old_attributes(request)
    bound = placeholders(request, "ConditionExpression")
    key_item = normalise_item(request["Key"])
    action = Delete(request["TableName"], key_item, **conditional(request, bound))
    bound.require_all_used()
    return write_command(request, action, attributes)


OPERATION = Operation("DeleteItem", SHAPE, "write", parse, style=ValidationStyle.ENVELOPED)

"""PutItem: create or replace an item."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_writes import Put, new_item, plain_item, run
from tablewright.engine.items.single_writes import (
    conditional,
    old_attributes,
    write_command,
    write_shape,
)
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import rewrite_legacy_parameters
from tablewright.engine.requests.placeholders import placeholders
from tablewright.engine.requests.shapes import Attribute, Map
from tablewright.engine.requests.validation_style import ValidationStyle

SHAPE = write_shape({"Item": Map(Attribute(), required=True)})
_REQUIRED_FIELDS = 2


def parse(request: Request) -> Command:
    request = rewrite_legacy_parameters(
        request, ("ConditionExpression",), ("Expected", "ConditionalOperator")
    )
    attributes = old_attributes(request)
    bound = placeholders(request, "ConditionExpression")
    new = new_item(request["Item"])
    action = Put(request["TableName"], new, **conditional(request, bound))
    bound.require_all_used()
    return write_command(request, action, attributes)


def fast_path(request: Any) -> Command | None:
    """Fast path: an item of plain ASCII scalars, no options."""
    if type(request) is not dict or len(request) != _REQUIRED_FIELDS:
        return None
    name, item = request.get("TableName"), request.get("Item")
    if type(name) is not str or type(item) is not dict:
        return None
    new = plain_item(item)
    if new is None:
        return None
    action = Put(name, new)

    def command(tx: Tx) -> Response:
        if tx.catalog.find(name) is None:
            # The name may be invalid.
            return OPERATION.prepare_fully(request, tx.settings.wording)(tx)
        run(tx, action)
        return {}

    return command


OPERATION = Operation("PutItem", SHAPE, "write", parse, fast_path, ValidationStyle.ENVELOPED)

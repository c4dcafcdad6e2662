"""UpdateItem: change attributes of an item, or create it."""

from __future__ import annotations

from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.items.item_writes import Change, Edit, run
from tablewright.engine.items.single_writes import (
    conditional,
    return_values,
    write_command,
    write_shape,
)
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import (
    ATTRIBUTE_UPDATES,
    TYPE_MISMATCH,
    rewrite_legacy_parameters,
)
from tablewright.engine.requests.placeholders import EXPRESSION, KEY, is_plain_key, placeholders
from tablewright.engine.requests.validation_style import ValidationStyle
from tablewright.expressions.binding import plain_update
from tablewright.values.attributes import Item, normalise_item, plain_item_size

_COMMON_FIELDS = 4

SHAPE = write_shape(
    {
        "Key": KEY,
        "AttributeUpdates": ATTRIBUTE_UPDATES,
    },
    ReturnValues=return_values(is_reported_alone=True),
    UpdateExpression=EXPRESSION,
)


def parse(request: Request) -> Command:
    request = rewrite_legacy_parameters(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
    )
    key_item = normalise_item(request["Key"])
    bound = placeholders(request, "UpdateExpression", "ConditionExpression")
    text = request.get("UpdateExpression")
    update = None if text is None else bound.update(text)
    action = Edit(request["TableName"], key_item, update, **conditional(request, bound))
    if request.get("AttributeUpdates") is not None:
        action.mismatch = TYPE_MISMATCH
    else:
        action.is_measured = True
    bound.require_all_used()
    return_mode = request.get("ReturnValues") or "NONE"

    def attributes(_: Tx, change: Change) -> Item | None:
        """The whole item, or only the parts that the update changes."""
        if return_mode == "NONE":
            return None
        item = change.old if return_mode.endswith("OLD") else change.new
        if item is None or return_mode.startswith("ALL"):
            return item
        return None if update is None else update.touched(item)

    return write_command(request, action, attributes)


def fast_path(request: Any) -> Command | None:
    """Fast path: a string key and plain values, no options."""
    if type(request) is not dict or len(request) != _COMMON_FIELDS:
        return None
    name, key_item = request.get("TableName"), request.get("Key")
    text, values = request.get("UpdateExpression"), request.get("ExpressionAttributeValues")
    if type(name) is not str or type(text) is not str or type(values) is not dict:
        return None
    if not is_plain_key(key_item) or plain_item_size(values) is None:
        return None
    update = plain_update(text, values)
    if update is None:
        return None
    action = Edit(name, key_item, update)
    action.is_measured = True

    def command(tx: Tx) -> Response:
        if tx.catalog.find(name) is None:
            # The name may be invalid.
            return OPERATION.prepare_fully(request, tx.settings.wording)(tx)
        run(tx, action)
        return {}

    return command


OPERATION = Operation("UpdateItem", SHAPE, "write", parse, fast_path, ValidationStyle.ENVELOPED)

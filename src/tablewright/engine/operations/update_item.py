"""UpdateItem: change some attributes of an item, or make it."""

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
    modernised,
)
from tablewright.engine.requests.placeholders import EXPRESSION, KEY, is_plain_key, placeholders
from tablewright.engine.requests.validation_style import Layer
from tablewright.expressions.binding import plain_update
from tablewright.values.attributes import Item, normalise_item, plain_item_size

_COMMON_FIELDS = 4

SHAPE = write_shape(
    {
        "Key": KEY,
        "AttributeUpdates": ATTRIBUTE_UPDATES,
    },
    ReturnValues=return_values(tells_alone=True),
    UpdateExpression=EXPRESSION,
)


def parse(request: Request) -> Command:
    request = modernised(
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
    wish = request.get("ReturnValues") or "NONE"

    def attributes(_: Tx, change: Change) -> Item | None:
        """All of the item, or only what the update touched."""
        if wish == "NONE":
            return None
        item = change.old if wish.endswith("OLD") else change.new
        if item is None or wish.startswith("ALL"):
            return item
        return None if update is None else update.touched(item)

    return write_command(request, action, attributes)


def quick(request: Any) -> Command | None:
    """The commonest update of all: of an item with a key of strings, by plain values."""
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
            # The name may be no name at all.
            return OPERATION.prepare_fully(request, tx.settings.wording)(tx)
        run(tx, action)
        return {}

    return command


OPERATION = Operation("UpdateItem", SHAPE, "write", parse, quick, Layer.ENVELOPED)

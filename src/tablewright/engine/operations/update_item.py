"""UpdateItem: change some attributes of an item, or make it."""

from __future__ import annotations

from tablewright.engine.legacy import ATTRIBUTE_UPDATES, TYPE_MISMATCH, modernised
from tablewright.engine.operation import Command, Operation, Request
from tablewright.engine.requests import EXPRESSION, KEY, placeholders
from tablewright.engine.single_writes import conditional, write_command, write_shape
from tablewright.engine.transaction import Tx
from tablewright.engine.writing import Change, Edit
from tablewright.values.attributes import Item, normalise_item

SHAPE = write_shape(
    {
        "Key": KEY,
        "AttributeUpdates": ATTRIBUTE_UPDATES,
    },
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


OPERATION = Operation("UpdateItem", SHAPE, "write", parse)

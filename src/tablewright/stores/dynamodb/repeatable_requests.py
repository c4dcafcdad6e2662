"""Which requests may be sent again when it is unknown whether the first was applied.

Reads always; transactions with an idempotency token; puts and deletes, which are idempotent;
updates only if they set values and do not add to them.

With a condition, a repetition may be refused because the first request was applied. That is assumed
if the stored item is the put item, or has the values that the update sets, or is absent after a
delete; another writer of the same values makes no difference. In any other case the outcome is
unknown.
"""

from __future__ import annotations

from typing import Any

from tablewright.errors import ConditionalCheckFailed, TablewrightError
from tablewright.expressions import nodes
from tablewright.expressions.parser import parse_update
from tablewright.expressions.tokens import ExpressionError
from tablewright.values.attributes import normalise_item

__all__ = ["is_repeatable", "own_work"]


def is_repeatable(operation: str, request: dict[str, Any]) -> bool:
    """Whether the request is idempotent."""
    if operation == "TransactWriteItems":
        return request.get("ClientRequestToken") is not None
    if operation == "UpdateItem":
        return _is_repeatable_update(request.get("UpdateExpression"))
    return True


def own_work(
    operation: str, request: dict[str, Any], refusal: ConditionalCheckFailed
) -> dict[str, Any] | None:
    """The lost reply, if a repetition was refused because the first was applied; else None."""
    returns = request.get("ReturnValues", "NONE")  # The old item is unknown.
    if not refusal.item:
        is_shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return {} if operation == "DeleteItem" and is_shown and returns == "NONE" else None
    if operation == "PutItem" and returns == "NONE":
        is_done = normalise_item(request["Item"]) == normalise_item(refusal.item)
        return {} if is_done else None
    if operation == "UpdateItem" and returns in ("NONE", "ALL_NEW"):
        if "UpdateExpression" not in request or not _is_updated(request, refusal.item):
            return None
        return {"Attributes": refusal.item} if returns == "ALL_NEW" else {}
    return None


def _is_updated(request: dict[str, Any], item: dict[str, Any]) -> bool:
    """Whether an item is the result of an update that sets and removes whole attributes."""
    expected: dict[str, Any] = {}
    for action in parse_update(request["UpdateExpression"]).actions:
        if len(action.target.steps) != 1:
            return False
        step = action.target.steps[0]
        if isinstance(step, nodes.Alias):
            step = request["ExpressionAttributeNames"][step.name]
        name = str(step)
        if isinstance(action, nodes.SetAction) and isinstance(action.value, nodes.Placeholder):
            expected[name] = request["ExpressionAttributeValues"][action.value.name]
        elif isinstance(action, nodes.RemoveAction):
            if name in item:
                return False
        else:
            return False
    stored = {name: item[name] for name in expected if name in item}
    return bool(expected) and normalise_item(expected) == normalise_item(stored)


def _is_repeatable_update(text: Any) -> bool:
    if text is None:
        return True
    try:
        update = parse_update(text)
    except (ExpressionError, TablewrightError, TypeError):
        return False
    return all(_is_repeatable_action(action) for action in update.actions)


def _is_repeatable_action(action: nodes.Action) -> bool:
    if any(isinstance(step, int) for step in action.target.steps):
        return False  # REMOVE shifts list elements, and SET beyond the end appends.
    if isinstance(action, nodes.SetAction):
        return _is_constant(action.value)
    return not isinstance(action, nodes.AddAction)


def _is_constant(operand: nodes.Operand | nodes.Arithmetic) -> bool:
    """Whether an operand is the same before and after the update.

    An attribute is not, because the same update may change it.
    """
    if isinstance(operand, nodes.Placeholder | nodes.Literal):
        return True
    if isinstance(operand, nodes.Call) and operand.function == "if_not_exists":
        return all(
            isinstance(part, nodes.Attribute) or _is_constant(part) for part in operand.arguments
        )
    return False

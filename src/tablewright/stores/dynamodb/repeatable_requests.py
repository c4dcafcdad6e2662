"""Which requests may be sent again when nobody knows whether the first had its effect.

Reads always; transactions when they carry a token, by which DynamoDB knows them again; puts and
deletes, because doing them twice leaves what doing them once leaves. Updates only if they state
what an attribute is to be, not what is to be added to it.

A condition keeps a repetition from having an effect, but then it is refused although the first was
done. A put finds its own item in such a refusal, an update the values that it sets, and a delete
finds nothing: somebody else who wrote the very same cannot be told apart, nor need be. In any other
case nobody knows.
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
    """Whether sending this request twice leaves what sending it once does."""
    if operation == "TransactWriteItems":
        return request.get("ClientRequestToken") is not None
    if operation == "UpdateItem":
        return _is_repeatable_update(request.get("UpdateExpression"))
    return True


def own_work(
    operation: str, request: dict[str, Any], refusal: ConditionalCheckFailed
) -> dict[str, Any] | None:
    """The lost reply, if a repetition was refused because the first was done; None if not."""
    returns = request.get("ReturnValues", "NONE")  # What was there before is lost.
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
    """Whether an item is as an update leaves it that sets and removes whole attributes."""
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
        return False  # Removing moves what follows in the list; setting beyond its end appends.
    if isinstance(action, nodes.SetAction):
        return _is_constant(action.value)
    return not isinstance(action, nodes.AddAction)


def _is_constant(operand: nodes.Operand | nodes.Arithmetic) -> bool:
    """Whether an operand is the same before and after the update.

    An attribute's value is not: the same update may change it.
    """
    if isinstance(operand, nodes.Placeholder | nodes.Literal):
        return True
    if isinstance(operand, nodes.Call) and operand.function == "if_not_exists":
        return all(
            isinstance(part, nodes.Attribute) or _is_constant(part) for part in operand.arguments
        )
    return False

"""Converts row writes to DynamoDB requests: an action of a transaction, or a single request.

Both have the same conditions, and request the stored row if a condition is false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tablewright.plan.changes.row_writes import Presence, RowWrite
from tablewright.plan.condition_trees import (
    Compare,
    Condition,
    Function,
    Literal,
    Names,
    Path,
    all_of,
)
from tablewright.plan.operation import Call
from tablewright.plan.presence import is_gone, is_live, is_stored
from tablewright.values.sizes import item_size

if TYPE_CHECKING:
    from tablewright.values.attributes import Value

__all__ = ["action_bytes", "request_action", "request_call"]

_ZERO: Final[Value] = {"N": "0"}
_ONE: Final[Value] = {"N": "1"}
_NO_LIST: Final[Value] = {"L": []}
_OPERATIONS: Final = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


def request_action(row: RowWrite, now: float) -> dict[str, Any]:
    """The row write as one entry of TransactItems."""
    return _MAKERS[row.kind](row, now)


def request_call(row: RowWrite, now: float, *, returns_new: bool = False) -> Call | None:
    """The row write as a single request; None for a check."""
    [(kind, request)] = request_action(row, now).items()
    operation = _OPERATIONS.get(kind)
    if operation is None:
        return None
    if returns_new:
        request["ReturnValues"] = "ALL_NEW"
    return Call(operation, request)


def action_bytes(row: RowWrite) -> int:
    """The approximate size of a row in a transaction."""
    size = item_size(row.item or row.key)
    for path, value in row.sets.items():
        size += item_size({str(path): value})
    for path, values in row.appends.items():
        size += item_size({str(path): {"L": values}})
    return size


def _condition(row: RowWrite, now: float) -> Condition | None:
    parts: list[Condition] = []
    if row.presence is Presence.GONE:
        parts.append(is_gone(row.entity, now))
    # A condition on an attribute value implies that the row exists.
    elif row.presence is not Presence.ANY and not any(row.as_read.values()):
        parts.append(is_stored(row.entity))
    if row.presence is Presence.LIVE:
        parts += is_live(row.entity, now)
    for name, value in row.as_read.items():
        path = Path((name,))
        if value is None:
            parts.append(Function("attribute_not_exists", (path,)))
        else:
            parts.append(Compare(path, "=", Literal(value)))
    return all_of([*parts, *row.conditions])


def _finished(row: RowWrite, now: float, request: dict[str, Any], names: Names) -> dict[str, Any]:
    condition = _condition(row, now)
    if condition is not None:
        request["ConditionExpression"] = condition.render(names)
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    names.fill(request)
    return request


def _put(row: RowWrite, now: float) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": row.entity.table.name, "Item": row.item}
    if row.presence is Presence.GONE and not row.conditions and not row.entity.expires:
        # Cached: nearly every put has this condition.
        request["ConditionExpression"] = "attribute_not_exists(#0)"
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        request["ExpressionAttributeNames"] = {"#0": row.entity.table.pk.name}
        return {"Put": request}
    return {"Put": _finished(row, now, request, Names())}


def _delete(row: RowWrite, now: float) -> dict[str, Any]:
    return {"Delete": _finished(row, now, _keyed(row), Names())}


def _check(row: RowWrite, now: float) -> dict[str, Any]:
    return {"ConditionCheck": _finished(row, now, _keyed(row), Names())}


def _update(row: RowWrite, now: float) -> dict[str, Any]:
    if row.changes_nothing:
        return _check(row, now)
    names = Names()
    request = _keyed(row)
    request["UpdateExpression"] = _update_expression(row, names)
    return {"Update": _finished(row, now, request, names)}


def _keyed(row: RowWrite) -> dict[str, Any]:
    return {"TableName": row.entity.table.name, "Key": row.key}


def _update_expression(row: RowWrite, names: Names) -> str:
    sets = [f"{path.render(names)} = {names.value(value)}" for path, value in row.sets.items()]
    for path, values in row.appends.items():
        name = path.render(names)
        held = f"if_not_exists({name}, {names.value(_NO_LIST)})"
        sets.append(f"{name} = list_append({held}, {names.value({'L': values})})")
    adds = []
    for path, amount in row.adds.items():
        name, by = path.render(names), names.value({"N": amount})
        if len(path.steps) == 1:
            adds.append(f"{name} {by}")
        else:
            # DynamoDB: ADD works on top-level attributes only.
            sets.append(f"{name} = if_not_exists({name}, {names.value(_ZERO)}) + {by}")
    version = row.entity.version
    if row.raises_version and version is not None:
        path = Path((row.entity.attributes[version].name,))
        if path not in row.sets:
            adds.append(f"{path.render(names)} {names.value(_ONE)}")
    removes = [path.render(names) for path in sorted(row.removes, key=str)]
    clauses = (("SET", sets), ("REMOVE", removes), ("ADD", adds))
    return " ".join(f"{word} {', '.join(parts)}" for word, parts in clauses if parts)


_MAKERS = {"put": _put, "update": _update, "delete": _delete, "check": _check}

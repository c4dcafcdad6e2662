"""Evaluates the actions of an emulated transaction.

Pure: given the stored rows, each action gives a ``Change`` or a cancellation reason with DynamoDB's
code and message. `expressions` evaluates conditions and updates. Other objections of the endpoint
appear when a change is applied, which is then undone (`emulated_transactions`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tablewright import limits
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled, ValidationError
from tablewright.expressions.binding import Placeholders
from tablewright.expressions.conditions import Condition
from tablewright.expressions.projections import Projection
from tablewright.expressions.updates import Update
from tablewright.values.attributes import Item, normalise_item
from tablewright.values.sizes import item_size

__all__ = [
    "READS",
    "Action",
    "Change",
    "Place",
    "RowKey",
    "TableShape",
    "changes_of",
    "parse_actions",
    "places_of",
    "require_fit",
]

MULTIPLE: Final = "Transaction request cannot include multiple operations on one item"
WRITES: Final = ("ConditionCheck", "Put", "Delete", "Update")
READS: Final = ("Get",)
_REQUIRED: Final = {
    "ConditionCheck": ("TableName", "Key", "ConditionExpression"),
    "Put": ("TableName", "Item"),
    "Delete": ("TableName", "Key"),
    "Update": ("TableName", "Key", "UpdateExpression"),
    "Get": ("TableName", "Key"),
}
_INVALID: Final = "One or more parameter values were invalid: "
_NOT_VALID: Final = "One or more parameter values are not valid. "
_EMPTY: Final = {
    "S": "The AttributeValue for a key attribute cannot contain an empty string value.",
    "B": "The AttributeValue for a key attribute cannot contain an empty binary value.",
}
_NO_FIT: Final = "The provided key element does not match the schema"

# A table, and the types and normalised values of key attributes: equal for the same row.
RowKey = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class TableShape:
    """The key attributes of a table and its indexes, with types."""

    key: Mapping[str, str]
    indexes: Mapping[str, Mapping[str, str]]

    @classmethod
    def from_description(cls, table: dict[str, Any]) -> TableShape:
        """From a DescribeTable reply."""
        types = {
            attribute["AttributeName"]: attribute["AttributeType"]
            for attribute in table["AttributeDefinitions"]
        }

        def key(holder: dict[str, Any]) -> dict[str, str]:
            names = [part["AttributeName"] for part in holder["KeySchema"]]
            return {name: types[name] for name in names}

        indexes = [
            *(table.get("GlobalSecondaryIndexes") or ()),
            *(table.get("LocalSecondaryIndexes") or ()),
        ]
        # By name, the order in which DynamoDB checks them.
        return cls(key(table), dict(sorted((index["IndexName"], key(index)) for index in indexes)))

    def row_key(self, table: str, item: Item) -> RowKey:
        """The identity of a row, from its key or its item, normalised."""
        return table, tuple([next(iter(item[name].items())) for name in self.key])

    def require_index_keys(self, new: Item, old: Item | None) -> None:
        """Raise ValidationError if a changed attribute is not valid as an index key.

        ``old`` is the item before an update; None for a put.
        """
        for index, key in self.indexes.items():
            for name, type_ in key.items():
                value = new.get(name)
                if value is None or (old is not None and old.get(name) == value):
                    continue
                if type_ not in value:
                    raise ValidationError(
                        f"{_INVALID}Type mismatch for Index Key {name} Expected: {type_} "
                        f"Actual: {next(iter(value))} IndexName: {index}"
                    )
                if value[type_] == "":
                    problem = f"{_EMPTY[type_]} IndexName: {index}, IndexKey: {name}"
                    raise EmptyKey(
                        f"{_NOT_VALID}A value specified for a secondary index key is not "
                        f"supported. {problem}"
                        if old is None
                        else f"{_NOT_VALID}The update expression attempted to update a secondary "
                        f"index key to a value that is not supported. {_EMPTY[type_]}"
                    )


class EmptyKey(ValidationError):
    """A key is empty.

    DynamoDB: the whole transaction is refused, without cancellation reasons; pinned by
    test_emulated.py::test_emulated_transactions_are_those_of_the_engine.
    """


@dataclass(frozen=True, slots=True)
class Action:
    """A parsed action; ``held`` is its item or its key."""

    kind: str
    table: str
    held: Item
    condition: Condition | None = None
    shows_old: bool = False
    update: Update | None = None
    projection: Projection | None = None


class Place(NamedTuple):
    """The row of an action; ``misfit`` is the reason why its key is invalid."""

    shape: TableShape
    key: Item
    row: RowKey | None
    misfit: str | None


class Change(NamedTuple):
    """A row before and after; None if absent."""

    table: str
    key: Item
    old: Item | None
    new: Item | None


def parse_actions(request: dict[str, Any], kinds: tuple[str, ...] = WRITES) -> list[Action]:
    """The actions of a TransactWriteItems or, with ``READS``, of a TransactGetItems request.

    Raises ValidationError for a malformed action.
    """
    return [_parse_action(kind, content) for kind, content in _split_actions(request, kinds)]


def _split_actions(
    request: dict[str, Any], kinds: tuple[str, ...]
) -> list[tuple[str, dict[str, Any]]]:
    """The kind and content of each action; raises ValidationError if one is malformed."""
    actions = request.get("TransactItems")
    if not isinstance(actions, list) or not 1 <= len(actions) <= limits.TRANSACT_ACTIONS_MAX:
        raise ValidationError(
            "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "
            f"Member must have length between 1 and {limits.TRANSACT_ACTIONS_MAX}, inclusive"
        )
    split = []
    for action in actions:
        action_kinds = [kind for kind in kinds if action.get(kind) is not None]
        if len(action_kinds) > 1:
            raise ValidationError(
                "TransactItems can only contain one of Check, Put, Update or Delete"
            )
        if not action_kinds:
            raise ValidationError(
                "Invalid Request: TransactWriteRequest should contain Delete or Put or Update "
                "request"
            )
        content = action[action_kinds[0]]
        for field in _REQUIRED[action_kinds[0]]:
            if field not in content:
                raise ValidationError(
                    f"1 validation error detected: Value null at '{field}' failed to satisfy "
                    "constraint: Member must not be null"
                )
        split.append((action_kinds[0], content))
    return split


def _parse_action(kind: str, content: dict[str, Any]) -> Action:
    bound = Placeholders(
        content.get("ExpressionAttributeNames"), content.get("ExpressionAttributeValues")
    )
    held = normalise_item(content["Item" if kind == "Put" else "Key"])
    update = bound.update(content["UpdateExpression"]) if kind == "Update" else None
    condition = projection = None
    if (text := content.get("ConditionExpression")) is not None:
        condition = bound.condition(text)
    if kind == "Get" and (text := content.get("ProjectionExpression")) is not None:
        projection = bound.projection(text)
    bound.require_all_used()
    if kind == "Put" and item_size(held) > limits.ITEM_BYTES_MAX:
        raise ValidationError("Item size has exceeded the maximum allowed size")
    shows_old = content.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    return Action(kind, content["TableName"], held, condition, shows_old, update, projection)


def places_of(actions: list[Action], shapes: Mapping[str, TableShape]) -> list[Place]:
    """The rows of actions.

    Raises ValidationError if a key is empty, or if two actions are on one row.
    """
    places = [_place(action, shapes[action.table]) for action in actions]
    known = [place.row for place in places if place.row is not None]
    if len(set(known)) < len(known):
        raise ValidationError(MULTIPLE)
    return places


def _place(action: Action, shape: TableShape) -> Place:
    misfit = _key_problem(action.held, shape, is_item=action.kind == "Put")
    row = None if misfit else shape.row_key(action.table, action.held)
    key = {name: action.held[name] for name in shape.key if name in action.held}
    return Place(shape, key, row, misfit)


def require_fit(places: list[Place]) -> None:
    """Raise TransactionCanceled if a key does not fit its table."""
    if any(place.misfit for place in places):
        raise TransactionCanceled([_reason(place.misfit) for place in places])


def _key_problem(held: Item, shape: TableShape, *, is_item: bool) -> str | None:
    """The reason why a key does not fit its table; raises EmptyKey."""
    if not is_item and held.keys() != shape.key.keys():
        return _NO_FIT
    for name, type_ in shape.key.items():
        value = held.get(name)
        if value is None:
            return f"{_INVALID}Missing the key {name} in the item"
        actual = next(iter(value))
        if actual != type_:
            if not is_item:
                return _NO_FIT
            return f"{_INVALID}Type mismatch for key {name} expected: {type_} actual: {actual}"
    for name, type_ in shape.key.items():
        if held[name][type_] == "":
            raise EmptyKey(f"{_NOT_VALID}{_EMPTY[type_]} Key: {name}")
    return None


def _reason(problem: str | None) -> dict[str, Any]:
    if problem is None:
        return {"Code": "None"}
    return {"Code": "ValidationError", "Message": problem}


def changes_of(
    actions: list[Action], places: list[Place], rows: Mapping[RowKey, Item]
) -> list[Change]:
    """The changes that the actions make to the stored rows; checks make none.

    Raises TransactionCanceled, with a reason for each action, if one is refused.
    """
    changes: list[Change] = []
    reasons: list[dict[str, Any]] = []
    for action, place in zip(actions, places, strict=True):
        reason = _reason(None)
        try:
            if place.row is None:
                raise ValidationError(place.misfit or "")
            change = _change(action, place, rows.get(place.row))
            if change is not None:
                changes.append(change)
        except ConditionalCheckFailed as error:
            reason = {"Code": "ConditionalCheckFailed", "Message": error.message, **error.fields}
        except EmptyKey:
            raise
        except ValidationError as error:
            reason = _reason(error.message)
        reasons.append(reason)
    if any(reason["Code"] != "None" for reason in reasons):
        raise TransactionCanceled(reasons)
    size = sum(item_size(change.new) for change in changes if change.new is not None)
    if size > limits.TRANSACT_BYTES_MAX:
        raise ValidationError(f"Transaction payload size cannot exceed 4MB. Payload Size: {size}")
    return changes


def _change(action: Action, place: Place, old: Item | None) -> Change | None:
    """The change that one action makes; None for none."""
    update = action.update
    if action.kind == "Put":
        place.shape.require_index_keys(action.held, None)
    for name in place.key:
        if update is not None and name in update.top_level_names:
            raise ValidationError(
                f"{_INVALID}Cannot update attribute {name}. This attribute is part of the key"
            )
    if action.condition is not None and not action.condition.matches(old or {}):
        raise ConditionalCheckFailed(item=old if action.shows_old else None)
    if action.kind == "ConditionCheck" or (action.kind == "Delete" and old is None):
        return None
    new = action.held if action.kind == "Put" else None
    if update is not None:
        if old is None and update.only_removes:
            # DynamoDB: REMOVE or DELETE on a missing row creates no row; pinned by
            # test_emulated.py::test_emulated_transactions_are_those_of_the_engine.
            return None
        new = update.apply(place.key if old is None else old)
        if item_size(new) > limits.ITEM_BYTES_MAX:
            raise ValidationError("Item size to update has exceeded the maximum allowed size")
        place.shape.require_index_keys(new, old or {})
    return Change(action.table, place.key, old, new)

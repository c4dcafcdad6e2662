"""TransactWriteItems: up to 100 writes and checks, all or nothing.

Commands run one after another (`commits`), so transactions are serializable and never overlap.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units, writes_by_table
from tablewright.engine.items.item_keys import EmptyKeyValue, IndexKeyTypeMismatch, InvalidKey
from tablewright.engine.items.item_writes import (
    Action,
    Change,
    Check,
    Delete,
    Edit,
    Moment,
    Put,
    new_item,
    prepare_at,
    write,
)
from tablewright.engine.items.single_writes import conditional
from tablewright.engine.operations.batch_write_item import metrics_by_table
from tablewright.engine.operations.transact_get_items import ItemLocation, locate, require_payload
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    COLLECTION_METRICS,
    EXPRESSION,
    KEY,
    NAMES,
    ON_FAILURE,
    VALUES,
    placeholders,
    placeholders_of_action,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Attribute, List, Map, String, Structure, TableName
from tablewright.errors import (
    ConditionalCheckFailed,
    DuplicateItem,
    IdempotentParameterMismatch,
    SerializationError,
    TransactionCanceled,
    ValidationError,
)
from tablewright.values.attributes import normalise_item


def _conditional(named: str, **fields: Any) -> Structure:
    """The shape of an action: the common fields and its own."""
    shape: dict[str, Any] = {
        "TableName": TableName(),
        "ConditionExpression": EXPRESSION,
        "ExpressionAttributeNames": NAMES,
        "ExpressionAttributeValues": VALUES,
        "ReturnValuesOnConditionCheckFailure": ON_FAILURE,
        **fields,
    }
    return Structure(named=named, **shape)


_REQUIRED = String(required=True)
SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    ClientRequestToken=String(length=(1, limits.TOKEN_CHARS_MAX)),
    TransactItems=List(
        Structure(
            named="TransactWriteItem",
            ConditionCheck=_conditional("ConditionCheck", Key=KEY, ConditionExpression=_REQUIRED),
            Put=_conditional("Put", Item=Map(Attribute(), required=True)),
            Delete=_conditional("Delete", Key=KEY),
            Update=_conditional("Update", Key=KEY, UpdateExpression=_REQUIRED),
        ),
        required=True,
        length=(1, limits.TRANSACT_ACTIONS_MAX),
    ),
)


def _parse_put(put: Request) -> Action:
    bound = placeholders_of_action(put, "ConditionExpression")
    action = Put(put["TableName"], new_item(put["Item"]), **conditional(put, bound))
    bound.require_all_used()
    return action


def _parse_by_key(make: Callable[..., Action]) -> Callable[[Request], Action]:
    def parse_action(request: Request) -> Action:
        bound = placeholders_of_action(request, "ConditionExpression")
        # DynamoDB: the condition is read before the key.
        guard = conditional(request, bound)
        action = make(request["TableName"], normalise_item(request["Key"]), **guard)
        bound.require_all_used()
        return action

    return parse_action


def _parse_update(update: Request) -> Action:
    bound = placeholders(update, "UpdateExpression", "ConditionExpression")
    key_item = normalise_item(update["Key"])
    edit = bound.update(update["UpdateExpression"])
    action = Edit(update["TableName"], key_item, edit, **conditional(update, bound))
    bound.require_all_used()
    return action


_PARSERS: dict[str, Callable[[Request], Action]] = {
    "ConditionCheck": _parse_by_key(Check),
    "Put": _parse_put,
    "Delete": _parse_by_key(Delete),
    "Update": _parse_update,
}


def parse(request: Request) -> Command:
    actions = [_parse_action(action) for action in request["TransactItems"]]
    token = request.get("ClientRequestToken")
    payload = digest(request["TransactItems"]) if token is not None else b""
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        locations = _locate(tx, actions)
        changes = write_all(tx, actions, locations, token, payload)
        if changes is None:
            return replay(tx, locations, capacity)
        response: Response = {}
        if wants_metrics:
            response["ItemCollectionMetrics"] = metrics_by_table(tx, changes)
        if capacity is not None:
            response["ConsumedCapacity"] = writes_by_table(changes, capacity, "Write", factor=2)
        return response

    return command


def write_all(
    tx: Tx,
    actions: Sequence[Action],
    locations: list[ItemLocation],
    token: str | None,
    payload: bytes,
) -> list[Change] | None:
    """Make all changes or none; None if the same token has already committed."""
    if token is not None:
        stored_payload = tx.session.token_payload(token, tx.now())
        if stored_payload is not None:
            if stored_payload != payload:
                raise IdempotentParameterMismatch
            return None
    changes = _prepare_all(tx, actions, locations)
    is_recorded = any(c.table.stream is not None or c.table.keeps_history for c in changes)
    moment = Moment(tx.now(), tx.new_id()) if is_recorded else None
    for change in changes:
        write(tx, change, moment)
    if token is not None:
        now = tx.now()
        tx.session.put_token(token, payload, now, now + limits.TOKEN_SECONDS)
    return changes


def _parse_action(action: Request) -> Action:
    kinds = [kind for kind in _PARSERS if action.get(kind) is not None]
    if len(kinds) > 1:
        raise ValidationError("TransactItems can only contain one of Check, Put, Update or Delete")
    if not kinds:
        raise ValidationError(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    return _PARSERS[kinds[0]](action[kinds[0]])


def digest(transact_items: list[Request]) -> bytes:
    """A digest of the payload, to detect a reused token."""
    try:
        return hashlib.sha256(orjson.dumps(transact_items, option=orjson.OPT_SORT_KEYS)).digest()
    except TypeError as error:  # A 65-bit integer in an ignored field.
        raise SerializationError(str(error)) from None


def _locate(tx: Tx, actions: list[Action]) -> list[ItemLocation]:
    """The location of each action's item; a missing table or an empty key rejects the request."""
    return locate([(tx.table(action.table_name), action.key) for action in actions])


def _prepare_all(tx: Tx, actions: Sequence[Action], locations: list[ItemLocation]) -> list[Change]:
    """The changes of all actions; raises TransactionCanceled if one fails."""
    changes: list[Change] = []
    reasons: list[dict[str, Any]] = []
    for action, (table, key) in zip(actions, locations, strict=True):
        reason: dict[str, Any] = {"Code": "None"}
        try:
            if isinstance(key, InvalidKey):
                raise key
            changes.append(prepare_at(tx, action, table, key))
        except ConditionalCheckFailed as error:
            reason = {"Code": "ConditionalCheckFailed", "Message": error.message, **error.fields}
        except DuplicateItem as error:
            reason = {"Code": "DuplicateItem", "Message": error.message}
        except EmptyKeyValue:
            raise
        except IndexKeyTypeMismatch as error:
            reason = {"Code": "ValidationError", "Message": error.message_of_put}
        except ValidationError as error:
            reason = {"Code": "ValidationError", "Message": error.message}
        reasons.append(reason)
    if len(changes) < len(actions):
        raise TransactionCanceled(reasons)
    require_payload(sum(change.new_size for change in changes))
    return changes


def replay(tx: Tx, locations: list[ItemLocation], capacity: str | None) -> Response:
    """The reply to a repeated transaction: it consumes read units for its items."""
    if capacity is None:
        return {}
    tables: dict[str, Consumption] = {}
    for table, key in locations:
        assert not isinstance(key, InvalidKey)  # A committed transaction had valid keys.
        row = tx.row(table, key)
        used = tables.setdefault(table.name, Consumption(table.name))
        used.table_units += 2 * read_units(0 if row is None else row.size, consistent=True)
    return {"ConsumedCapacity": [used.describe(capacity, "Read") for used in tables.values()]}


OPERATION = Operation("TransactWriteItems", SHAPE, "write", parse)

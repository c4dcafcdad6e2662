"""BatchWriteItem: up to 25 independent puts and deletes."""

from __future__ import annotations

from typing import Any

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import writes_by_table
from tablewright.engine.items.item_collections import describe_collection
from tablewright.engine.items.item_keys import MISMATCH, KeySchemaMismatch
from tablewright.engine.items.item_writes import Change, Delete, Put, new_item, prepare, write
from tablewright.engine.operations.batch_get_item import DUPLICATES
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    COLLECTION_METRICS,
    KEY,
    wants_capacity,
)
from tablewright.engine.requests.shapes import Attribute, List, Map, Structure, TableName
from tablewright.errors import ValidationError
from tablewright.values.attributes import normalise_item

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    ReturnItemCollectionMetrics=COLLECTION_METRICS,
    RequestItems=Map(
        List(
            Structure(
                named="WriteRequest",
                DeleteRequest=Structure(named="DeleteRequest", Key=KEY),
                PutRequest=Structure(named="PutRequest", Item=Map(Attribute(), required=True)),
            ),
            length=(1, limits.BATCH_WRITE_REQUESTS_MAX),
        ),
        required=True,
        length=(None, limits.BATCH_WRITE_REQUESTS_MAX),
        key=TableName(),
    ),
)


def parse(request: Request) -> Command:
    requests = request["RequestItems"]
    if not requests:
        raise ValidationError("The requestItems parameter is required for BatchWriteItem")
    if sum(map(len, requests.values())) > limits.BATCH_WRITE_REQUESTS_MAX:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
    actions = [_parse_write(name, entry) for name, writes in requests.items() for entry in writes]
    capacity = wants_capacity(request)
    wants_metrics = request.get("ReturnItemCollectionMetrics") == "SIZE"

    def command(tx: Tx) -> Response:
        changes = _prepare_all(tx, actions)
        if len({(change.table.name, change.key) for change in changes}) != len(changes):
            raise ValidationError(DUPLICATES)
        for change in changes:
            write(tx, change)
        response: Response = {"UnprocessedItems": {}}
        if wants_metrics:
            response["ItemCollectionMetrics"] = metrics_by_table(tx, changes)
        if capacity is not None:
            response["ConsumedCapacity"] = writes_by_table(changes, capacity)
        return response

    return command


def _prepare_all(tx: Tx, actions: list[Put | Delete]) -> list[Change]:
    try:
        return [prepare(tx, action) for action in actions]
    except KeySchemaMismatch:
        # DynamoDB: a bad key of a put has another message than in PutItem; pinned by
        # test_batch_write_item.py::test_a_bad_request_refuses_the_whole.
        raise ValidationError(MISMATCH) from None


def _parse_write(table_name: str, entry: Request) -> Put | Delete:
    put, delete = entry.get("PutRequest"), entry.get("DeleteRequest")
    if (put is None) == (delete is None):
        # DynamoDB: the message says "AttributeValue", but means the request; it is the same for
        # none and for both.
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    if put is not None:
        return Put(table_name, new_item(put["Item"]))
    assert delete is not None
    return Delete(table_name, normalise_item(delete["Key"]))


def metrics_by_table(tx: Tx, changes: list[Change]) -> dict[str, list[dict[str, Any]]]:
    """The item collections of changes, without duplicates, by table."""
    metrics: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        described = describe_collection(tx, change) if change.is_write else None
        if described is not None:
            of_table = metrics.setdefault(change.table.name, [])
            if described not in of_table:
                of_table.append(described)
    return metrics


OPERATION = Operation("BatchWriteItem", SHAPE, "write", parse)

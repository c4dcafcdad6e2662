"""BatchGetItem: up to 100 items of several tables by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.items.consumed_capacity import Consumption, read_units
from tablewright.engine.items.item_keys import key_from_request
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.legacy_parameters import (
    ATTRIBUTES_TO_GET,
    require_one_style,
    rewrite_legacy_parameters,
)
from tablewright.engine.requests.placeholders import (
    CAPACITY,
    CONSISTENT,
    EXPRESSION,
    KEY,
    NAMES,
    placeholders,
    projection,
    wants_capacity,
)
from tablewright.engine.requests.shapes import List, Map, Structure, TableName, reject_late
from tablewright.engine.requests.validation_style import ValidationStyle
from tablewright.engine.tables.catalog import ItemKey, Table
from tablewright.errors import ValidationError
from tablewright.expressions.projections import Projection
from tablewright.values.attributes import Item, normalise_item

_EXPRESSIONS = ("ProjectionExpression",)
_LEGACY = ("AttributesToGet",)
DUPLICATES = "Provided list of item keys contains duplicates"

SHAPE = Structure(
    ReturnConsumedCapacity=CAPACITY,
    RequestItems=Map(
        Structure(
            named="KeysAndAttributes",
            Keys=List(KEY, required=True, length=(1, None)),
            AttributesToGet=ATTRIBUTES_TO_GET,
            ConsistentRead=CONSISTENT,
            ProjectionExpression=EXPRESSION,
            ExpressionAttributeNames=NAMES,
        ),
        required=True,
        length=(None, limits.BATCH_GET_KEYS_MAX),
        key=TableName(),
    ),
)


@dataclass(frozen=True, slots=True)
class _TableGets:
    """The items to read from one table."""

    name: str
    keys: list[Item]
    projected: Projection | None
    consistent: bool
    request: Request  # The original, for UnprocessedKeys.


def parse(request: Request) -> Command:
    tables = request["RequestItems"]
    _require_valid_batch(tables)
    gets = [_parse_table(name, entry) for name, entry in tables.items()]
    if sum(len(of_table.keys) for of_table in gets) > limits.BATCH_GET_KEYS_MAX:
        raise ValidationError("Too many items requested for the BatchGetItem call")
    capacity = wants_capacity(request)

    def command(tx: Tx) -> Response:
        located = [_located(tx.table(of_table.name), of_table) for of_table in gets]
        reader = _Reader(tx)
        for of_table, (table, keys) in zip(gets, located, strict=True):
            reader.read(of_table, table, keys)
        response: Response = {
            "Responses": reader.responses,
            "UnprocessedKeys": reader.unprocessed,
        }
        if capacity is not None:
            response["ConsumedCapacity"] = [used.describe(capacity) for used in reader.consumed]
        return response

    return command


def _require_valid_batch(tables: Request) -> None:
    """Raise ValidationError if the batch is empty, too large or mixes parameter styles."""
    if not tables:
        raise ValidationError("The requestItems parameter is required for BatchGetItem")
    most = limits.BATCH_GET_KEYS_MAX
    for name, entry in tables.items():
        if len(entry["Keys"]) > most:
            reject_late(
                f"RequestItems.{name}.member.Keys",
                f"Member must have length less than or equal to {most}",
            )
    # DynamoDB: styles cannot be mixed even for different tables; pinned by
    # test_batch_get_item.py::test_projections_of_all_tables_are_of_one_style.
    require_one_style(
        *(
            [name] if any(entry.get(name) is not None for entry in tables.values()) else []
            for name in (*_LEGACY, *_EXPRESSIONS)
        )
    )


def _parse_table(name: str, entry: Request) -> _TableGets:
    modern = rewrite_legacy_parameters(entry, _EXPRESSIONS, _LEGACY)
    bound = placeholders(modern, *_EXPRESSIONS)
    projected = projection(modern, bound)
    bound.require_all_used()
    keys = [normalise_item(key) for key in entry["Keys"]]
    # DynamoDB: duplicate keys are reported before a missing table; pinned by
    # test_batch_get_item.py::test_a_duplicate_key_is_reported_before_a_missing_table.
    if len({orjson.dumps(key, option=orjson.OPT_SORT_KEYS) for key in keys}) != len(keys):
        raise ValidationError(DUPLICATES)
    return _TableGets(name, keys, projected, bool(entry.get("ConsistentRead")), entry)


def _located(table: Table, gets: _TableGets) -> tuple[Table, list[ItemKey]]:
    return table, [key_from_request(table, key) for key in gets.keys]


class _Reader:
    """Reads up to 16 MB; the remaining keys are unprocessed."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._size = 0
        self.responses: dict[str, list[Any]] = {}
        self.unprocessed: dict[str, Request] = {}
        self.consumed: list[Consumption] = []

    def read(self, gets: _TableGets, table: Table, keys: list[ItemKey]) -> None:
        items = self.responses[gets.name] = []
        used = Consumption(table.name)
        for at, key in enumerate(keys):
            row = self._tx.row(table, key)
            size = 0 if row is None else row.size
            if self._size + size > limits.BATCH_GET_BYTES_MAX:
                self.unprocessed[gets.name] = {**gets.request, "Keys": gets.keys[at:]}
                break
            self._size += size
            used.table_units += read_units(size, consistent=gets.consistent)
            if row is None:
                continue
            if gets.projected is None:
                items.append(self._tx.emit(row.body))
            else:
                items.append(gets.projected.apply(orjson.loads(row.body)))
        self.consumed.append(used)


OPERATION = Operation("BatchGetItem", SHAPE, "read", parse, style=ValidationStyle.CURRENT)

"""CreateTable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Boolean, List, String, Structure, TableName
from tablewright.engine.tables.descriptions import describe_table, stream_label
from tablewright.engine.tables.table_rules import (
    Definitions,
    definitions_of,
    index_schema,
    invalid,
    key_attributes,
    require_all_used,
    require_defined_once,
    require_distinct,
    require_encryption,
    require_index_counts,
    require_key_defined,
    require_local,
    require_stream_of_new_table,
    require_table_class,
    table_key,
)
from tablewright.engine.tables.table_schema import (
    BillingMode,
    IndexSchema,
    KeySchema,
    TableSchema,
    Throughput,
)
from tablewright.engine.tables.table_shapes import (
    attribute_definitions,
    billing_mode,
    global_index,
    key_schema,
    local_index,
    on_demand_throughput,
    provisioned_throughput,
    sse_specification,
    stream_specification,
    table_class,
    tags,
    warm_throughput,
)
from tablewright.engine.tables.tags import require_tags
from tablewright.engine.tables.throughput_rules import (
    require_throughput_of_new_indexes,
    require_throughput_of_new_table,
    require_units_in_bounds,
)
from tablewright.errors import ResourceInUse

SHAPE = Structure(
    AttributeDefinitions=attribute_definitions(required=True),
    TableName=TableName(control=True, arn=False),
    BillingMode=billing_mode(),
    ProvisionedThroughput=provisioned_throughput(),
    KeySchema=key_schema(),
    GlobalSecondaryIndexes=List(global_index("GlobalSecondaryIndex")),
    LocalSecondaryIndexes=List(local_index()),
    StreamSpecification=stream_specification(),
    SSESpecification=sse_specification(),
    Tags=tags(),
    TableClass=table_class(),
    DeletionProtectionEnabled=Boolean(),
    OnDemandThroughput=on_demand_throughput(),
    WarmThroughput=warm_throughput(),
    ResourcePolicy=String(),
)

# Settings that are stored unchanged in `TableSchema.options`.
KEPT = (
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "Tags",
    "OnDemandThroughput",
    "WarmThroughput",
    "ResourcePolicy",
)


def parse(request: Request) -> Command:
    """Validate the declaration; the command checks that the name is free."""
    request = SHAPE.declared(request)  # Drop undeclared fields: parts of the request are stored.
    mode: BillingMode = request.get("BillingMode") or "PROVISIONED"
    require_table_class(request.get("TableClass"))
    require_throughput_of_new_table(request, mode)
    require_units_in_bounds(request)
    require_defined_once(request)
    definitions = definitions_of(request)
    key = table_key(request["KeySchema"], definitions)
    indexes = _indexes(request, mode, key, definitions)
    require_stream_of_new_table(request.get("StreamSpecification"))
    require_encryption(request.get("SSESpecification"))
    require_tags(request.get("Tags") or ())
    options = {name: request[name] for name in KEPT if request.get(name)}
    schema = TableSchema(
        name=request["TableName"],
        number=0,
        table_id="",
        created_at=0,
        key=key,
        attributes=key_attributes(definitions),
        indexes=tuple(indexes),
        billing_mode=mode,
        throughput=Throughput.of(request),
        deletion_protection=bool(request.get("DeletionProtectionEnabled")),
        options=options | {"IndexesMade": len(indexes)},
    )
    return CreateTable(schema)


def _indexes(
    request: Request, mode: str, key: KeySchema, definitions: Definitions
) -> list[IndexSchema]:
    local, global_ = _declared(request, key)
    # DynamoDB: definitions are compared with all keys before anything else of an index is checked;
    # pinned by test_create_table.py::test_definitions_come_before_the_rest_of_an_index.
    for entry in (*local, *global_):
        require_key_defined(entry["KeySchema"], definitions)
    require_all_used(definitions, key, (*local, *global_))
    indexes = []
    for number, entry in enumerate(local, start=1):
        index = index_schema(entry, "LOCAL", number, definitions)
        require_local(index, key)
        indexes.append(index)
    require_throughput_of_new_indexes(global_, mode)
    for number, entry in enumerate(global_, start=len(indexes) + 1):
        indexes.append(index_schema(entry, "GLOBAL", number, definitions))
    require_distinct(indexes)
    require_index_counts(indexes)
    return indexes


def _declared(request: Request, key: KeySchema) -> tuple[list[Any], list[Any]]:
    """The local and the global indexes that a request lists."""
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(kind) is not None and not request[kind]:
            invalid(f"List of {kind} is empty")
    local = request.get("LocalSecondaryIndexes") or []
    if local and not key.sort:
        invalid(
            "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex"
        )
    return local, request.get("GlobalSecondaryIndexes") or []


@dataclass(frozen=True, slots=True)
class CreateTable:
    """A valid declaration; the command creates the table."""

    schema: TableSchema

    def __call__(self, tx: Tx) -> Response:
        name = self.schema.name
        if tx.catalog.find(name) is not None:
            raise ResourceInUse(f"Table already exists: {name}")
        now = round(tx.now(), 3)
        times: dict[str, Any] = {}
        if self.schema.billing_mode == "PAY_PER_REQUEST":
            times["LastUpdateToPayPerRequestDateTime"] = now
        if (self.schema.options.get("StreamSpecification") or {}).get("StreamEnabled"):
            times["StreamLabel"] = stream_label(now)
        schema = self.schema.with_(
            table_id=tx.new_id(), created_at=now, options=self.schema.options | times
        )
        table = tx.create_table(schema)
        statuses = {index.name: "CREATING" for index in schema.global_indexes}
        description = describe_table(table, tx.settings, "CREATING", statuses)
        for index in description.get("GlobalSecondaryIndexes", ()):
            index.pop("Backfilling")  # Only for indexes added later.
            index.pop("WarmThroughput")
        # DynamoDB: a new table shows warm throughput only if the request sets it.
        if "WarmThroughput" in schema.options:
            description["WarmThroughput"]["Status"] = "UPDATING"
        else:
            description.pop("WarmThroughput")
        return {"TableDescription": description}


OPERATION = Operation(name="CreateTable", shape=SHAPE, mode="table", parse=parse)

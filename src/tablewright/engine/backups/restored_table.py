"""The schema of a restored table: what it keeps, and what the request overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tablewright.engine.command_context import Tx
from tablewright.engine.requests.shapes import List
from tablewright.engine.tables.table_rules import (
    invalid_request,
    require_encryption,
    used_definitions,
)
from tablewright.engine.tables.table_schema import (
    BillingMode,
    IndexKind,
    IndexSchema,
    TableSchema,
    Throughput,
)
from tablewright.engine.tables.table_shapes import (
    billing_mode,
    global_index,
    local_index,
    on_demand_throughput,
    provisioned_throughput,
    sse_specification,
)
from tablewright.engine.tables.throughput_rules import merged

__all__ = ["OVERRIDES", "restored_schema"]

# The overrides of a restore request, by parameter name.
OVERRIDES: Final[dict[str, Any]] = {
    "BillingModeOverride": billing_mode(),
    "GlobalSecondaryIndexOverride": List(global_index("GlobalSecondaryIndex")),
    "LocalSecondaryIndexOverride": List(local_index()),
    "ProvisionedThroughputOverride": provisioned_throughput(),
    "OnDemandThroughputOverride": on_demand_throughput(),
    "SSESpecificationOverride": sse_specification(),
}
# DynamoDB: tags, streams, policy, class, time to live and recovery are not restored;
# RestoreTableFromBackup. Nor are the times of changes.
_KEPT: Final = ("SSESpecification", "OnDemandThroughput", "WarmThroughput", "IndexesMade")
_NO_UNITS: Final = (
    "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST"
)

Request = Mapping[str, Any]


def restored_schema(tx: Tx, schema: TableSchema, request: Request) -> TableSchema:
    """The schema of a restored table, with its new name and the request's overrides."""
    require_encryption(request.get("SSESpecificationOverride"))
    mode: BillingMode = request.get("BillingModeOverride") or schema.billing_mode
    throughput = _throughput(schema, request, mode)
    now = round(tx.now(), 3)
    options = {name: value for name, value in schema.options.items() if name in _KEPT}
    options |= _bounds(request, mode)
    if mode == "PAY_PER_REQUEST":
        options["LastUpdateToPayPerRequestDateTime"] = now
    else:
        options.pop("OnDemandThroughput", None)
    if request.get("SSESpecificationOverride") is not None:
        options["SSESpecification"] = request["SSESpecificationOverride"]
    indexes = (
        *_indexes(schema.local_indexes, "LOCAL", request, schema.billing_mode),
        *_indexes(schema.global_indexes, "GLOBAL", request, schema.billing_mode),
    )
    definitions = {attribute.name: attribute.type for attribute in schema.attributes}
    return schema.with_(
        name=request["TargetTableName"],
        table_id=tx.new_id(),
        created_at=now,
        billing_mode=mode,
        throughput=throughput,
        indexes=indexes,
        attributes=used_definitions(definitions, schema.key, indexes),
        deletion_protection=False,
        ttl_attribute=None,
        options=options,
    )


def _throughput(schema: TableSchema, request: Request, mode: BillingMode) -> Throughput:
    units = request.get("ProvisionedThroughputOverride")
    override = request.get("BillingModeOverride")
    if units is None:
        if override == "PROVISIONED":
            invalid_request(
                "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"
            )
        return Throughput() if mode == "PAY_PER_REQUEST" else schema.throughput
    if override == "PAY_PER_REQUEST":
        invalid_request(_NO_UNITS)
    if mode == "PAY_PER_REQUEST":
        invalid_request("Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED")
    return Throughput.of({"ProvisionedThroughput": units})


def _bounds(request: Request, mode: BillingMode) -> dict[str, Any]:
    bounds = merged(None, request.get("OnDemandThroughputOverride") or {})
    for name, units in bounds.items():
        if mode == "PROVISIONED":
            invalid_request(
                f"Cannot override {name} for OnDemandThroughput unless BillingModeOverride is "
                "PAY_PER_REQUEST"
            )
        if units < 1:
            invalid_request(f"Requested {name} for OnDemandThroughput is outside of valid range")
    return {"OnDemandThroughput": bounds} if bounds else {}


def _indexes(
    indexes: Sequence[IndexSchema], kind: IndexKind, request: Request, old_mode: BillingMode
) -> Iterable[IndexSchema]:
    """The restored indexes of a kind: those that the request lists, or all."""
    mode: BillingMode = request.get("BillingModeOverride") or old_mode
    overrides = request.get(f"{kind.capitalize()}SecondaryIndexOverride")
    for entry in overrides or ():
        if all(_form(index) != _override_form(entry) for index in indexes):
            invalid_request(
                f"Index {entry['IndexName']} does not match a secondary index that existed in the "
                "source table and cannot be created during the restore operation"
            )
    for index in indexes:
        # DynamoDB: an index is matched by key and projection, and takes the override's name.
        entry = next((e for e in overrides or () if _override_form(e) == _form(index)), None)
        if overrides is not None and entry is None:
            continue
        name = index.name if entry is None else entry["IndexName"]
        units = _index_throughput(index, name, entry, mode, request) if index.is_global else None
        yield replace(index, name=name, throughput=units or Throughput())


def _index_throughput(
    index: IndexSchema, name: str, entry: Request | None, mode: BillingMode, request: Request
) -> Throughput:
    units = None if entry is None else entry.get("ProvisionedThroughput")
    if mode == "PAY_PER_REQUEST":
        if units is not None and request.get("BillingModeOverride") is not None:
            invalid_request(f"{_NO_UNITS} for index {name}")
        return Throughput()
    if units is not None:
        return Throughput.of({"ProvisionedThroughput": units})
    if entry is not None or not index.throughput.read_units:
        invalid_request(f"Must specify provisioned throughput for index {name}")
    return index.throughput


def _form(index: IndexSchema) -> tuple[Any, ...]:
    return index.key.describe(), index.projection, sorted(index.non_key_attributes)


def _override_form(entry: Request) -> tuple[Any, ...]:
    projection = entry["Projection"]
    key = [dict(element) for element in entry["KeySchema"]]
    names = sorted(projection.get("NonKeyAttributes") or ())
    return key, projection.get("ProjectionType"), names

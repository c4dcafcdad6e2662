"""UpdateTable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tablewright.engine.catalog import Table
from tablewright.engine.descriptions import describe_table, stream_label
from tablewright.engine.operation import Command, Operation, Request, Response
from tablewright.engine.schema import BillingMode, IndexSchema, TableSchema, Throughput
from tablewright.engine.shapes import Boolean, List, Structure, TableName
from tablewright.engine.table_rules import (
    definitions_of,
    index_schema,
    invalid,
    require_index_counts,
    require_index_throughputs,
    require_on_demand_throughput,
    require_provisioned,
    require_stream,
    require_table_throughput,
    require_units_in_bounds,
    throughput_of,
    used_definitions,
)
from tablewright.engine.table_shapes import (
    attribute_definitions,
    billing_mode,
    global_index,
    index_name,
    on_demand_throughput,
    provisioned_throughput,
    sse_specification,
    stream_specification,
    table_class,
    warm_throughput,
)
from tablewright.engine.transaction import Tx
from tablewright.errors import LimitExceeded, ResourceNotFound, ValidationError

SHAPE = Structure(
    TableName=TableName(control=True),
    AttributeDefinitions=attribute_definitions(required=False),
    BillingMode=billing_mode(),
    ProvisionedThroughput=provisioned_throughput(),
    GlobalSecondaryIndexUpdates=List(
        Structure(
            named="GlobalSecondaryIndexUpdate",
            Update=Structure(
                named="UpdateGlobalSecondaryIndexAction",
                IndexName=index_name(),
                ProvisionedThroughput=provisioned_throughput(),
                OnDemandThroughput=on_demand_throughput(),
                WarmThroughput=warm_throughput(),
            ),
            Create=global_index("CreateGlobalSecondaryIndexAction"),
            Delete=Structure(named="DeleteGlobalSecondaryIndexAction", IndexName=index_name()),
        )
    ),
    StreamSpecification=stream_specification(),
    SSESpecification=sse_specification(),
    TableClass=table_class(),
    DeletionProtectionEnabled=Boolean(),
    OnDemandThroughput=on_demand_throughput(),
    WarmThroughput=warm_throughput(),
)

CHANGES = (
    "BillingMode",
    "ProvisionedThroughput",
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)
ACTIONS = ("Update", "Create", "Delete")


@dataclass(slots=True)
class IndexChanges:
    """What a request does to global indexes, by their names."""

    update: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    create: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    delete: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def statuses(self) -> dict[str, str]:
        """What AWS calls the indexes while this is being done."""
        return (
            dict.fromkeys(self.update, "UPDATING")
            | dict.fromkeys(self.create, "CREATING")
            | dict.fromkeys(self.delete, "DELETING")
        )


def parse(request: Request) -> Command:
    """Check the changes by themselves; the command checks them against the table."""
    request = SHAPE.declared(request)  # What is kept of it is stored: take nothing else in.
    updates = request.get("GlobalSecondaryIndexUpdates")
    if not updates and all(request.get(name) is None for name in CHANGES):
        raise ValidationError(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        require_table_throughput(request, "PAY_PER_REQUEST")
    require_units_in_bounds(request)
    require_stream(request.get("StreamSpecification"))
    return UpdateTable(request, _index_changes(updates or []))


def _index_changes(updates: list[Mapping[str, Any]]) -> IndexChanges:
    changes = IndexChanges()
    by_action = {"Update": changes.update, "Create": changes.create, "Delete": changes.delete}
    seen: set[str] = set()
    for update in updates:
        given = [action for action in ACTIONS if update.get(action) is not None]
        if len(given) != 1:
            quantity = "One" if not given else "Only one"
            invalid(
                f"{quantity} of GlobalSecondaryIndexUpdate.Update, "
                "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must "
                f"{'not be null' if not given else 'be specified'}"
            )
        action = update[given[0]]
        name = action["IndexName"]
        if name in seen:
            invalid(
                "Only one global secondary index update per index is allowed simultaneously. "
                f"Index: {name}"
            )
        seen.add(name)
        require_units_in_bounds(action, name)
        by_action[given[0]][name] = action
    if len(changes.create) + len(changes.delete) > 1:
        raise LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted "
            "simultaneously per table"
        )
    return changes


@dataclass(frozen=True, slots=True)
class UpdateTable:
    """Well-formed changes, waiting for their table."""

    request: Request
    changes: IndexChanges

    def __call__(self, tx: Tx) -> Response:
        table = tx.catalog.get(self.request["TableName"])
        updated = updated_schema(table.schema, self.request, self.changes, round(tx.now(), 3))
        tx.replace_schema(table, updated)
        shown = Table(_schema_meanwhile(table.schema, updated, self.changes), table.counts)
        description = describe_table(shown, tx.settings, "UPDATING", self.changes.statuses())
        return {"TableDescription": description}


def updated_schema(
    old: TableSchema, request: Request, changes: IndexChanges, now: float
) -> TableSchema:
    """The table as it will be; raises if the changes do not suit the table as it is."""
    mode: BillingMode = request.get("BillingMode") or old.billing_mode
    switches = mode != old.billing_mode
    if request.get("ProvisionedThroughput") is not None or switches:
        require_table_throughput(request, mode)
    require_on_demand_throughput(request, mode)
    throughput = old.throughput
    options = dict(old.options)
    if switches and mode == "PAY_PER_REQUEST":
        throughput = Throughput()
        options["LastUpdateToPayPerRequestDateTime"] = now
    elif request.get("ProvisionedThroughput") is not None:
        throughput = throughput_of(request)
        if not switches:
            _require_change(old.throughput, throughput, "table", "table")
        options |= _change_times(old.throughput, throughput, now)
    indexes = _updated_indexes(old, mode, request, changes, now)
    options["IndexesMade"] = options.get("IndexesMade", len(old.indexes)) + len(changes.create)
    options |= _updated_options(old, request, now)
    protection = request.get("DeletionProtectionEnabled")
    return old.with_(
        billing_mode=mode,
        throughput=throughput,
        indexes=indexes,
        attributes=used_definitions(_definitions(old, request), old.key, indexes),
        deletion_protection=old.deletion_protection if protection is None else protection,
        options=options,
    )


def _updated_indexes(
    old: TableSchema, mode: BillingMode, request: Request, changes: IndexChanges, now: float
) -> tuple[IndexSchema, ...]:
    existing = {index.name: index for index in old.global_indexes}
    for name in (*changes.update, *changes.delete):
        if name not in existing:
            raise ResourceNotFound("Requested resource not found")
    if any(index.name in changes.create for index in old.indexes):
        raise ValidationError("Attempting to create an index which already exists")
    require_index_throughputs(list(changes.create.values()), mode)
    if mode == "PAY_PER_REQUEST":
        require_index_throughputs(list(changes.update.values()), mode)
    elif old.billing_mode == "PAY_PER_REQUEST":
        require_provisioned(
            name
            for name in existing
            if name not in changes.delete
            and not changes.update.get(name, {}).get("ProvisionedThroughput")
        )
    kept = [
        _updated_index(index, mode, changes.update.get(index.name), old.billing_mode, now)
        for index in old.indexes
        if index.name not in changes.delete
    ]
    indexes = (*kept, *_created_indexes(old, request, changes))
    require_index_counts(indexes)
    return indexes


def _updated_index(
    index: IndexSchema,
    mode: BillingMode,
    update: Mapping[str, Any] | None,
    old_mode: BillingMode,
    now: float,
) -> IndexSchema:
    options = dict(index.options)
    throughput = Throughput() if mode == "PAY_PER_REQUEST" else index.throughput
    if update is not None:
        if update.get("ProvisionedThroughput") is not None:
            throughput = throughput_of(update)
            if mode == old_mode:
                _require_change(index.throughput, throughput, f"index {index.name}", "index")
            options |= _change_times(index.throughput, throughput, now)
        for name in ("OnDemandThroughput", "WarmThroughput"):
            if update.get(name) is not None:
                options[name] = update[name]
    return replace(index, throughput=throughput, options=options)


def _definitions(old: TableSchema, request: Request) -> dict[str, str]:
    """DynamoDB: what is defined already stays as it is, whatever the request says of it."""
    known = {attribute.name: attribute.type for attribute in old.attributes}
    return known | definitions_of(request) | known


def _created_indexes(
    old: TableSchema, request: Request, changes: IndexChanges
) -> list[IndexSchema]:
    definitions = _definitions(old, request)
    number = old.options.get("IndexesMade", len(old.indexes)) + 1
    # DynamoDB: the request defines every attribute of the new key, known or not; pinned by
    # test_update_table.py::test_the_key_of_a_new_index_must_be_defined.
    given = {name: definitions[name] for name in definitions_of(request)}
    return [index_schema(declared, "GLOBAL", number, given) for declared in changes.create.values()]


def _updated_options(old: TableSchema, request: Request, now: float) -> dict[str, Any]:
    """The settings that are only kept."""
    options = {
        name: request[name]
        for name in ("SSESpecification", "TableClass", "OnDemandThroughput", "WarmThroughput")
        if request.get(name) is not None
    }
    if "TableClass" in options:
        options["TableClassUpdated"] = now
    stream = request.get("StreamSpecification")
    if stream is not None:
        enabled = (old.options.get("StreamSpecification") or {}).get("StreamEnabled", False)
        if stream["StreamEnabled"] and enabled:
            raise ValidationError(f"Table already has an enabled stream: TableName: {old.name}")
        if not stream["StreamEnabled"] and not enabled:
            raise ValidationError(f"Table has no stream to disable: TableName: {old.name}")
        options["StreamSpecification"] = stream
        if stream["StreamEnabled"]:
            options["StreamLabel"] = stream_label(now)
    return options


def _require_change(old: Throughput, new: Throughput, subject: str, noun: str) -> None:
    if old != new:
        return
    raise ValidationError(
        f"The provisioned throughput for the {subject} will not change. The requested value equals "
        f"the current value. Current ReadCapacityUnits provisioned for the {noun}: "
        f"{old.read_units}. Requested ReadCapacityUnits: {new.read_units}. Current "
        f"WriteCapacityUnits provisioned for the {noun}: {old.write_units}. Requested "
        f"WriteCapacityUnits: {new.write_units}. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    )


def _change_times(old: Throughput, new: Throughput, now: float) -> dict[str, float]:
    times = {}
    if new.read_units > old.read_units or new.write_units > old.write_units:
        times["LastIncreaseDateTime"] = now
    if new.read_units < old.read_units or new.write_units < old.write_units:
        times["LastDecreaseDateTime"] = now
    return times


def _schema_meanwhile(old: TableSchema, updated: TableSchema, changes: IndexChanges) -> TableSchema:
    """What the reply shows: throughput as it was, and indexes that go still there."""
    if old.billing_mode != updated.billing_mode:
        existing = {index.name: index for index in updated.indexes}
    else:
        existing = {index.name: index for index in old.indexes}
        updated = updated.with_(throughput=old.throughput)
    going = {index.name: index for index in old.indexes if index.name in changes.delete}
    coming = {index.name: index for index in updated.indexes}
    indexes = tuple((coming | going | existing).values())
    definitions = {attribute.name: attribute.type for attribute in old.attributes}
    definitions |= {attribute.name: attribute.type for attribute in updated.attributes}
    return updated.with_(
        indexes=indexes, attributes=used_definitions(definitions, old.key, indexes)
    )


OPERATION = Operation(name="UpdateTable", shape=SHAPE, mode="table", parse=parse)

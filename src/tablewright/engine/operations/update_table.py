"""UpdateTable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Boolean, List, Structure, TableName
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.descriptions import describe_table, key_arn, stream_label
from tablewright.engine.tables.table_rules import (
    definitions_of,
    index_schema,
    invalid,
    is_encrypted,
    require_encryption,
    require_index_counts,
    require_stream_change,
    require_table_class,
    used_definitions,
)
from tablewright.engine.tables.table_schema import BillingMode, IndexSchema, TableSchema, Throughput
from tablewright.engine.tables.table_shapes import (
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
from tablewright.engine.tables.throughput_rules import (
    merged,
    require_bounds,
    require_more_warmth,
    require_none_of_table,
    require_some_warmth,
    require_throughput_of_added_index,
    require_throughput_of_changed_index,
    require_throughput_with_mode,
    require_units_in_bounds,
    warm_units,
    with_changed_limits,
    without_bounds,
)
from tablewright.engine.tables.update_rules import (
    action_of,
    require_change,
    require_compatible_changes,
)
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

# DynamoDB: a change of one of these sets the table to UPDATING; others leave it ACTIVE.
LASTING = ("BillingMode", "ProvisionedThroughput", "StreamSpecification", "TableClass")


@dataclass(slots=True)
class IndexChanges:
    """The changes of global indexes, by name."""

    update: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    create: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    delete: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def statuses(self) -> dict[str, str]:
        """The statuses of the indexes during the change."""
        return (
            dict.fromkeys(self.update, "UPDATING")
            | dict.fromkeys(self.create, "CREATING")
            | dict.fromkeys(self.delete, "DELETING")
        )


def parse(request: Request) -> Command:
    """Validate the changes; the command compares them with the table."""
    request = SHAPE.declared(request)  # Drop undeclared fields: parts of the request are stored.
    require_change(request)
    require_table_class(request.get("TableClass"))
    changes = _index_changes(request.get("GlobalSecondaryIndexUpdates") or [])
    require_compatible_changes(request)
    require_throughput_with_mode(request)
    require_units_in_bounds(request)
    require_stream_change(request.get("StreamSpecification"))
    require_encryption(request.get("SSESpecification"))
    return UpdateTable(request, changes)


def _index_changes(updates: list[Mapping[str, Any]]) -> IndexChanges:
    changes = IndexChanges()
    by_action = {"Update": changes.update, "Create": changes.create, "Delete": changes.delete}
    names: set[str] = set()
    for update in updates:
        kind = action_of(update)
        action = update[kind]
        name = action["IndexName"]
        if name in names:
            invalid(
                "Only one global secondary index update per index is allowed simultaneously. "
                f"Index: {name}"
            )
        names.add(name)
        require_units_in_bounds(action, name)
        if kind == "Update":
            require_some_warmth(action)
        by_action[kind][name] = action
    return changes


@dataclass(frozen=True, slots=True)
class UpdateTable:
    """Valid changes; the command applies them to the table."""

    request: Request
    changes: IndexChanges

    def __call__(self, tx: Tx) -> Response:
        table = tx.catalog.get(self.request["TableName"])
        old = table.schema
        _require_encryption_changes(old, self.request, tx)
        updated = updated_schema(old, self.request, self.changes, round(tx.now(), 3))
        tx.replace_schema(table, updated)
        interim = Table(_interim_schema(old, updated, self.request, self.changes), table.counts)
        status = "UPDATING" if self._takes_time() else "ACTIVE"
        description = describe_table(interim, tx.settings, status, self.changes.statuses())
        return {"TableDescription": description}

    def _takes_time(self) -> bool:
        """Whether AWS shows the table itself as UPDATING."""
        return bool(
            self.changes.create
            or self.changes.delete
            or any(self.request.get(name) is not None for name in LASTING)
        )


def _require_encryption_changes(old: TableSchema, request: Request, tx: Tx) -> None:
    requested = request.get("SSESpecification")
    if requested is None:
        return
    current = old.options.get("SSESpecification")
    if not is_encrypted(current) and not is_encrypted(requested):
        invalid("Table is already encrypted by default")
    if is_encrypted(current) and requested.get("KMSMasterKeyId") == key_arn(
        current, old, tx.settings
    ):
        invalid(
            "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if "
            "you want to change Master Key"
        )


def updated_schema(
    old: TableSchema, request: Request, changes: IndexChanges, now: float
) -> TableSchema:
    """The new schema; raises if the changes do not apply to the table."""
    mode: BillingMode = request.get("BillingMode") or old.billing_mode
    switches = mode != old.billing_mode
    if mode == "PAY_PER_REQUEST":
        require_none_of_table(request)
    require_bounds(request, mode)
    require_more_warmth(request, warm_units(old.billing_mode, old.throughput, old.options))
    throughput = old.throughput
    options = without_bounds(old.options) if switches else dict(old.options)
    if switches and mode == "PAY_PER_REQUEST":
        throughput = Throughput()
        options["LastUpdateToPayPerRequestDateTime"] = now
    elif request.get("ProvisionedThroughput") is not None:
        throughput = Throughput.of(request)
        if not switches:
            _require_change(old.throughput, throughput, "the table", "the table")
        options |= _change_times(old.throughput, throughput, now)
    indexes = _updated_indexes(old, mode, request, changes, now)
    options["IndexesMade"] = options.get("IndexesMade", len(old.indexes)) + len(changes.create)
    options = with_changed_limits(options, request) | _updated_options(old, request, now)
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
    _require_indexes(old, changes)
    for action in changes.create.values():
        if not request.get("AttributeDefinitions"):
            invalid(f"AttributeDefinitions is not specified for index: {action['IndexName']}")
        require_throughput_of_added_index(action, mode)
    for action in changes.update.values():
        require_throughput_of_changed_index(action, mode)
    if mode == "PROVISIONED" and old.billing_mode == "PAY_PER_REQUEST":
        lacking = [
            name
            for name in existing
            if name not in changes.delete
            and not changes.update.get(name, {}).get("ProvisionedThroughput")
        ]
        if lacking:
            invalid(f"ProvisionedThroughput must be specified for index: {','.join(lacking)}")
    remaining = [
        _updated_index(index, mode, changes.update.get(index.name), old.billing_mode, now)
        for index in old.indexes
        if index.name not in changes.delete
    ]
    indexes = (*remaining, *_created_indexes(old, request, changes))
    if sum(index.is_global for index in indexes) > limits.GLOBAL_INDEXES_MAX:
        raise LimitExceeded(
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit "
            f"of {limits.GLOBAL_INDEXES_MAX}"
        )
    require_index_counts(indexes)
    return indexes


def _require_indexes(old: TableSchema, changes: IndexChanges) -> None:
    """Raise unless the indexes to change exist and those to create do not."""
    if len(changes.create) + len(changes.delete) > 1:
        raise LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted "
            "simultaneously per table"
        )
    kinds = {index.name: index.kind for index in old.indexes}
    for verb, names in (("update", changes.update), ("delete", changes.delete)):
        for name in names:
            if name not in kinds:
                raise ResourceNotFound(
                    f"Requested resource not found: Index {name} for table {old.name}"
                )
            if kinds[name] != "GLOBAL":
                raise ValidationError(
                    f"Cannot {verb} an index that is not a GlobalSecondaryIndex: {name}"
                )
    if any(name in kinds for name in changes.create):
        raise ValidationError("Attempting to create an index which already exists")


def _updated_index(
    index: IndexSchema,
    mode: BillingMode,
    update: Mapping[str, Any] | None,
    old_mode: BillingMode,
    now: float,
) -> IndexSchema:
    options = without_bounds(index.options) if mode != old_mode else dict(index.options)
    throughput = Throughput() if mode == "PAY_PER_REQUEST" else index.throughput
    if update is not None:
        warm = warm_units(old_mode, index.throughput, index.options)
        require_more_warmth(update, warm, index.name)
        if update.get("ProvisionedThroughput") is not None:
            throughput = Throughput.of(update)
            if mode == old_mode:
                named = f"index {index.name}"
                _require_change(index.throughput, throughput, f"the {named}", named)
            options |= _change_times(index.throughput, throughput, now)
        options = with_changed_limits(options, update)
    return replace(index, throughput=throughput, options=options)


def _definitions(old: TableSchema, request: Request) -> dict[str, str]:
    """DynamoDB: existing definitions stay, whatever the request says."""
    existing = {attribute.name: attribute.type for attribute in old.attributes}
    return existing | definitions_of(request) | existing


def _created_indexes(
    old: TableSchema, request: Request, changes: IndexChanges
) -> list[IndexSchema]:
    definitions = _definitions(old, request)
    number = old.options.get("IndexesMade", len(old.indexes)) + 1
    # DynamoDB: the request must define all attributes of the new key, even existing ones; pinned by
    # test_update_table.py::test_the_key_of_a_new_index_must_be_defined.
    requested = {name: definitions[name] for name in definitions_of(request)}
    return [
        index_schema(declared, "GLOBAL", number, requested) for declared in changes.create.values()
    ]


def _updated_options(old: TableSchema, request: Request, now: float) -> dict[str, Any]:
    """The changed settings that are only stored."""
    options = {
        name: request[name]
        for name in ("SSESpecification", "TableClass")
        if request.get(name) is not None
    }
    if "TableClass" in options:
        if options["TableClass"] == "STANDARD" and "TableClass" not in old.options:
            del options["TableClass"]  # DynamoDB: the default class is not shown.
        else:
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
        f"The provisioned throughput for {subject} will not change. The requested value equals "
        f"the current value. Current ReadCapacityUnits provisioned for {noun}: "
        f"{old.read_units}. Requested ReadCapacityUnits: {new.read_units}. Current "
        f"WriteCapacityUnits provisioned for {noun}: {old.write_units}. Requested "
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


def _interim_schema(
    old: TableSchema, updated: TableSchema, request: Request, changes: IndexChanges
) -> TableSchema:
    """The schema in the reply: the old throughput, and the indexes that are being deleted."""
    if old.billing_mode != updated.billing_mode:
        existing = {index.name: index for index in updated.indexes}
    else:
        existing = {index.name: index for index in old.indexes}
        updated = updated.with_(throughput=old.throughput)
    deleted = {index.name: index for index in old.indexes if index.name in changes.delete}
    created = {index.name: index for index in updated.indexes}
    indexes = tuple((created | deleted | existing).values())
    definitions = {attribute.name: attribute.type for attribute in old.attributes}
    definitions |= {attribute.name: attribute.type for attribute in updated.attributes}
    bounds = {}
    if request.get("OnDemandThroughput"):
        current = old.options.get("OnDemandThroughput")
        bounds["OnDemandThroughput"] = merged(current, request["OnDemandThroughput"])
    return updated.with_(
        indexes=indexes,
        attributes=used_definitions(definitions, old.key, indexes),
        options=updated.options | bounds,
    )


OPERATION = Operation(name="UpdateTable", shape=SHAPE, mode="table", parse=parse)

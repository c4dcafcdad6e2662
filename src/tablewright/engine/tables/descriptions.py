"""Descriptions of tables and indexes in replies, field by field as on AWS.

The stored state is always the final one; a reply shows the status that AWS would show at that
moment, so the caller chooses statuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tablewright.engine.command_context import Settings
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.table_rules import is_encrypted
from tablewright.engine.tables.table_schema import IndexSchema, TableSchema, Throughput
from tablewright.engine.tables.throughput_rules import warm_units

Description = dict[str, Any]

# The ARN of a table in any region and account.
TABLE_ARN: Final = re.compile(
    r"arn:aws[a-z-]*:dynamodb:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):"
    r"table/[A-Za-z0-9_.-]{3,255}"
)


def table_arn(settings: Settings, name: str) -> str:
    return f"arn:aws:dynamodb:{settings.region}:{settings.account}:table/{name}"


def stream_label(seconds: float) -> str:
    """A stream's label: when it was enabled."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def describe_table(
    table: Table,
    settings: Settings,
    status: str = "ACTIVE",
    index_statuses: Mapping[str, str] | None = None,
) -> Description:
    """A complete TableDescription; other indexes than those named are ACTIVE."""
    schema = table.schema
    arn = table_arn(settings, schema.name)
    description: Description = {
        # DynamoDB: these, and projected attributes, are sorted by name.
        "AttributeDefinitions": [
            {"AttributeName": attribute.name, "AttributeType": attribute.type}
            for attribute in sorted(schema.attributes, key=lambda each: each.name)
        ],
        "TableName": schema.name,
        "KeySchema": schema.key.describe(),
        "TableStatus": status,
        "CreationDateTime": schema.created_at,
        "ProvisionedThroughput": _throughput(schema.throughput, schema.options),
        "TableSizeBytes": table.bytes,
        "ItemCount": table.item_count,
        "TableArn": arn,
        "TableId": schema.table_id,
        "DeletionProtectionEnabled": schema.deletion_protection,
        "WarmThroughput": _warm(schema, schema.throughput, schema.options, status),
    }
    description |= _settings(schema, settings, arn, status)
    statuses = index_statuses or {}
    if schema.local_indexes:
        description["LocalSecondaryIndexes"] = [
            _index(table, index, arn) for index in schema.local_indexes
        ]
    if schema.global_indexes:
        description["GlobalSecondaryIndexes"] = [
            describe_global_index(table, index, arn, statuses.get(index.name, "ACTIVE"))
            for index in schema.global_indexes
        ]
    return description


def describe_deleted(table: Table, settings: Settings) -> Description:
    """The TableDescription of DeleteTable."""
    # DynamoDB: keys, definitions and indexes are left out.
    description = describe_table(table, settings, "DELETING")
    names = (
        "TableName",
        "TableStatus",
        "ProvisionedThroughput",
        "TableSizeBytes",
        "ItemCount",
        "TableArn",
        "TableId",
        "BillingModeSummary",
        "DeletionProtectionEnabled",
    )
    return {name: description[name] for name in names if name in description}


def describe_global_index(table: Table, index: IndexSchema, arn: str, status: str) -> Description:
    """The description of one global index."""
    description = _index(table, index, arn)
    description["IndexStatus"] = status
    if status == "CREATING":
        description["Backfilling"] = False
    description["ProvisionedThroughput"] = _throughput(index.throughput, index.options)
    description["WarmThroughput"] = _warm(table.schema, index.throughput, index.options, status)
    if "OnDemandThroughput" in index.options:
        description["OnDemandThroughput"] = _on_demand(index.options)
    return description


def _index(table: Table, index: IndexSchema, arn: str) -> Description:
    projection: Description = {"ProjectionType": index.projection}
    if index.non_key_attributes:
        projection["NonKeyAttributes"] = sorted(index.non_key_attributes)
    items, size = table.index_stats(index.name)
    return {
        "IndexName": index.name,
        "KeySchema": index.key.describe(),
        "Projection": projection,
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": f"{arn}/index/{index.name}",
    }


def _throughput(units: Throughput, options: Mapping[str, Any]) -> Description:
    description: Description = {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": units.read_units,
        "WriteCapacityUnits": units.write_units,
    }
    for name in ("LastIncreaseDateTime", "LastDecreaseDateTime"):
        if name in options:
            description[name] = options[name]
    return description


def _warm(
    schema: TableSchema, units: Throughput, options: Mapping[str, Any], status: str
) -> Description:
    reads, writes = warm_units(schema.billing_mode, units, options)
    return {"ReadUnitsPerSecond": reads, "WriteUnitsPerSecond": writes, "Status": status}


def _on_demand(options: Mapping[str, Any]) -> Description:
    return {
        name: units for name, units in options["OnDemandThroughput"].items() if units is not None
    }


def _settings(schema: TableSchema, settings: Settings, arn: str, status: str) -> Description:
    """The parts of a description for optional settings."""
    options = schema.options
    description: Description = {}
    on_demand_since = options.get("LastUpdateToPayPerRequestDateTime")
    if on_demand_since is not None:
        # DynamoDB: a table that was never on-demand has no BillingModeSummary.
        summary = {"BillingMode": schema.billing_mode}
        if status != "CREATING":
            summary["LastUpdateToPayPerRequestDateTime"] = on_demand_since
        description["BillingModeSummary"] = summary
    if "OnDemandThroughput" in options:
        description["OnDemandThroughput"] = _on_demand(options)
    if "TableClass" in options:
        description["TableClassSummary"] = {"TableClass": options["TableClass"]}
        if "TableClassUpdated" in options:
            description["TableClassSummary"]["LastUpdateDateTime"] = options["TableClassUpdated"]
    encryption = options.get("SSESpecification")
    if is_encrypted(encryption):
        description["SSEDescription"] = describe_encryption(encryption, schema, settings)
    stream = options.get("StreamSpecification") or {}
    if stream.get("StreamEnabled"):
        description["StreamSpecification"] = dict(stream)
    if "StreamLabel" in options:
        # DynamoDB: the latest stream is described even after it was disabled.
        description["LatestStreamLabel"] = options["StreamLabel"]
        description["LatestStreamArn"] = f"{arn}/stream/{options['StreamLabel']}"
    return description


def describe_encryption(
    specification: Mapping[str, Any], schema: TableSchema, settings: Settings
) -> dict[str, str]:
    """The SSEDescription of a table with a KMS key."""
    arn = key_arn(specification, schema, settings)
    return {
        "Status": "ENABLED",
        "SSEType": specification.get("SSEType") or "KMS",
        "KMSMasterKeyArn": arn,
    }


def key_arn(specification: Mapping[str, Any], schema: TableSchema, settings: Settings) -> str:
    """The ARN of a table's KMS key."""
    key: str = specification.get("KMSMasterKeyId") or schema.table_id
    if key.startswith("arn:"):
        return key
    path = key if key.startswith("alias/") else f"key/{key}"
    return f"arn:aws:kms:{settings.region}:{settings.account}:{path}"

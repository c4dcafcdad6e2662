"""Backups: copies of tables that are kept until they are deleted, and how they are described."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import orjson

from tablewright.engine.catalog import Table
from tablewright.engine.descriptions import table_arn
from tablewright.engine.rows import BackupRow
from tablewright.engine.schema import BillingMode, IndexSchema, TableSchema
from tablewright.engine.table_shapes import (
    billing_mode,
    index_list,
    on_demand_throughput,
    provisioned_throughput,
    sse_specification,
)
from tablewright.engine.transaction import Settings, Tx
from tablewright.errors import BackupNotFound, TableAlreadyExists, TableNotFound

__all__ = [
    "OVERRIDES",
    "Backup",
    "find_backup",
    "overridden",
    "require_free",
    "require_table",
    "restored_description",
]

# What a table that is restored may have of its own, by the names of parameters.
OVERRIDES: Final[dict[str, Any]] = {
    "BillingModeOverride": billing_mode(),
    "GlobalSecondaryIndexOverride": index_list("GlobalSecondaryIndex"),
    "LocalSecondaryIndexOverride": index_list("LocalSecondaryIndex"),
    "ProvisionedThroughputOverride": provisioned_throughput(),
    "OnDemandThroughputOverride": on_demand_throughput(),
    "SSESpecificationOverride": sse_specification(),
}
# DynamoDB: tags, streams, time to live and recovery are not restored; RestoreTableFromBackup.
_LEFT_BEHIND: Final = (
    "PointInTimeRecovery",
    "StreamLabel",
    "StreamNumber",
    "StreamSpecification",
    "Tags",
)


class Backup(NamedTuple):
    """A backup and the table that it is of, as it was."""

    row: BackupRow
    schema: TableSchema

    @classmethod
    def of(cls, row: BackupRow) -> Backup:
        return cls(row, TableSchema.from_json(orjson.loads(row.schema)))

    def details(self, status: str = "AVAILABLE") -> dict[str, Any]:
        row = self.row
        return {
            "BackupArn": row.arn,
            "BackupName": row.name,
            "BackupSizeBytes": row.bytes,
            "BackupStatus": status,
            "BackupType": "USER",
            "BackupCreationDateTime": round(row.created_at, 3),
        }

    def summary(self, settings: Settings) -> dict[str, Any]:
        return {
            "TableName": self.schema.name,
            "TableId": self.schema.table_id,
            "TableArn": table_arn(settings, self.schema.name),
            **self.details(),
        }

    def describe(self, settings: Settings, status: str = "AVAILABLE") -> dict[str, Any]:
        schema = self.schema
        source = {
            "TableName": schema.name,
            "TableId": schema.table_id,
            "TableArn": table_arn(settings, schema.name),
            "TableSizeBytes": self.row.bytes,
            "KeySchema": schema.key.describe(),
            "TableCreationDateTime": schema.created_at,
            "ProvisionedThroughput": {
                "ReadCapacityUnits": schema.throughput.read_units,
                "WriteCapacityUnits": schema.throughput.write_units,
            },
            "ItemCount": self.row.items,
            "BillingMode": schema.billing_mode,
        }
        return {
            "BackupDetails": self.details(status),
            "SourceTableDetails": source,
            "SourceTableFeatureDetails": _features(schema),
        }


def _features(schema: TableSchema) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, indexes in (
        ("LocalSecondaryIndexes", schema.local_indexes),
        ("GlobalSecondaryIndexes", schema.global_indexes),
    ):
        if indexes:
            found[name] = [_index(index) for index in indexes]
    stream = schema.options.get("StreamSpecification")
    if stream:
        found["StreamDescription"] = stream
    if schema.ttl_attribute is not None:
        found["TimeToLiveDescription"] = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": schema.ttl_attribute,
        }
    return found


def _index(index: IndexSchema) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.non_key_attributes:
        projection["NonKeyAttributes"] = list(index.non_key_attributes)
    told = {
        "IndexName": index.name,
        "KeySchema": index.key.describe(),
        "Projection": projection,
    }
    if index.is_global:
        told["ProvisionedThroughput"] = {
            "ReadCapacityUnits": index.throughput.read_units,
            "WriteCapacityUnits": index.throughput.write_units,
        }
    return told


def find_backup(tx: Tx, arn: str) -> Backup:
    """The backup of an ARN; raises BackupNotFound."""
    for row in tx.session.backups():
        if row.arn == arn:
            return Backup.of(row)
    raise BackupNotFound(f"Backup not found: {arn}")


def require_table(tx: Tx, name: str) -> Table:
    """The table of this name or ARN; raises TableNotFound."""
    table = tx.catalog.find(name)
    if table is None:
        raise TableNotFound(f"Table not found: {name}")
    return table


def require_free(tx: Tx, name: str) -> None:
    """Raise TableAlreadyExists if there is a table of this name."""
    if tx.catalog.find(name) is not None:
        raise TableAlreadyExists(f"Table already exists: {name}")


def overridden(tx: Tx, schema: TableSchema, request: dict[str, Any]) -> TableSchema:
    """The schema of a table that is restored: another name, and what the request overrides."""
    mode: BillingMode = request.get("BillingModeOverride") or schema.billing_mode
    options = {name: kept for name, kept in schema.options.items() if name not in _LEFT_BEHIND}
    for parameter in ("SSESpecification", "OnDemandThroughput"):
        if request.get(f"{parameter}Override") is not None:
            options[parameter] = request[f"{parameter}Override"]
    indexes = schema.indexes
    for kind, parameter in (("GLOBAL", "Global"), ("LOCAL", "Local")):
        wanted = request.get(f"{parameter}SecondaryIndexOverride")
        if wanted is not None:
            names = {entry["IndexName"] for entry in wanted}
            indexes = tuple(index for index in indexes if index.kind != kind or index.name in names)
    return schema.with_(
        name=request["TargetTableName"],
        table_id=tx.new_id(),
        created_at=round(tx.now(), 3),
        billing_mode=mode,
        indexes=indexes,
        deletion_protection=False,
        ttl_attribute=None,
        options=options,
    )


def restored_description(
    described: dict[str, Any], settings: Settings, source: str, at: float, arn: str | None = None
) -> dict[str, Any]:
    """The description of a table that has just been restored."""
    summary: dict[str, Any] = {
        "SourceTableArn": table_arn(settings, source),
        "RestoreDateTime": round(at, 3),
        "RestoreInProgress": True,
    }
    if arn is not None:
        summary["SourceBackupArn"] = arn
    return {"TableDescription": described | {"RestoreSummary": summary}}

"""Backups: stored copies of tables, and their descriptions."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import orjson

from tablewright.engine.command_context import Settings, Tx
from tablewright.engine.sqlite.rows import BackupRow
from tablewright.engine.tables.catalog import Table, table_name
from tablewright.engine.tables.descriptions import TABLE_ARN, describe_encryption, table_arn
from tablewright.engine.tables.table_rules import is_encrypted
from tablewright.engine.tables.table_schema import IndexSchema, TableSchema
from tablewright.errors import (
    AccessDenied,
    BackupNotFound,
    TableAlreadyExists,
    TableNotFound,
    ValidationError,
)

__all__ = ["Backup", "find_backup", "require_free", "require_table", "restored_description"]

_ARN: Final = re.compile(TABLE_ARN.pattern + r"/backup/[A-Za-z0-9-]+")


class Backup(NamedTuple):
    """A backup and the schema of its table at that time."""

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
        if "OnDemandThroughput" in schema.options:
            source["OnDemandThroughput"] = schema.options["OnDemandThroughput"]
        return {
            "BackupDetails": self.details(status),
            "SourceTableDetails": source,
            "SourceTableFeatureDetails": _features(schema, settings),
        }


def _features(schema: TableSchema, settings: Settings) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for name, indexes in (
        ("LocalSecondaryIndexes", schema.local_indexes),
        ("GlobalSecondaryIndexes", schema.global_indexes),
    ):
        if indexes:
            features[name] = [_index(index) for index in indexes]
    stream = schema.options.get("StreamSpecification") or {}
    if stream.get("StreamEnabled"):
        features["StreamDescription"] = stream
    encryption = schema.options.get("SSESpecification")
    if is_encrypted(encryption):
        features["SSEDescription"] = describe_encryption(encryption, schema, settings)
    if schema.ttl_attribute is not None:
        features["TimeToLiveDescription"] = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": schema.ttl_attribute,
        }
    return features


def _index(index: IndexSchema) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.non_key_attributes:
        projection["NonKeyAttributes"] = list(index.non_key_attributes)
    description = {
        "IndexName": index.name,
        "KeySchema": index.key.describe(),
        "Projection": projection,
    }
    if index.is_global:
        description["ProvisionedThroughput"] = {
            "ReadCapacityUnits": index.throughput.read_units,
            "WriteCapacityUnits": index.throughput.write_units,
        }
    return description


def find_backup(tx: Tx, arn: str) -> Backup:
    """The backup of an ARN; raises ValidationError, AccessDenied or BackupNotFound."""
    parts = _ARN.fullmatch(arn)
    if parts is None:
        raise ValidationError("Invalid Backup ARN")
    if parts["account"] != tx.settings.account:
        raise AccessDenied("Access is denied")
    for row in tx.session.backups():
        if row.arn == arn:
            return Backup.of(row)
    raise BackupNotFound(f"Backup not found: {arn}")


def require_table(tx: Tx, name: str) -> Table:
    """The table of this name or ARN; raises TableNotFound."""
    table = tx.catalog.find(name)
    if table is None:
        raise TableNotFound(f"Table not found: {table_name(name)}")
    return table


def require_free(tx: Tx, name: str) -> None:
    """Raise TableAlreadyExists if there is a table of this name."""
    if tx.catalog.find(name) is not None:
        raise TableAlreadyExists(f"Table already exists: {name}")


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

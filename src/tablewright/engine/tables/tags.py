"""Tags of tables: finds the table of an ARN, and validates tags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.tables.catalog import Table
from tablewright.engine.tables.descriptions import TABLE_ARN, table_arn
from tablewright.errors import AccessDenied, ResourceNotFound, ValidationError

__all__ = [
    "require_arn",
    "require_tag_keys",
    "require_tags",
    "tagged_table",
    "tags_of",
    "with_tags",
]

_KEY_CHARS_MAX: Final = 128
_VALUE_CHARS_MAX: Final = 256
# Tag naming limits: letters, digits, spaces and these.
_TEXT: Final = re.compile(r"[\w\s+\-=.:/@]*")


def require_arn(arn: str) -> re.Match[str]:
    """The parts of a table's ARN; raises ValidationError for anything else."""
    parts = TABLE_ARN.fullmatch(arn)
    if parts is None:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    return parts


def tagged_table(tx: Tx, arn: str) -> Table:
    """The table of an ARN; raises ValidationError, AccessDenied or ResourceNotFound."""
    parts = require_arn(arn)
    if parts["account"] != tx.settings.account:
        raise AccessDenied(f"User is not authorized to access the tags of resource: {arn}")
    if parts["region"] != tx.settings.region:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    table = tx.catalog.find(arn)
    if table is None or table_arn(tx.settings, table.name) != arn:
        # DynamoDB: the misspelling is AWS's.
        raise ResourceNotFound(f"Requested resource not found: ResourcArn: {arn} not found")
    return table


def tags_of(table: Table) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in table.schema.options.get("Tags") or ()}


def with_tags(tx: Tx, table: Table, tags: Mapping[str, str]) -> None:
    """Replace a table's tags."""
    _require_count(len(tags))
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    tx.replace_schema(table, table.schema.with_(options=table.schema.options | {"Tags": listed}))


def require_tags(tags: Sequence[Mapping[str, str]]) -> None:
    """Raise ValidationError for invalid tags."""
    keys: set[str] = set()
    for tag in tags:
        key = _require_key(tag.get("Key"))
        value = tag.get("Value")
        if value is None or len(value) > _VALUE_CHARS_MAX or not _TEXT.fullmatch(value):
            raise ValidationError(f"The Tag Value provided is invalid, Value: {_or_null(value)}")
        if key.startswith("aws:"):
            raise ValidationError(f"Tag Key cannot be prefixed with aws:, Key: {key}")
        if key in keys:
            raise ValidationError(
                f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )
        keys.add(key)
    _require_count(len(tags))


def require_tag_keys(keys: Sequence[str]) -> None:
    """Raise ValidationError for invalid tag keys, or too many of them."""
    for key in keys:
        _require_key(key)
    _require_count(len(keys))


def _require_key(key: str | None) -> str:
    if key is None or not 1 <= len(key) <= _KEY_CHARS_MAX or not _TEXT.fullmatch(key):
        raise ValidationError(f"The Tag Key provided is invalid, Key: {_or_null(key)}")
    return key


def _require_count(count: int) -> None:
    if count > limits.TAGS_MAX:
        raise ValidationError(
            "Number of Tags exceed the current limit for the provided ResourceArn"
        )


def _or_null(text: str | None) -> str:
    return "null" if text is None else text

"""Tags of tables: finding the table of an ARN, and what a tag may be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tablewright.engine.catalog import Table
from tablewright.engine.descriptions import table_arn
from tablewright.engine.table_rules import invalid, require_tags
from tablewright.engine.transaction import Tx
from tablewright.errors import AccessDenied, ResourceNotFound, ValidationError

__all__ = ["require_tag_texts", "tagged_table", "tags_of", "with_tags"]

_ARN: Final = re.compile(
    r"arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:(?P<account>\d{12}):table/[A-Za-z0-9_.-]{3,255}"
)
# Tag naming limits: letters, digits, spaces and these.
_TEXT: Final = re.compile(r"[\w\s+\-=.:/@]*")


def tagged_table(tx: Tx, arn: str) -> Table:
    """The table of an ARN; raises ValidationError, AccessDenied or ResourceNotFound."""
    found = _ARN.fullmatch(arn)
    if found is None:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    if found["account"] != tx.settings.account:
        raise AccessDenied(f"User is not authorized to access the tags of resource: {arn}")
    table = tx.catalog.find(arn)
    if table is None or table_arn(tx.settings, table.name) != arn:
        # DynamoDB: the word is misspelt.
        raise ResourceNotFound(f"Requested resource not found: ResourcArn: {arn} not found")
    return table


def tags_of(table: Table) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in table.schema.options.get("Tags") or ()}


def with_tags(tx: Tx, table: Table, tags: Mapping[str, str]) -> None:
    """Give a table these tags and no others."""
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    require_tags(listed)
    tx.replace_schema(table, table.schema.with_(options=table.schema.options | {"Tags": listed}))


def require_tag_texts(tags: Sequence[Mapping[str, str]]) -> None:
    """Raise ValidationError for characters that no tag has."""
    for tag in tags:
        for text in (tag["Key"], tag["Value"]):
            if _TEXT.fullmatch(text) is None:
                invalid(f"Tag {text} contains characters that are not allowed")

"""Shapes that several table operations use.

Choices are in the order in which AWS lists them.
"""

from __future__ import annotations

from tablewright import limits
from tablewright.engine.requests.shapes import Boolean, Integer, List, String, Structure

NAME_PATTERN = "[a-zA-Z0-9_.-]+"


def index_name(required: bool = True) -> String:
    """The name of an index, or of a table where an ARN is not accepted."""
    length = (limits.TABLE_NAME_CHARS_MIN, limits.TABLE_NAME_CHARS_MAX)
    return String(required=required, length=length, pattern=NAME_PATTERN)


def attribute_definitions(required: bool) -> List:
    """Names and types of key attributes."""
    return List(
        Structure(
            named="AttributeDefinition",
            AttributeName=_key_attribute_name(),
            AttributeType=String(required=True, choices=("B", "N", "S")),
        ),
        required=required,
    )


def key_schema(most: int = 2) -> List:
    """The key of a table or index."""
    return List(
        Structure(
            named="KeySchemaElement",
            AttributeName=_key_attribute_name(),
            KeyType=String(required=True, choices=("HASH", "RANGE")),
        ),
        required=True,
        length=(1, most),
    )


def projection() -> Structure:
    """The attributes that an index projects."""
    return Structure(
        required=True,
        named="Projection",
        ProjectionType=String(choices=("ALL", "INCLUDE", "KEYS_ONLY")),
        NonKeyAttributes=List(
            String(length=(1, limits.KEY_ATTRIBUTE_NAME_CHARS_MAX)),
            length=(1, limits.PROJECTED_ATTRIBUTES_PER_INDEX_MAX),
        ),
    )


def provisioned_throughput(required: bool = False) -> Structure:
    """Provisioned capacity."""
    return Structure(
        required=required,
        named="ProvisionedThroughput",
        WriteCapacityUnits=Integer(required=True, range=(1, None), long=True),
        ReadCapacityUnits=Integer(required=True, range=(1, None), long=True),
    )


def on_demand_throughput() -> Structure:
    """Limits on the consumption of an on-demand table."""
    return Structure(
        named="OnDemandThroughput",
        MaxReadRequestUnits=Integer(long=True),
        MaxWriteRequestUnits=Integer(long=True),
    )


def warm_throughput() -> Structure:
    """The throughput that a table must serve without warm-up."""
    return Structure(
        named="WarmThroughput",
        ReadUnitsPerSecond=Integer(long=True),
        WriteUnitsPerSecond=Integer(long=True),
    )


def global_index(named: str) -> Structure:
    """A global index, in CreateTable or in an UpdateTable's Create."""
    return Structure(
        named=named,
        IndexName=index_name(),
        KeySchema=key_schema(2 * limits.GLOBAL_KEY_ATTRIBUTES_MAX),
        Projection=projection(),
        ProvisionedThroughput=provisioned_throughput(),
        OnDemandThroughput=on_demand_throughput(),
        WarmThroughput=warm_throughput(),
    )


def local_index() -> Structure:
    """A local index."""
    return Structure(
        named="LocalSecondaryIndex",
        IndexName=index_name(),
        KeySchema=key_schema(),
        Projection=projection(),
    )


def billing_mode() -> String:
    """The billing mode."""
    return String(choices=("PROVISIONED", "PAY_PER_REQUEST"))


def table_class() -> String:
    """The table class; `table_rules` checks its value."""
    return String()


def stream_specification() -> Structure:
    """Whether the table has a stream, and its view type."""
    return Structure(
        named="StreamSpecification",
        StreamEnabled=Boolean(required=True),
        StreamViewType=String(
            choices=("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
        ),
    )


def sse_specification() -> Structure:
    """Encryption at rest."""
    return Structure(
        named="SSESpecification",
        Enabled=Boolean(),
        SSEType=String(choices=("AES256", "KMS")),
        KMSMasterKeyId=String(length=(1, None)),
    )


def tags(required: bool = False) -> List:
    """Tags of a resource; the module `tags` checks their texts."""
    return List(Structure(named="Tag", Key=String(), Value=String()), required=required)


def _key_attribute_name() -> String:
    return String(required=True, length=(1, limits.KEY_ATTRIBUTE_NAME_CHARS_MAX))

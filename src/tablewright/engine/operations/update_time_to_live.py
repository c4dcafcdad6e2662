"""UpdateTimeToLive."""

from __future__ import annotations

from tablewright import limits
from tablewright.engine.command_context import Tx
from tablewright.engine.requests.api_operation import Command, Operation, Request, Response
from tablewright.engine.requests.shapes import Boolean, String, Structure, TableName
from tablewright.errors import ValidationError

SHAPE = Structure(
    TableName=TableName(control=True),
    TimeToLiveSpecification=Structure(
        required=True,
        named="TimeToLiveSpecification",
        Enabled=Boolean(required=True),
        AttributeName=String(required=True, length=(1, limits.KEY_ATTRIBUTE_NAME_CHARS_MAX)),
    ),
)


def parse(request: Request) -> Command:
    name = request["TableName"]
    specification = request["TimeToLiveSpecification"]
    enabled, attribute = specification["Enabled"], specification["AttributeName"]

    def run(tx: Tx) -> Response:
        table = tx.catalog.get(name)
        current = table.schema.ttl_attribute
        if current is None and not enabled:
            raise ValidationError("TimeToLive is already disabled")
        if current is not None and current != attribute:
            raise ValidationError(
                "TimeToLive is active on a different AttributeName: "
                f"current AttributeName is {current}"
            )
        if current is not None and enabled:
            raise ValidationError("TimeToLive is already enabled")
        # Differs: AWS takes up to an hour to change the TTL attribute, and rejects another change
        # during that time.
        tx.replace_schema(table, table.schema.with_(ttl_attribute=attribute if enabled else None))
        return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}

    return run


OPERATION = Operation(name="UpdateTimeToLive", shape=SHAPE, mode="table", parse=parse)

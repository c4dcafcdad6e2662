"""Which changes of a table go together in one request, in AWS's order and words.

UpdateTable makes one change at a time, but for the few pairs that nothing here refuses. Nothing
here looks at a stored table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablewright.engine.tables.table_rules import invalid
from tablewright.errors import ValidationError

Updates = Sequence[Mapping[str, Any]]

ACTIONS: Final = ("Update", "Create", "Delete")
# What may change, beside global indexes.
CHANGES: Final = (
    "BillingMode",
    "ProvisionedThroughput",
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
)
# What changes alone: the first of them that does not is told.
_ALONE: Final = {
    "SSESpecification": "Server-Side Encryption modification",
    "TableClass": "TableClass modification",
    "DeletionProtectionEnabled": "DeletionProtection modification",
}


def require_change(request: Mapping[str, Any]) -> None:
    """Raise ValidationError unless the request changes something, and lists what it lists."""
    updates = request.get("GlobalSecondaryIndexUpdates")
    if not updates and all(request.get(name) is None for name in CHANGES):
        raise ValidationError(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    if updates is not None and not updates:
        invalid("List of GlobalSecondaryIndexUpdates is empty")


def action_of(update: Mapping[str, Any]) -> str:
    """What an update does to its index; raises ValidationError unless that is one thing."""
    given = [action for action in ACTIONS if update.get(action) is not None]
    if not given:
        invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    if len(given) > 1:
        invalid(
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
            "object"
        )
    return given[0]


def require_one_concern(request: Mapping[str, Any]) -> None:
    """Raise ValidationError if the request changes what cannot change at once."""
    # DynamoDB: {} is nothing beside other changes.
    changed = [n for n in CHANGES if request.get(n) is not None and request[n] != {}]
    updates = request.get("GlobalSecondaryIndexUpdates") or ()
    for name, told in _ALONE.items():
        if name in changed and (len(changed) > 1 or updates):
            invalid(f"{told} must be the only operation in the request")
    if "WarmThroughput" in changed:
        _require_only_warmth(changed, updates)
    if "OnDemandThroughput" in changed and "StreamSpecification" in changed:
        invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    _require_streams_and_indexes_apart(request, changed, updates)


def _require_only_warmth(changed: Sequence[str], updates: Updates) -> None:
    if any(update.get("Create") is not None for update in updates):
        invalid("Create global secondary index cannot be specified when updating WarmThroughput")
    if "OnDemandThroughput" in changed:
        invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    if len(changed) > 1:
        invalid("WarmThroughput must be the only operation in the request")


def _require_streams_and_indexes_apart(
    request: Mapping[str, Any], changed: Sequence[str], updates: Updates
) -> None:
    has_stream = "StreamSpecification" in changed
    has_units = "ProvisionedThroughput" in changed
    if has_stream and (has_units or request.get("BillingMode") == "PROVISIONED"):
        invalid("You cannot modify stream status while updating table IOPS")
    if all(update.get("Update") is not None for update in updates):
        return
    if has_units:
        invalid("You cannot create or delete index while updating table IOPS")
    if has_stream:
        invalid("You cannot create or delete index while changing stream status")

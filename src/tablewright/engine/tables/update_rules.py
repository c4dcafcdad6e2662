"""Which changes of a table can be combined in one request, with AWS's order and messages.

UpdateTable makes one change at a time, except for the few pairs that no rule rejects. No rule needs
a stored table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablewright.engine.tables.table_rules import invalid
from tablewright.errors import ValidationError

Updates = Sequence[Mapping[str, Any]]

ACTIONS: Final = ("Update", "Create", "Delete")
# What can change besides global indexes.
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
# Changes that must be alone in a request; the first violation is reported.
_ALONE: Final = {
    "SSESpecification": "Server-Side Encryption modification",
    "TableClass": "TableClass modification",
    "DeletionProtectionEnabled": "DeletionProtection modification",
}


def require_change(request: Mapping[str, Any]) -> None:
    """Raise ValidationError if the request changes nothing or has an empty list of updates."""
    updates = request.get("GlobalSecondaryIndexUpdates")
    if not updates and all(request.get(name) is None for name in CHANGES):
        raise ValidationError(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
        )
    if updates is not None and not updates:
        invalid("List of GlobalSecondaryIndexUpdates is empty")


def action_of(update: Mapping[str, Any]) -> str:
    """The only action of an index update; raises ValidationError if there is not exactly one."""
    actions = [action for action in ACTIONS if update.get(action) is not None]
    if not actions:
        invalid(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null"
        )
    if len(actions) > 1:
        invalid(
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
            "object"
        )
    return actions[0]


def require_compatible_changes(request: Mapping[str, Any]) -> None:
    """Raise ValidationError if the request combines incompatible changes."""
    # DynamoDB: an empty structure does not count as a change.
    changed = [n for n in CHANGES if request.get(n) is not None and request[n] != {}]
    updates = request.get("GlobalSecondaryIndexUpdates") or ()
    for name, description in _ALONE.items():
        if name in changed and (len(changed) > 1 or updates):
            invalid(f"{description} must be the only operation in the request")
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

"""Rules between throughput and billing mode of tables and indexes, with AWS's messages.

CreateTable and UpdateTable have the same rules with different messages; functions about a "new"
table are CreateTable's. Requests have passed their shape. Of a stored table, the rules need only
the billing mode and the warm throughput.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablewright.engine.tables.table_rules import invalid
from tablewright.engine.tables.table_schema import Throughput
from tablewright.errors import ValidationError

UNITS_MAX: Final = 1_000_000_000_000  # Larger values are "out of bounds".
# The warm throughput of a new on-demand table: "Warm throughput" in the Developer Guide.
WARM_READ_UNITS: Final = 12_000
WARM_WRITE_UNITS: Final = 4_000

_BOUNDS: Final = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_WARM: Final = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_INITIAL: Final = (
    "initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
    "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
)
_CURRENT: Final = "current WarmThroughput, decreasing WarmThroughput is not supported"

Declared = Mapping[str, Any]


def require_units_in_bounds(declared: Declared, index: str | None = None) -> None:
    """Raise ValidationError if provisioned throughput of a table or index is out of bounds."""
    units = declared.get("ProvisionedThroughput") or {}
    where = "" if index is None else f" for index {index}"
    for name in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if units.get(name, 0) > UNITS_MAX:
            raise ValidationError(f"Given value {units[name]} for {name} is out of bounds{where}")


def warm_units(mode: str, units: Throughput, options: Declared) -> tuple[int, int]:
    """The warm throughput of a table or index: reads, writes."""
    requested = options.get("WarmThroughput") or {}
    least = (WARM_READ_UNITS, WARM_WRITE_UNITS)
    if mode == "PROVISIONED":
        least = (units.read_units, units.write_units)
    return max(least[0], requested.get(_WARM[0]) or 0), max(least[1], requested.get(_WARM[1]) or 0)


# CreateTable.


def require_throughput_of_new_table(request: Declared, mode: str) -> None:
    """Raise ValidationError unless a table's throughput matches its billing mode."""
    if mode == "PAY_PER_REQUEST":
        require_none_of_table(request)
    elif request.get("ProvisionedThroughput") is None:
        invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        )
    for name, units in _units_of(request, "OnDemandThroughput", _BOUNDS):
        if mode == "PROVISIONED":
            invalid(
                f"{name} for OnDemandThroughput cannot be specified when table BillingMode is "
                "PROVISIONED."
            )
        _require_bound(name, units, "table")
    _require_initial_warm(request, mode, "table")


def require_throughput_of_new_indexes(declared: Sequence[Declared], mode: str) -> None:
    """Raise ValidationError unless the throughput of global indexes matches the billing mode."""
    if mode == "PAY_PER_REQUEST":
        names = [entry["IndexName"] for entry in declared if entry.get("ProvisionedThroughput")]
        if names:
            invalid(
                f"ProvisionedThroughput should not be specified for index: {','.join(names)} when "
                "BillingMode is PAY_PER_REQUEST"
            )
    else:
        lacking = [e["IndexName"] for e in declared if not e.get("ProvisionedThroughput")]
        if lacking:
            invalid(f"ProvisionedThroughput is not specified for index: {','.join(lacking)}")
    for entry in declared:
        index = entry["IndexName"]
        require_units_in_bounds(entry, index)
        for name, units in _units_of(entry, "OnDemandThroughput", _BOUNDS):
            if mode == "PROVISIONED":
                invalid(
                    f"{name} for OnDemandThroughput for index: {index} cannot be specified when "
                    "table BillingMode is PROVISIONED."
                )
            _require_bound(name, units, f"index : {index}")
        _require_initial_warm(entry, mode, f"index {index}")


# UpdateTable.


def require_throughput_with_mode(request: Declared) -> None:
    """Raise ValidationError unless exactly a change to PROVISIONED has throughput."""
    mode, units = request.get("BillingMode"), request.get("ProvisionedThroughput")
    if mode == "PROVISIONED" and units is None:
        invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    if mode == "PAY_PER_REQUEST" and units is not None:
        invalid("ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")


def require_none_of_table(request: Declared) -> None:
    """Reject provisioned throughput for an on-demand table."""
    if request.get("ProvisionedThroughput") is not None:
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
            "BillingMode is PAY_PER_REQUEST"
        )


def require_bounds(request: Declared, mode: str, index: str | None = None) -> None:
    """Raise ValidationError unless changed on-demand limits match the billing mode."""
    for name, units in _units_of(request, "OnDemandThroughput", _BOUNDS):
        if mode == "PROVISIONED":
            where = "" if index is None else f" for index : {index}"
            invalid(
                f"{name} for OnDemandThroughput{where} cannot be specified when the table "
                "BillingMode is PROVISIONED"
            )
        if units != -1:  # -1 removes the limit.
            _require_bound(name, units, "table" if index is None else f"index : {index}")


def require_more_warmth(request: Declared, now: tuple[int, int], index: str | None = None) -> None:
    """Reject a decrease of warm throughput."""
    where = "table" if index is None else f"index {index}"
    for name, units in _units_of(request, "WarmThroughput", _WARM):
        if units < now[_WARM.index(name)]:
            invalid(f"Requested {name} for WarmThroughput for {where} is lower than {_CURRENT}")


def require_throughput_of_added_index(action: Declared, mode: str) -> None:
    """Raise ValidationError unless the throughput of a new index matches the billing mode."""
    index, units = action["IndexName"], action.get("ProvisionedThroughput")
    if mode == "PAY_PER_REQUEST" and units is not None:
        invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
            f"{index} when BillingMode is PAY_PER_REQUEST"
        )
    if mode == "PROVISIONED" and units is None:
        invalid(
            f"Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {index}"
        )
    require_bounds(action, mode, index)
    _require_initial_warm(action, mode, f"index {index}")


def require_throughput_of_changed_index(action: Declared, mode: str) -> None:
    """Raise ValidationError if the billing mode does not allow an index's change."""
    index = action["IndexName"]
    changes = action.get("OnDemandThroughput") or action.get("WarmThroughput")
    has_units = action.get("ProvisionedThroughput") is not None
    if mode == "PAY_PER_REQUEST" and (has_units or not changes):
        invalid(
            f"The only Updates for index: {index} when TableThroughputMode is PAY_PER_REQUEST can "
            "be to OnDemandThroughput, WarmThroughput"
        )
    require_bounds(action, mode, index)


def require_some_warmth(action: Declared) -> None:
    """Reject an empty change of an index's warm throughput."""
    requested = action.get("WarmThroughput")
    if requested is not None and not list(_units_of(action, "WarmThroughput", _WARM)):
        invalid(
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond "
            f"specified for index: {action['IndexName']}"
        )


def merged(old: Declared | None, changes: Declared) -> dict[str, int]:
    """On-demand limits or warm throughput after a partial change."""
    return dict(old or {}) | {name: units for name, units in changes.items() if units is not None}


def with_changed_limits(options: Declared, changes: Declared) -> dict[str, Any]:
    """The settings of a table or index with changed limits and warm throughput."""
    result = dict(options)
    if changes.get("WarmThroughput"):
        result["WarmThroughput"] = merged(result.get("WarmThroughput"), changes["WarmThroughput"])
    if changes.get("OnDemandThroughput"):
        bounds = merged(result.pop("OnDemandThroughput", None), changes["OnDemandThroughput"])
        remaining = {name: units for name, units in bounds.items() if units != -1}
        if remaining:
            result["OnDemandThroughput"] = remaining
    return result


def without_bounds(options: Declared) -> dict[str, Any]:
    """DynamoDB: a change of the billing mode removes on-demand limits."""
    return {name: value for name, value in options.items() if name != "OnDemandThroughput"}


def _units_of(request: Declared, member: str, names: Sequence[str]) -> list[tuple[str, int]]:
    units = request.get(member) or {}
    return [(name, units[name]) for name in names if units.get(name) is not None]


def _require_bound(name: str, units: int, where: str) -> None:
    if units < 1:
        invalid(f"Requested {name} for OnDemandThroughput for {where} is outside of valid range")


def _require_initial_warm(request: Declared, mode: str, where: str) -> None:
    provisioned = Throughput.of(request)
    now = warm_units(mode, provisioned, {})
    for name, units in _units_of(request, "WarmThroughput", _WARM):
        if units >= now[_WARM.index(name)]:
            continue
        kind = name.removesuffix("UnitsPerSecond")
        reason = _INITIAL
        if mode == "PROVISIONED":
            reason = f"{kind}CapacityUnits of ProvisionedThroughput"
        invalid(f"Requested {name} for WarmThroughput for {where} is lower than {reason}")
